// SPDX-License-Identifier: MIT
#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gnuplot.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kWidth = 900, kPanelHeight = 420;

std::string data_block(const Curve& curve, const std::string& name) {
    std::string text = fmt::format("${} << END\n", name);
    for (const auto& [x, y] : curve.points) fmt::format_to(std::back_inserter(text), "{} {}\n", x, y);
    return text + "END\n";
}

/// What differs between runs, in words.
std::string title_of(const nlohmann::ordered_json& run, const nlohmann::ordered_json& runs) {
    std::string title;
    for (const auto& [key, value] : run.at("conditions").items()) {
        const bool same = std::all_of(runs.begin(), runs.end(), [&, k = key, v = value](const auto& other) {
            return other.at("conditions").value(k, nlohmann::ordered_json()) == v;
        });
        if (same) continue;
        const std::string text = value.is_string() ? value.template get<std::string>() : value.dump();
        title += fmt::format("{}{}={}", title.empty() ? "" : ", ", key, text);
    }
    if (!title.empty()) return title;
    return fmt::format("{}, {}", run["conditions"]["workload"].get<std::string>(),
                       run["conditions"]["profile"].get<std::string>());
}

}  // namespace

Result<void> plot(const std::vector<Panel>& panels, const fs::path& path) {
    std::string script = fmt::format(
        "set logscale xy\nset grid\nset key outside right\nset multiplot layout {},1\n", panels.size());
    for (std::size_t p = 0; p < panels.size(); ++p) {
        const Panel& panel = panels[p];
        for (std::size_t c = 0; c < panel.curves.size(); ++c)
            script += data_block(panel.curves[c], fmt::format("d{}_{}", p, c));
        script += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\nplot ", gnuplot_text(panel.title),
                              gnuplot_text(panel.x_label), gnuplot_text(panel.y_label));
        for (std::size_t c = 0; c < panel.curves.size(); ++c)
            script += fmt::format("{}$d{}_{} with {} title {}", c == 0 ? "" : ", ", p, c,
                                  panel.curves[c].measured ? "points pointtype 7" : "lines linewidth 2",
                                  gnuplot_text(panel.curves[c].title));
        script += "\n";
    }
    script += "unset multiplot\n";
    return gnuplot(script, path, kWidth, kPanelHeight * static_cast<unsigned>(panels.size()));
}

Result<void> plot_runs(const nlohmann::ordered_json& runs, const fs::path& path) {
    Panel latency{"median latency", "bytes", "us", {}}, rate{"rate", "bytes", "GB/s", {}};
    for (const auto& run : runs) {
        Curve latencies{title_of(run, runs), {}, false}, rates{title_of(run, runs), {}, false};
        for (const auto& point : run.at("points")) {
            const double size = point.at("size").get<double>();
            latencies.points.emplace_back(size, point["latency_ps"]["median"].get<double>() / 1e6);
            rates.points.emplace_back(size, point["gigabytes_per_second"].get<double>());
        }
        latency.curves.push_back(std::move(latencies));
        rate.curves.push_back(std::move(rates));
    }
    return plot({std::move(latency), std::move(rate)}, path);
}

}  // namespace ntblab::sim
