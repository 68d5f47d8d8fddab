// SPDX-License-Identifier: MIT
// Pictures by gnuplot, which is run as a process.
//
//     auto done = gnuplot("plot '-' with lines\n0 0\n1 1\ne\n", "line.svg", 800, 400);
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ntblab::sim {

/// @param script Without terminal and output. @param path Ends in .svg or .png. @param width, height In
/// pixels. Errors: another ending; gnuplot is not installed, or complains; the file cannot be written.
Result<void> gnuplot(const std::string& script, const std::filesystem::path& path, unsigned width,
                     unsigned height);

/// Why there can be no picture of this name; "" if there can.
std::string no_picture(const std::filesystem::path& path);

/// As gnuplot reads it, taken literally.
std::string gnuplot_text(std::string_view text);

}  // namespace ntblab::sim
