// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace ntblab::lab {
namespace {

bool can_redraw() {
    const char* terminal = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::size_t columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string title) : title_(std::move(title)), terminal_(can_redraw()) {}

Progress::~Progress() {
    clear();
}

double Progress::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string Progress::prefix() const {
    return fmt::format("{} [{:5.1f}s] ", title_, seconds());
}

void Progress::event(const std::string& node, const std::string& what) {
    if (!terminal_) fmt::print(stderr, "{}{}: {}\n", prefix(), node, what);
}

void Progress::state(const std::string& text) {
    if (!terminal_) return;
    std::string line = prefix() + text;
    line.resize(std::min(line.size(), columns() - 1));
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::finish(const std::string& text) {
    clear();
    fmt::print(stderr, "{}{}\n", prefix(), text);
}

void Progress::clear() {
    if (!drawn_) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace ntblab::lab
