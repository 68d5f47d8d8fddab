// SPDX-License-Identifier: MIT
#include "tracing.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>

#include "qmp.h"
#include "text.h"

namespace ntblab::lab {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kEmptyStep = 1 << 20;

Result<void> switch_events(const std::filesystem::path& monitor, const std::string& pattern, bool on) {
    const auto answer =
        monitor_command(monitor, "trace-event-set-state", {{"name", pattern}, {"enable", on}});
    if (!answer) return tl::unexpected(answer.error());
    return {};
}

Result<void> switch_off(const std::filesystem::path& monitor) {
    return switch_events(monitor, trace_events_for(trace_kinds())[0], false);
}

std::int64_t now() {
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<std::unique_ptr<Tracing>> Tracing::begin(boost::asio::io_context& io, const NodePaths& files,
                                                const std::vector<std::string>& kinds, OnEvent on_event) {
    UniqueFd log(::open(files.trace_log().c_str(), O_RDWR | O_CLOEXEC));
    if (!log) return fail(errno_message("QEMU's log " + files.trace_log().string()));
    if (::flock(log.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::unique_ptr<Tracing>();
        return fail(errno_message(files.trace_log().string()));
    }
    // Whoever traced before may have been killed.
    if (auto off = switch_off(files.qmp_socket()); !off) return tl::unexpected(off.error());
    const off_t end = ::lseek(log.get(), 0, SEEK_END);
    std::unique_ptr<Tracing> tracing(
        new Tracing(io, files, std::move(log), static_cast<std::uint64_t>(end), kinds, std::move(on_event)));
    for (const std::string& pattern : trace_events_for(kinds))
        if (auto on = switch_events(files.qmp_socket(), pattern, true); !on)
            return tl::unexpected(on.error());
    return tracing;
}

Tracing::Tracing(boost::asio::io_context& io, const NodePaths& files, UniqueFd log, std::uint64_t offset,
                 const std::vector<std::string>& kinds, OnEvent on_event)
    : monitor_(files.qmp_socket()),
      log_(std::move(log)),
      kinds_(kinds),
      on_event_(std::move(on_event)),
      start_(now()),
      follower_(io.get_executor(), files.trace_log(), offset,
                [this](const std::string& line) { take(line); }) {}

Tracing::~Tracing() {
    if (on_) static_cast<void>(switch_off(monitor_));
}

Result<void> Tracing::end() {
    on_ = false;
    auto off = switch_off(monitor_);
    follower_.drain(true);
    empty_log();
    return off;
}

void Tracing::take(const std::string& line) {
    const auto event = parse_trace_line(line);
    if (event && std::ranges::count(kinds_, event->kind) > 0) on_event_(*event);
    if (follower_.position() >= emptied_ + kEmptyStep) empty_log();
}

// QEMU goes on where it was; what has been read takes no room any more. Where a file system cannot do that,
// the log grows.
void Tracing::empty_log() {
    emptied_ = follower_.position() / kPage * kPage;
    if (emptied_ > 0)
        ::fallocate(log_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(emptied_));
}

}  // namespace ntblab::lab
