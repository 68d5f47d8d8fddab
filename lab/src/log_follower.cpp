// SPDX-License-Identifier: MIT
#include "log_follower.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace ntblab::lab {

LogFollower::LogFollower(const boost::asio::any_io_executor& io, const std::filesystem::path& path,
                         std::uint64_t offset, OnLine on_line, std::function<void()> on_removed)
    : on_line_(std::move(on_line)),
      on_removed_(std::move(on_removed)),
      file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      events_(io, ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      position_(offset) {
    // The open file, which need not have that name any more. Its removal counts from the moment of the watch
    // on; what was before it, `gone` tells.
    if (file_) {
        ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET);
        const std::string opened = "/proc/self/fd/" + std::to_string(file_.get());
        ::inotify_add_watch(events_.native_handle(), opened.c_str(), IN_MODIFY | IN_ATTRIB);
    }
    if (gone()) make_event();
    wait();
}

// A watch that ends is an event.
void LogFollower::make_event() {
    const int events = events_.native_handle();
    ::inotify_rm_watch(events, ::inotify_add_watch(events, "/", IN_DELETE_SELF));
}

void LogFollower::wait() {
    events_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                           if (error) return;
                           clear_events();
                           if (gone()) {
                               drain(true);
                               return on_removed_();
                           }
                           if (take_some())
                               make_event();  // others of the loop have their turn before the rest
                           wait();
                       });
}

// What has happened is seen by looking at the file.
void LogFollower::clear_events() {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    while (::read(events_.native_handle(), buffer.data(), buffer.size()) > 0) continue;
}

// Removing an open file lowers its link count (IN_ATTRIB); IN_DELETE_SELF would come only when we close it.
bool LogFollower::gone() const {
    struct stat status {};
    return !file_ || ::fstat(file_.get(), &status) != 0 || status.st_nlink == 0;
}

bool LogFollower::take_some() {
    std::array<char, 16384> buffer{};
    ssize_t size = -1;
    do size = file_ ? ::read(file_.get(), buffer.data(), buffer.size()) : 0;
    while (size < 0 && errno == EINTR);
    if (size <= 0) return false;
    std::string text =
        std::exchange(partial_, "") + std::string(buffer.data(), static_cast<std::size_t>(size));
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        std::string line = text.substr(begin, end - begin);
        position_ += end + 1 - begin;
        begin = end + 1;
        while (!line.empty() && line.back() == '\r') line.pop_back();
        on_line_(line);
    }
    partial_ = text.substr(begin);
    return true;
}

void LogFollower::drain(bool all) {
    while (take_some()) continue;
    if (all && !partial_.empty()) on_line_(std::exchange(partial_, ""));
}

}  // namespace ntblab::lab
