// SPDX-License-Identifier: MIT
#include "waterfall.h"

#include <fmt/format.h>

#include "gnuplot.h"

namespace ntblab::sim {

Result<void> draw_waterfall(const Account& account, const std::string& title,
                            const std::filesystem::path& path) {
    constexpr unsigned kWidth = 1000, kRow = 22, kAround = 110;
    const std::vector<Step> steps = summary(account);
    std::string data, labels;
    unsigned row = 0;
    for (const Step& step : steps) {
        ++row;
        const double begin = static_cast<double>(step.begin - account.begin) / 1000;
        const double end = static_cast<double>(step.end - account.begin) / 1000;
        data += fmt::format("{} {:.3f} {:.3f} {:.3f}\n", row, begin, end, end - begin);
        labels += fmt::format("{}{} {}", labels.empty() ? "" : ", ",
                              gnuplot_text(fmt::format("{} {}, {}", step.tlp, step.part, step.where)), row);
    }
    const double total = static_cast<double>(account.end - account.begin) / 1000;
    const std::string script = fmt::format(
        "$parts << EOD\n{}EOD\n"
        "set title {}\nset xlabel 'ns'\nset xrange [0:{:.3f}]\nset yrange [{}.5:0.5]\nset ytics ({})\n"
        "set grid xtics\nset border 3\nset tics nomirror\nset style fill solid 0.8 noborder\nunset key\n"
        "plot $parts using 2:1:2:3:($1-0.4):($1+0.4) with boxxyerror linecolor rgb '#4477aa', "
        "$parts using 3:1:(sprintf(' %.1f', $4)) with labels left\n",
        data, gnuplot_text(fmt::format("{}: {:.3f} ns", title, total)), total * 1.12, row, labels);
    return gnuplot(script, path, kWidth, kAround + kRow * row);
}

}  // namespace ntblab::sim
