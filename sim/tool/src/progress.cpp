// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace ntblab::sim {
namespace {

constexpr std::chrono::milliseconds kFirst{500}, kBetween{100};
constexpr int kWidth = 40;

}  // namespace

Progress::Progress(std::string title)
    : title_(std::move(title)), terminal_(::isatty(STDERR_FILENO) == 1), next_(start_ + kFirst) {}

Progress::~Progress() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double part) {
    if (!terminal_ || Clock::now() < next_) return;
    next_ = Clock::now() + kBetween;
    drawn_ = true;
    const double whole = std::clamp(part, 0.0, 1.0);
    const int done = static_cast<int>(whole * kWidth);
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s", title_, "", done, "", kWidth - done,
               100 * whole, seconds.count());
    std::fflush(stderr);
}

}  // namespace ntblab::sim
