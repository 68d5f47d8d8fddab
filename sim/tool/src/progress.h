// SPDX-License-Identifier: MIT
// A progress bar on standard error, if that is a terminal; nothing otherwise.
//
//     Progress progress("sweep");
//     progress.show(0.3, "64 of 200 points");
//     progress.clear();                    // before anything else is printed; also when it goes
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace ntblab::sim {

class Progress {
  public:
    explicit Progress(std::string label, std::FILE* out = stderr)
        : label_(std::move(label)), out_(isatty(fileno(out)) != 0 ? out : nullptr) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// @param done from 0 to 1; @param what is being done, in a few words. Draws when that changes the
    /// picture.
    void show(double done, std::string_view what) {
        if (out_ == nullptr) return;
        constexpr int kWidth = 30;
        const auto cells = static_cast<int>(std::clamp(done, 0.0, 1.0) * kWidth);
        std::string line = fmt::format("{} [{:#<{}}{: <{}}] {:3.0f} % {}", label_, "", cells, "",
                                       kWidth - cells, 100 * std::clamp(done, 0.0, 1.0), what);
        if (line == shown_) return;
        fmt::print(out_, "\r\033[K{}", line);
        std::fflush(out_);
        shown_ = std::move(line);
    }
    void clear() {
        if (out_ == nullptr || shown_.empty()) return;
        fmt::print(out_, "\r\033[K");
        std::fflush(out_);
        shown_.clear();
    }

  private:
    std::string label_;
    std::FILE* out_;
    std::string shown_;
};

}  // namespace ntblab::sim
