// SPDX-License-Identifier: MIT
#include "remote_run.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <csignal>

#include "exit_code.h"

namespace ntblab::lab {
namespace {

constexpr int kSshFailure = 255;  ///< ssh(1), EXIT STATUS.

}  // namespace

RemoteRun::RemoteRun(boost::asio::io_context& io, Ssh ssh, std::vector<std::string> words, bool terminal)
    : ssh_(std::move(ssh)), remote_{std::move(words), random_token()}, terminal_(terminal), ended_(io) {}

Result<std::unique_ptr<RemoteRun>> RemoteRun::open(boost::asio::io_context& io, Ssh ssh,
                                                   std::vector<std::string> words, bool terminal) {
    if (auto connected = ssh.connect(); !connected) return tl::unexpected(connected.error());
    return std::unique_ptr<RemoteRun>(new RemoteRun(io, std::move(ssh), std::move(words), terminal));
}

Result<void> RemoteRun::start(const Streams& streams, std::function<void(Result<int>)> on_exit) {
    // With a terminal, ssh must stay in its session to follow the window's size; the terminal sends no
    // signals then.
    auto child = spawn({.arguments = ssh_.command(remote_.line(), terminal_),
                        .environment = ssh_.environment(),
                        .input = streams.input,
                        .output = streams.output,
                        .error = streams.error,
                        .new_session = !terminal_});
    if (!child) return tl::unexpected(child.error());
    child_.emplace(std::move(*child));
    watch_for_reboot();
    ended_.assign(::fcntl(child_->pidfd(), F_DUPFD_CLOEXEC, 0));
    ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [this, done = std::move(on_exit)](const boost::system::error_code& error) {
                          if (!error) done(end());
                      });
    return {};
}

// A guest that reboots says no goodbye, and nothing in between takes the connection for dead.
void RemoteRun::watch_for_reboot() {
    status_ = std::make_unique<LogFollower>(ended_.get_executor(), ssh_.files().status_log(),
                                            ssh_.boots().bytes, [this](const std::string& line) {
                                                if (line != "userspace") return;
                                                rebooted_ = true;
                                                child_->signal(SIGTERM);
                                            });
    status_->drain();
}

Result<int> RemoteRun::end() {
    const int code = exit_code_of(child_->wait());
    if (rebooted_) return fail("the guest rebooted before the command ended");
    if (code < kSshFailure) return code;
    if (!ssh_.connected()) return fail("the connection broke before the command ended");
    if (const auto recalled = ssh_.capture(remote_.recall_line()); recalled && recalled->starts_with("255"))
        return kSshFailure;
    return fail("the connection broke before the command ended");
}

void RemoteRun::signal(int number) {
    if (!child_) return;
    if (signals_++ > 0) return child_->signal(SIGTERM);
    auto messenger = spawn({.arguments = ssh_.command(remote_.signal_line(number)),
                            .environment = ssh_.environment(),
                            .new_session = true});
    if (!messenger) child_->signal(SIGTERM);  // not waited for: the guest may never answer
}

}  // namespace ntblab::lab
