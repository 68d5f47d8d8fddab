// SPDX-License-Identifier: MIT
// The kernel's log, followed for what the NTB driver says about its link.
//
//     KernelLog log;                                     // from now on
//     poll(log.fd(), POLLIN);
//     while (auto event = log.next()) report(*event);
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ntblab::guest {

struct LinkEvent {
    std::string device;  // the management device that the driver names in its message, as "switchtec0"
    bool up;

    bool operator==(const LinkEvent&) const = default;
};

/// What a record of /dev/kmsg says about an NTB link: the messages of ntb_hw_switchtec.c (Linux 6.12) "ntb
/// link up", "ntb link down" and "ntb link forced down".
std::optional<LinkEvent> link_event(std::string_view record);

class KernelLog {
  public:
    KernelLog();
    ~KernelLog();
    KernelLog(const KernelLog&) = delete;
    KernelLog& operator=(const KernelLog&) = delete;

    int fd() const { return fd_; }
    /// The next link event among the records that are there; nothing when they have all been read.
    std::optional<LinkEvent> next();
    /// Writes a line of init's own into the kernel's log (and so onto the console).
    void say(const std::string& line);

  private:
    int fd_;
};

}  // namespace ntblab::guest
