// SPDX-License-Identifier: MIT
#include "step_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "exit_code.h"
#include "remote_run.h"
#include "text.h"

namespace ntblab::lab {
namespace {

using Clock = std::chrono::steady_clock;

/// From the kill of a command until its connection is given up, too.
constexpr std::chrono::seconds kKillGrace{10};

std::string content_of(int file) {
    std::string result;
    std::array<char, 16384> buffer{};
    for (;;) {
        const ssize_t size = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(result.size()));
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return result;
        result.append(buffer.data(), static_cast<std::size_t>(size));
    }
}

/// Kills the command at its limit, and gives up the connection if that does not help.
class Deadline {
  public:
    Deadline(boost::asio::io_context& io, RemoteRun& run, std::chrono::seconds limit)
        : run_(run), timer_(io) {
        wait(limit);
    }
    bool passed() const { return passed_; }

  private:
    void wait(std::chrono::seconds limit) {
        timer_.expires_after(limit);
        timer_.async_wait([this](const boost::system::error_code& error) {
            if (error) return;
            run_.signal(SIGKILL);
            if (!passed_) wait(kKillGrace);
            passed_ = true;
        });
    }

    RemoteRun& run_;
    boost::asio::steady_timer timer_;
    bool passed_ = false;
};

}  // namespace

StepResult run_step(boost::asio::io_context& io, const Cluster& cluster, const topology::Step& step) {
    StepResult result;
    result.name = step.name;
    result.node = cluster.state.nodes[step.node].name;
    const auto start = Clock::now();
    const UniqueFd output(::memfd_create("output", MFD_CLOEXEC));
    const UniqueFd error(::memfd_create("error", MFD_CLOEXEC));
    if (!output || !error) {
        result.broken = errno_message("no memory for the command's output");
        return result;
    }
    auto ssh = open_ssh({cluster.paths, cluster.state, result.node});
    auto run = ssh ? RemoteRun::open(io, std::move(*ssh), step.words) : tl::unexpected(ssh.error());
    if (!run) {
        result.broken = run.error().message;
        return result;
    }
    Result<int> code = fail("interrupted");
    result.interrupted = true;
    const auto started =
        (*run)->start({.input = -1, .output = output.get(), .error = error.get()}, [&](Result<int> end) {
            code = std::move(end);
            result.interrupted = false;
            io.stop();
        });
    if (!started) {
        result.broken = started.error().message;
        return result;
    }
    const Deadline deadline(io, **run, std::chrono::seconds(step.timeout));
    io.restart();
    io.run();
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.output = content_of(output.get());
    result.error = content_of(error.get());
    if (deadline.passed())
        result.complaints = {fmt::format("not done within {} s", step.timeout)};
    else if (!code)
        result.broken = code.error().message;
    else
        result.complaints = judge(step, *code, result.output);
    return result;
}

}  // namespace ntblab::lab
