// SPDX-License-Identifier: MIT
// Lines of a file as they are appended to it.
//
//     LogFollower follower(io.get_executor(), path, 0, [](const std::string& line) { ... });
//     follower.drain();
//     io.run();
#pragma once

#include <ntblab/unique_fd.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace ntblab::lab {

class LogFollower {
  public:
    using OnLine = std::function<void(const std::string& line)>;

    /// Waits by inotify for what is appended after byte `offset`; `drain` hands out what is there already.
    /// The loop calls `on_removed` once when the file is deleted, also if that was before it ran; a file that
    /// cannot be opened counts as deleted.
    LogFollower(
        const boost::asio::any_io_executor& io, const std::filesystem::path& path, std::uint64_t offset,
        OnLine on_line, std::function<void()> on_removed = [] {});

    /// Hands out what has been written until now. A last line without its end counts as a line if `all`.
    void drain(bool all = false);

    /// Bytes of the file up to the end of the last line that was handed out.
    std::uint64_t position() const { return position_; }

  private:
    void wait();
    /// Some of what has been written. @return false: there was nothing.
    bool take_some();
    void make_event();
    void clear_events();
    bool gone() const;

    OnLine on_line_;
    std::function<void()> on_removed_;
    UniqueFd file_;
    boost::asio::posix::stream_descriptor events_;
    std::string partial_;
    std::uint64_t position_;
};

}  // namespace ntblab::lab
