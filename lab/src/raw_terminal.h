// SPDX-License-Identifier: MIT
// A terminal that passes every key as it is, for as long as the object lives.
#pragma once

#include <termios.h>

namespace ntblab::lab {

class RawTerminal {
  public:
    /// Does nothing where `fd` is no terminal.
    explicit RawTerminal(int fd) : fd_(fd), terminal_(::tcgetattr(fd, &before_) == 0) {
        if (!terminal_) return;
        termios raw = before_;
        ::cfmakeraw(&raw);
        ::tcsetattr(fd_, TCSANOW, &raw);
    }
    ~RawTerminal() {
        if (terminal_) ::tcsetattr(fd_, TCSADRAIN, &before_);
    }
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

  private:
    int fd_;
    termios before_{};
    bool terminal_;
};

}  // namespace ntblab::lab
