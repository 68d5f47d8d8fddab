// SPDX-License-Identifier: MIT
#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure.h"

namespace ntblab::sim {
namespace {

using Kind = Case::Kind;
using Verdict = Row::Verdict;
constexpr std::size_t kColumns = 6;
using Cells = std::array<std::string, kColumns>;
const Cells kHeads = {"case", "conditions", "published", "model", "error", "within"};

std::string of_size(std::uint64_t bytes) {
    if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
    if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
    return fmt::format("{} B", bytes);
}

std::string name_of(const Row& row) {
    std::string name = row.of->name;
    const Published& point = *row.point;
    if (point.generation != 0) name += fmt::format(", Gen{}", point.generation);
    if (point.lanes != 0) name += fmt::format(" x{}", point.lanes);
    if (!point.of.empty()) name += ", " + point.of;
    if (point.size != 0) name += ", " + of_size(point.size);
    return name;
}

std::string name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::within:
            return "yes";
        case Verdict::misfit:
            return "misfit";
        case Verdict::out:
            return "no";
        case Verdict::not_modelled:
            return "not modelled";
    }
    return "";
}

std::string tolerance(const Row& row) {
    switch (row.point->tolerance.kind) {
        case Tolerance::Kind::exact:
            return "exact";
        case Tolerance::Kind::percent:
            return fmt::format("{:.10g} %", row.point->tolerance.value);
        case Tolerance::Kind::absolute:
            return fmt::format("{:.10g} {}", row.point->tolerance.value, row.of->unit);
        case Tolerance::Kind::at_most:
            return "below";
        case Tolerance::Kind::band:
            return "band";
    }
    return "";
}

// A model's value has no more digits than it is worth.
std::string digits(const Row& row) {
    if (std::isnan(row.model)) return "-";
    if (row.point->tolerance.kind != Tolerance::Kind::exact) return fmt::format("{:.4g}", row.model);
    const auto dot = row.point->text.find('.');
    const std::size_t after = dot == std::string::npos ? 0 : row.point->text.size() - dot - 1;
    return fmt::format("{:.{}f}", row.model, after);
}

std::string error(const Row& row) {
    if (std::isnan(row.model)) return "-";
    switch (row.point->tolerance.kind) {
        case Tolerance::Kind::exact:
        case Tolerance::Kind::at_most:
        case Tolerance::Kind::band:
            return "-";
        case Tolerance::Kind::percent:
            return fmt::format("{:+.1f} %", 100 * (row.model / row.point->value - 1));
        case Tolerance::Kind::absolute:
            return fmt::format("{:+.3g} {}", row.model - row.point->value, row.of->unit);
    }
    return "";
}

Cells cells(const Row& row) {
    return {name_of(row),
            row.of->conditions,
            row.point->text + " " + row.of->unit,
            digits(row) + (std::isnan(row.model) ? "" : " " + row.of->unit),
            error(row),
            name_of(row.verdict) + (row.verdict == Verdict::not_modelled ? "" : " (" + tolerance(row) + ")")};
}

}  // namespace

std::vector<Row> check(const Calibration& calibration, const std::map<std::string, pcie::Profile>& profiles,
                       const std::string& only,
                       const std::function<void(double, const std::string&)>& progress) {
    static const pcie::Profile kNone;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < calibration.cases.size(); ++i) {
        const Case& one = calibration.cases[i];
        if (!only.empty() && one.profile != only) continue;
        progress(static_cast<double>(i) / static_cast<double>(calibration.cases.size()), one.name);
        const std::vector<double> model =
            evaluate(one, one.profile.empty() ? kNone : profiles.at(one.profile));
        for (std::size_t p = 0; p < model.size(); ++p) {
            const Published& point = one.points[p];
            Verdict verdict = Verdict::not_modelled;
            if (!std::isnan(model[p]))
                verdict = within(point, model[p]) ? Verdict::within
                          : point.misfit.empty()  ? Verdict::out
                                                  : Verdict::misfit;
            rows.push_back({&one, &point, model[p], verdict});
        }
    }
    return rows;
}

bool passes(const std::vector<Row>& rows) {
    return std::ranges::none_of(rows, [](const Row& row) { return row.verdict == Verdict::out; });
}

nlohmann::ordered_json rows_as_json(const std::vector<Row>& rows) {
    auto all = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
        nlohmann::ordered_json one = {{"case", name_of(row)},     {"conditions", row.of->conditions},
                                      {"source", row.of->source}, {"profile", row.of->profile},
                                      {"unit", row.of->unit},     {"published", row.point->value}};
        if (row.point->tolerance.kind == Tolerance::Kind::band) one["published_most"] = row.point->most;
        one["model"] = std::isnan(row.model) ? nlohmann::ordered_json() : nlohmann::ordered_json(row.model);
        one["tolerance"] = tolerance(row);
        one["within"] = name_of(row.verdict);
        if (!row.point->misfit.empty()) one["misfit"] = row.point->misfit;
        all.push_back(std::move(one));
    }
    return {{"cases", all}, {"passes", passes(rows)}};
}

std::string report(const std::vector<Row>& rows, Format format) {
    if (format == Format::json) return rows_as_json(rows).dump(2) + "\n";
    Cells heads = kHeads;
    std::vector<Cells> table;
    if (format == Format::text) table.push_back(heads);
    for (const Row& row : rows) table.push_back(cells(row));
    std::string text;
    if (format == Format::markdown) {
        text = fmt::format("| {} |\n|{}\n", fmt::join(heads, " | "), "---|---|---:|---:|---:|---|");
        for (const Cells& line : table) text += fmt::format("| {} |\n", fmt::join(line, " | "));
        return text;
    }
    std::array<std::size_t, kColumns> widths{};
    for (const Cells& line : table)
        for (std::size_t column = 0; column < kColumns; ++column)
            widths[column] = std::max(widths[column], line[column].size());
    for (const Cells& line : table)
        text += fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {}\n", line[0], widths[0], line[1],
                            widths[1], line[2], widths[2], line[3], widths[3], line[4], widths[4], line[5]);
    return text;
}

}  // namespace ntblab::sim
