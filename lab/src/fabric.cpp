// SPDX-License-Identifier: MIT
#include "fabric.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <array>

#include "files.h"
#include "qemu_command.h"
#include "text.h"

namespace ntblab::lab {
namespace {

constexpr int kReadyLimitMilliseconds = 60'000;
constexpr std::size_t kShownLines = 5;

}  // namespace

Result<StartingFabric> start_fabric(const Plan& plan) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(errno_message("pipe"));
    UniqueFd reading(ends[0]);
    const UniqueFd writing(ends[1]);
    auto log = open_log(plan.paths.fabric_log());
    if (!log) return tl::unexpected(log.error());
    auto child = spawn({.arguments = fabric_command(plan),
                        .environment = cluster_environment(plan),
                        .output = log->get(),
                        .error = log->get(),
                        .passed = writing.get(),
                        .new_session = true});
    if (!child) return tl::unexpected(child.error());
    return StartingFabric{std::move(*child), std::move(reading)};
}

Result<void> wait_for_fabric(const Plan& plan, const StartingFabric& fabric) {
    pollfd ready{fabric.ready.get(), POLLIN, 0};
    const int polled = ::poll(&ready, 1, kReadyLimitMilliseconds);
    if (polled < 0) return fail(errno_message("waiting for ntb-fabric"));
    char byte = 0;
    if (polled > 0 && ::read(fabric.ready.get(), &byte, 1) == 1) return {};
    const auto words = last_lines(read_if_there(plan.paths.fabric_log()), kShownLines);
    return fail(fmt::format("ntb-fabric {}: {}",
                            polled > 0 ? "ended before it listened" : "does not become ready",
                            words.empty() ? "it said nothing" : fmt::format("{}", fmt::join(words, "\n  "))));
}

}  // namespace ntblab::lab
