// SPDX-License-Identifier: MIT
#include "gnuplot.h"

#include <fmt/format.h>

#include "output_file.h"
#include "program.h"

namespace ntblab::sim {
namespace {

Result<std::string> run_gnuplot(const std::string& script) {
    auto ended = run_program({"gnuplot"}, script);
    if (!ended)
        return fail(
            fmt::format("gnuplot, which draws pictures, cannot be run: {}; install the package gnuplot-nox",
                        ended.error().message()));
    if (ended->code != 0 || ended->output.empty()) return fail(fmt::format("gnuplot: {}", ended->errors));
    return std::move(ended->output);
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += c;
        result += c == '\n' ? ' ' : c;
    }
    return result + "'";
}

std::string no_picture(const std::filesystem::path& path) {
    if (path.extension() == ".svg" || path.extension() == ".png") return "";
    return fmt::format("{}: a picture is an SVG or a PNG: give a name that ends in .svg or .png",
                       path.string());
}

Result<void> gnuplot(const std::string& script, const std::filesystem::path& path, unsigned width,
                     unsigned height) {
    if (const std::string why = no_picture(path); !why.empty()) return fail(why);
    auto file = OutputFile::create(path);
    if (!file) return tl::unexpected(file.error());
    const auto picture =
        run_gnuplot(fmt::format("set terminal {} size {},{} noenhanced font 'sans,11' background 'white'\n{}",
                                path.extension() == ".svg" ? "svg" : "pngcairo", width, height, script));
    if (!picture) return tl::unexpected(picture.error());
    file->write(*picture);
    return file->finish();
}

}  // namespace ntblab::sim
