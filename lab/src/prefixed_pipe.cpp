// SPDX-License-Identifier: MIT
#include "prefixed_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <stdexcept>

#include "text.h"

namespace ntblab::lab {
namespace {

/// A longer line comes out in pieces.
constexpr std::size_t kLineLimit = 64 << 10;

}  // namespace

PrefixedPipe::PrefixedPipe(boost::asio::io_context& io, std::FILE* target, std::string label,
                           std::function<void()> on_end)
    : reading_(io), target_(target), label_(std::move(label)), on_end_(std::move(on_end)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(errno_message("pipe"));
    reading_.assign(ends[0]);
    writing_.reset(ends[1]);
    read();
}

void PrefixedPipe::read() {
    boost::asio::async_read_until(reading_, boost::asio::dynamic_buffer(pending_, kLineLimit), '\n',
                                  [this](const boost::system::error_code& error, std::size_t size) {
                                      if (error == boost::asio::error::not_found) size = pending_.size();
                                      if (error && error != boost::asio::error::not_found) {
                                          if (error == boost::asio::error::operation_aborted) return;
                                          if (!pending_.empty()) print(pending_.size());
                                          return on_end_();
                                      }
                                      print(size);
                                      read();
                                  });
}

void PrefixedPipe::print(std::size_t size) {
    std::string_view line = std::string_view(pending_).substr(0, size);
    if (line.ends_with('\n')) line.remove_suffix(1);
    fmt::print(target_, "{}{}\n", label_, line);
    std::fflush(target_);
    pending_.erase(0, size);
}

}  // namespace ntblab::lab
