// SPDX-License-Identifier: MIT
// Cases beside what the model says of them, as a table or as JSON.
//
//     const std::vector<Row> rows = check(calibration, profiles, progress);
//     fmt::print("{}", table(rows, Format::markdown));
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibration.h"
#include "pcie/profile.h"

namespace ntblab::sim {

struct Row {
    enum class Verdict : std::uint8_t {
        within,
        misfit,  ///< Out of its tolerance, as the case says it is.
        out,     ///< Out of its tolerance.
        not_modelled,
    };
    const Case* of;
    const Published* point;
    double model;  ///< In the case's unit; NaN if it is not modelled.
    Verdict verdict;
};

/// All of a calibration's cases, or those of the profile `only`.
/// @param profiles by name, of all that cases are about; @param progress is told what is next, and how much
/// is done, from 0 to 1.
std::vector<Row> check(const Calibration& calibration, const std::map<std::string, pcie::Profile>& profiles,
                       const std::string& only,
                       const std::function<void(double, const std::string&)>& progress);

/// None is `out`.
bool passes(const std::vector<Row>& rows);

enum class Format : std::uint8_t { text, markdown, json };

/// {"cases": [...], "passes": ...}; of what is not modelled, the model's value is null.
nlohmann::ordered_json rows_as_json(const std::vector<Row>& rows);

std::string report(const std::vector<Row>& rows, Format format);

}  // namespace ntblab::sim
