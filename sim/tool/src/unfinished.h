// SPDX-License-Identifier: MIT
// Files that are being written: a signal that ends the process removes them first.
//
//     remove_unfinished_at_signals();
//     const Unfinished unfinished("run.json.17.part");   // as long as it is written
#pragma once

#include <sys/types.h>

#include <list>
#include <optional>
#include <string>

namespace ntblab::sim {

/// From now on SIGHUP, SIGINT, SIGPIPE and SIGTERM, if they are not ignored, remove what is unfinished and
/// end the process as they would have.
void remove_unfinished_at_signals();

/// Of a process with one thread; one that was forked leaves alone what its parent writes.
class Unfinished {
  public:
    explicit Unfinished(std::string path);
    Unfinished(Unfinished&& other) noexcept;
    Unfinished& operator=(Unfinished&&) = delete;
    ~Unfinished();

    const std::string& path() const { return (*entry_)->path; }

  private:
    friend void remove_unfinished_at_signals();
    struct Entry {
        std::string path;
        pid_t owner;
    };
    /// Changed with the signals blocked, so that it is whole when their handler looks at it.
    static std::list<Entry>& entries();
    static void end_by(int signal);

    std::optional<std::list<Entry>::iterator> entry_;
};

}  // namespace ntblab::sim
