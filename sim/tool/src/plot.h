// SPDX-License-Identifier: MIT
// Pictures of curves over transfer sizes, by gnuplot: the model's as lines, what was measured on hardware as
// points beside them.
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ntblab::sim {

struct Curve {
    std::string title;
    std::vector<std::pair<double, double>> points;  ///< (x, y)
    bool measured = false;                          ///< Points without a line.
};

struct Panel {
    std::string title, x_label, y_label;
    std::vector<Curve> curves;
};

/// Draws panels one below the other, both axes logarithmic. The name's end says how: .svg or .png. Errors:
/// another end; no gnuplot; what gnuplot says; the file cannot be written.
Result<void> plot(const std::vector<Panel>& panels, const std::filesystem::path& path);

/// Median latency and rate of runs (results.h) over sizes.
Result<void> plot_runs(const nlohmann::ordered_json& runs, const std::filesystem::path& path);

}  // namespace ntblab::sim
