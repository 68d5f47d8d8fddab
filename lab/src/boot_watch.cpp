// SPDX-License-Identifier: MIT
#include "boot_watch.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>

namespace ntblab::lab {
namespace {

constexpr std::chrono::seconds kClockTick{1};

std::uint64_t size_of(const std::filesystem::path& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return error ? 0 : size;
}

}  // namespace

void BootWatch::add(const std::string& node, const NodePaths& files, std::size_t links) {
    Node& entry = nodes_.emplace_back(Node{node, files, NodeStatus(links)});
    entry.follower =
        std::make_unique<LogFollower>(io_.get_executor(), files.status_log(), size_of(files.status_log()),
                                      [this, &entry](const std::string& line) { take(entry, line); });
    entry.console =
        std::make_unique<LogFollower>(io_.get_executor(), files.console_log(), size_of(files.console_log()),
                                      [this, &entry](const std::string& line) { take_console(entry, line); });
}

void BootWatch::add_peer(const std::string& node, const NodePaths& files, std::size_t links) {
    add(node, files, links);
    nodes_.back().status.take("userspace");
    nodes_.back().status.take("ssh");
}

void BootWatch::add_qemu(const std::string& node, const NodePaths& files, int pidfd) {
    add_process(fmt::format("QEMU of node '{}'", node), files.qemu_log(), pidfd);
}

void BootWatch::add_process(const std::string& name, const std::filesystem::path& log, int pidfd) {
    Descriptor& descriptor = processes_.emplace_back(io_, ::fcntl(pidfd, F_DUPFD_CLOEXEC, 0));
    descriptor.async_wait(Descriptor::wait_read, [this, name, log](const boost::system::error_code& error) {
        if (error) return;
        failures_.push_back({name + " ended", log});
        io_.stop();
    });
}

void BootWatch::take(Node& node, const std::string& line) {
    node.status.take(line);
    progress_.event(node.name, line);
    if (!node.status.failure().empty())
        failures_.push_back(
            {fmt::format("node '{}': {}", node.name, node.status.failure()), node.files.console_log()});
    show();
    if (!failures_.empty() || all_ready()) io_.stop();
}

void BootWatch::take_console(Node& node, const std::string& line) {
    if (line.find("Kernel panic - not syncing") == std::string::npos) return;
    failures_.push_back({fmt::format("node '{}': its kernel panicked", node.name), node.files.console_log()});
    io_.stop();
}

bool BootWatch::all_ready() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.status.ready(); });
}

void BootWatch::show() {
    std::string text;
    for (const Node& node : nodes_)
        text += (text.empty() ? "" : "; ") + node.name + ": " + node.status.summary();
    progress_.state(text);
}

void BootWatch::end_of_time(std::chrono::seconds limit) {
    for (const Node& node : nodes_)
        if (!node.status.ready())
            failures_.push_back(
                {fmt::format(
                     "node '{}' is not ready after {} s: {}; a slower machine needs a larger --timeout",
                     node.name, limit.count(), node.status.summary()),
                 node.files.console_log()});
    io_.stop();
}

std::vector<BootFailure> BootWatch::wait(std::chrono::seconds limit) {
    boost::asio::steady_timer deadline(io_, limit);
    deadline.async_wait([&](const boost::system::error_code& error) {
        if (!error) end_of_time(limit);
    });
    boost::asio::steady_timer clock(io_);
    const std::function<void(const boost::system::error_code&)> tick =
        [&](const boost::system::error_code& error) {
            if (error) return;
            show();
            clock.expires_after(kClockTick);
            clock.async_wait(tick);
        };
    tick({});
    for (Node& node : nodes_) node.follower->drain();
    if (failures_.empty() && !all_ready()) {
        io_.restart();
        io_.run();
    }
    progress_.clear();
    // The handlers that the timers leave behind use what is about to go.
    clock.cancel();
    deadline.cancel();
    processes_.clear();
    nodes_.clear();
    io_.restart();
    io_.poll();
    return std::move(failures_);
}

}  // namespace ntblab::lab
