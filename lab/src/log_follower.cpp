// SPDX-License-Identifier: MIT
#include "log_follower.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ntblab::lab {

LogFollower::LogFollower(const boost::asio::any_io_executor& io, const std::filesystem::path& path,
                         std::uint64_t offset, OnLine on_line, std::function<void()> on_removed)
    : on_line_(std::move(on_line)),
      on_removed_(std::move(on_removed)),
      file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      events_(io, ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (!file_) return;
    ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET);
    ::inotify_add_watch(events_.native_handle(), path.c_str(), IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF);
    wait();
}

void LogFollower::wait() {
    events_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                           if (error) return;
                           const bool removed = take_events();
                           drain(removed);
                           if (removed) return on_removed_();
                           wait();
                       });
}

bool LogFollower::take_events() {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    bool removed = false;
    for (;;) {
        const ssize_t size = ::read(events_.native_handle(), buffer.data(), buffer.size());
        if (size <= 0) return removed;
        for (ssize_t at = 0; at < size;) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof(event));
            // Deleting an open file changes its link count; IN_DELETE_SELF would come only when we close it.
            struct stat status {};
            if ((event.mask & IN_DELETE_SELF) != 0) removed = true;
            if ((event.mask & IN_ATTRIB) != 0 && ::fstat(file_.get(), &status) == 0 && status.st_nlink == 0)
                removed = true;
            at += static_cast<ssize_t>(sizeof(event) + event.len);
        }
    }
}

void LogFollower::drain(bool all) {
    std::array<char, 16384> buffer{};
    while (file_) {
        const ssize_t size = ::read(file_.get(), buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        partial_.append(buffer.data(), static_cast<std::size_t>(size));
    }
    for (std::size_t end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
        std::string line = partial_.substr(0, end);
        partial_.erase(0, end + 1);
        while (!line.empty() && line.back() == '\r') line.pop_back();
        on_line_(line);
    }
    if (all && !partial_.empty()) on_line_(std::exchange(partial_, ""));
}

}  // namespace ntblab::lab
