// SPDX-License-Identifier: MIT
// The private directory in which one fabric at a time listens.
//
//     fabric::RunDir run_dir = fabric::RunDir::take("/tmp/x").value();
//     poll_and_accept(run_dir.listener());
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>

#include <string>

namespace fabric {

class RunDir {
  public:
    /// Makes the directory (0700) if need be, locks it, and listens on the socket (0600) in it, in place of
    /// one that a killed fabric left. Errors: not ours or open to others; another fabric serves it (its pid);
    /// path too long; the system's.
    static ntblab::Result<RunDir> take(const std::string& path);

    RunDir(RunDir&& other) noexcept = default;
    RunDir& operator=(RunDir&&) = delete;
    /// Removes the socket.
    ~RunDir();

    /// Listening, non-blocking, SOCK_SEQPACKET.
    int listener() const { return listener_.get(); }
    const std::string& socket_path() const { return socket_path_; }

  private:
    RunDir(ntblab::UniqueFd lock, ntblab::UniqueFd listener, std::string socket_path);

    ntblab::UniqueFd lock_;
    ntblab::UniqueFd listener_;
    std::string socket_path_;
};

}  // namespace fabric
