// SPDX-License-Identifier: MIT
#include "prefixed_pipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ntblab::lab {
namespace {

std::string labelled(const std::string& input) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* target = ::open_memstream(&text, &size);
    boost::asio::io_context io;
    bool ended = false;
    PrefixedPipe pipe(io, target, "a | ", [&] { ended = true; });
    EXPECT_EQ(::write(pipe.write_end(), input.data(), input.size()), static_cast<ssize_t>(input.size()));
    pipe.close_write_end();
    io.run();
    EXPECT_TRUE(ended);
    std::fclose(target);
    std::string result(text, size);
    std::free(text);
    return result;
}

TEST(PrefixedPipe, LabelsEveryLine) {
    EXPECT_EQ(labelled("one\n\ntwo\n"), "a | one\na | \na | two\n");
}

TEST(PrefixedPipe, EndsALastLineThatIsNotEnded) {
    EXPECT_EQ(labelled("one"), "a | one\n");
}

TEST(PrefixedPipe, SaysNothingOfNothing) {
    EXPECT_EQ(labelled(""), "");
}

}  // namespace
}  // namespace ntblab::lab
