// SPDX-License-Identifier: MIT
// A pipe whose lines come out on a stream of ours, each with a label before it.
//
//     PrefixedPipe pipe(io, stdout, "a | ", [] {});
//     spawn({..., .output = pipe.write_end()});
//     pipe.close_write_end();
//     io.run();
#pragma once

#include <ntblab/unique_fd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdio>
#include <functional>
#include <string>

namespace ntblab::lab {

class PrefixedPipe {
  public:
    /// `on_end` is called once, when every writer has closed it.
    PrefixedPipe(boost::asio::io_context& io, std::FILE* target, std::string label,
                 std::function<void()> on_end);
    PrefixedPipe(const PrefixedPipe&) = delete;
    PrefixedPipe& operator=(const PrefixedPipe&) = delete;

    int write_end() const { return writing_.get(); }
    void close_write_end() { writing_.reset(); }

  private:
    void read();
    void print(std::size_t size);

    boost::asio::posix::stream_descriptor reading_;
    UniqueFd writing_;
    std::FILE* target_;
    std::string label_;
    std::function<void()> on_end_;
    std::string pending_;
};

}  // namespace ntblab::lab
