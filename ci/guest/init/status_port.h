// SPDX-License-Identifier: MIT
// The virtio-serial port on which a guest tells its host how far it is, one event a line.
//
//     StatusPort port("ntblab.status");
//     port.report("userspace");
#pragma once

#include <string>

namespace ntblab::guest {

class StatusPort {
  public:
    /// Opens the port of that name; without one every report is dropped.
    explicit StatusPort(const std::string& name);
    ~StatusPort();
    StatusPort(const StatusPort&) = delete;
    StatusPort& operator=(const StatusPort&) = delete;

    /// Sends a line, or keeps it while the host does not read. Never blocks.
    void report(const std::string& event);
    /// Sends what is kept; call it when fd() is writable.
    void flush();
    bool pending() const { return !kept_.empty(); }
    int fd() const { return fd_; }

  private:
    int fd_ = -1;
    std::string kept_;
};

}  // namespace ntblab::guest
