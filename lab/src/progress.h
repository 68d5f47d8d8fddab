// SPDX-License-Identifier: MIT
// How far a command is, on standard error: one line that is written over on a terminal, a line for each event
// elsewhere.
//
//     Progress progress("pair");
//     progress.event("a", "ssh");
//     progress.state("a booting, b ssh");
//     progress.finish("2 nodes ready");
#pragma once

#include <chrono>
#include <string>

namespace ntblab::lab {

class Progress {
  public:
    explicit Progress(std::string title);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Something happened. Printed only where there is no line to write over.
    void event(const std::string& node, const std::string& what);
    /// The state of everything. Shown only on a terminal.
    void state(const std::string& text);
    /// The last line, on either.
    void finish(const std::string& text);
    /// Makes room for other output.
    void clear();

    double seconds() const;

  private:
    std::string prefix() const;

    std::string title_;
    bool terminal_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ntblab::lab
