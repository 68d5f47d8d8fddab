// SPDX-License-Identifier: MIT
// Running a command on a node as if it ran here: streams, exit code, signals.
//
//     auto run = RemoteRun::open(io, ssh, {"uname", "-r"}).value();
//     run->start({.input = 0, .output = 1, .error = 2}, [&](int code) { ... });
//     run->signal(SIGINT);   // reaches the command, not ssh
#pragma once

#include <ntblab/result.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "log_follower.h"
#include "process.h"
#include "remote_command.h"
#include "ssh.h"

namespace ntblab::lab {

struct Streams {
    int input = -1;  ///< -1: /dev/null. All are borrowed for the call.
    int output = -1;
    int error = -1;
};

class RemoteRun {
  public:
    /// Connects if need be. Errors: as of Ssh::connect.
    static Result<std::unique_ptr<RemoteRun>> open(boost::asio::io_context& io, Ssh ssh,
                                                   std::vector<std::string> words, bool terminal = false);

    /// `on_exit` gets the command's exit code, or an error if the guest rebooted or the connection broke
    /// before the command ended.
    Result<void> start(const Streams& streams, std::function<void(Result<int>)> on_exit);
    /// Sends a signal to the command. The second time it ends the ssh here instead.
    void signal(int number);

  private:
    RemoteRun(boost::asio::io_context& io, Ssh ssh, std::vector<std::string> words, bool terminal);
    Result<int> end();
    void watch_for_reboot();

    Ssh ssh_;
    RemoteCommand remote_;
    bool terminal_;
    unsigned signals_ = 0;
    bool rebooted_ = false;
    std::optional<Child> child_;
    std::unique_ptr<LogFollower> status_;
    boost::asio::posix::stream_descriptor ended_;
};

}  // namespace ntblab::lab
