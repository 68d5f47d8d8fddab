// SPDX-License-Identifier: MIT
// The reader of calibration.yaml.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/reader.h>
#include <topology/suggest.h>
#include <topology/topology.h>

#include <array>
#include <filesystem>
#include <limits>

#include "calibration.h"
#include "measure.h"
#include "pcie/profile.h"

namespace ntblab::sim {
namespace {

using topology::Diagnostics;
using topology::Field;
using topology::Fields;
using topology::Reader;
using Kind = Case::Kind;

constexpr double kMostValue = 1e12;

struct KindName {
    std::string_view name;
    Kind kind;
    std::vector<std::string> of;  ///< What `of` may be; empty: there is none.
};

const std::vector<KindName>& kinds() {
    static const std::vector<KindName> all = {
        {"line-rate", Kind::line_rate, {}},
        {"wire-cost", Kind::wire_cost, {"MWr", "MRd", "CplD", "DLLP"}},
        {"formula", Kind::formula, {"write", "read", "both"}},
        {"run", Kind::run, {}},
        {"iotlb", Kind::iotlb, {"knee", "miss"}},
        {"infiniband", Kind::infiniband, {}},
        {"reference", Kind::reference, {}},
    };
    return all;
}

std::vector<std::string> parameter_names() {
    std::vector<std::string> names;
    for (const pcie::Parameter& parameter : pcie::parameters()) names.emplace_back(parameter.name);
    return names;
}

class CalibrationReader {
  public:
    CalibrationReader(Calibration& result, Diagnostics& diagnostics)
        : result_(result), diagnostics_(diagnostics), reader_(diagnostics) {}

    void read(const YAML::Node& document) {
        const Fields fields = reader_.mapping(document, "the calibration", {"fit", "cases"});
        if (const auto* fits = fields.find("fit"))
            for (const Field& field : reader_.named(*fits, "fit", "profile").entries) read_fit(field);
        const auto* cases = fields.find("cases");
        if (cases == nullptr) {
            diagnostics_.error(document.Mark(), "there are no cases; expected a list, cases: [...]");
            return;
        }
        for (const YAML::Node& node : reader_.sequence(*cases, "cases", 1, 1000)) read_case(node);
    }

  private:
    void read_fit(const Field& profile) {
        std::vector<FreeParameter> free;
        for (const Field& field :
             reader_.mapping(profile.value, "fit of " + profile.key, parameter_names()).entries) {
            const pcie::Parameter& parameter = *pcie::find_parameter(field.key);
            const Fields bounds = reader_.mapping(field.value, field.key, {"least", "most", "source"});
            const auto* least = bounds.find("least");
            const auto* most = bounds.find("most");
            const auto* source = bounds.find("source");
            if (least == nullptr || most == nullptr || source == nullptr) {
                diagnostics_.error(field.where,
                                   fmt::format("{} lacks one of least, most and source; expected "
                                               "{{least: 5, most: 20, source: what it is fitted to}}",
                                               field.key));
                continue;
            }
            FreeParameter one{field.key, 0, 0, reader_.string(*source, "source").value_or("")};
            one.least = reader_.number(*least, "least", parameter.least, parameter.most).value_or(0);
            one.most = reader_.number(*most, "most", parameter.least, parameter.most).value_or(1);
            if (one.least >= one.most)
                diagnostics_.error(most->Mark(), fmt::format("most is {}; expected more than least, {}",
                                                             one.most, one.least));
            free.push_back(std::move(one));
        }
        result_.fits.emplace_back(profile.key, std::move(free));
    }

    void read_case(const YAML::Node& node) {
        const Fields fields =
            reader_.mapping(node, "a case",
                            {"case", "kind", "conditions", "source", "unit", "tolerance", "profile", "link",
                             "traffic", "measure", "parameters", "less", "plus", "points"});
        Case one;
        one.name = text(node, fields, "case");
        one.conditions = text(node, fields, "conditions");
        one.source = text(node, fields, "source");
        one.unit = text(node, fields, "unit");
        const KindName& kind = read_kind(node, fields);
        one.kind = kind.kind;
        if (one.kind == Kind::run || one.kind == Kind::iotlb) one.profile = text(node, fields, "profile");
        if (const auto* link = fields.find("link")) read_link(*link, one.generation, one.lanes);
        if (const auto* traffic = fields.find("traffic")) read_traffic(*traffic, one.traffic);
        if (const auto* measure = fields.find("measure"))
            one.measure = choice(*measure, "measure", {"latency", "rate"}) == 1 ? Case::Measure::rate
                                                                                : Case::Measure::latency;
        if (const auto* parameters = fields.find("parameters")) one.parameters = read_parameters(*parameters);
        if (const auto* less = fields.find("less")) read_less(*less, one);
        if (const auto* plus = fields.find("plus"))
            one.plus = parameter_names()[choice(*plus, "plus", parameter_names())];
        if (one.kind == Kind::run && !unit_scale(one.unit, one.measure))
            diagnostics_.error(fields.find("unit") != nullptr ? fields.find("unit")->Mark() : node.Mark(),
                               fmt::format("unit is '{}'; expected {}", one.unit,
                                           one.measure == Case::Measure::rate ? "Gb/s, MB/s or GB/s of a rate"
                                                                              : "ns or us of a latency"));
        Tolerance tolerance;
        if (const auto* given = fields.find("tolerance")) tolerance = read_tolerance(*given);
        const auto* points = fields.find("points");
        if (points == nullptr) {
            diagnostics_.error(node.Mark(), fmt::format("case '{}' has no points", one.name));
            return;
        }
        for (const YAML::Node& point : reader_.sequence(*points, "points", 1, 1000))
            read_point(point, kind, tolerance, one);
        result_.cases.push_back(std::move(one));
    }

    std::string text(const YAML::Node& where, const Fields& fields, const std::string& key) {
        const auto* node = fields.find(key);
        if (node == nullptr) {
            diagnostics_.error(where.Mark(), fmt::format("a case lacks '{}'", key));
            return "";
        }
        return reader_.string(*node, key).value_or("");
    }

    /// The number of the one of `expected` that it is; 0 after an error.
    std::size_t choice(const YAML::Node& node, const std::string& what,
                       const std::vector<std::string>& expected) {
        const auto given = reader_.string(node, what);
        if (!given) return 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (expected[i] == *given) return i;
        const std::string guess = topology::nearest(*given, expected);
        diagnostics_.error(
            node.Mark(),
            fmt::format("{} is '{}'; {}", what, *given,
                        guess.empty() ? fmt::format("expected one of {}", fmt::join(expected, ", "))
                                      : fmt::format("did you mean '{}'?", guess)));
        return 0;
    }

    const KindName& read_kind(const YAML::Node& where, const Fields& fields) {
        std::vector<std::string> names;
        for (const KindName& kind : kinds()) names.emplace_back(kind.name);
        const auto* node = fields.find("kind");
        if (node == nullptr) {
            diagnostics_.error(
                where.Mark(), fmt::format("a case lacks 'kind'; expected one of {}", fmt::join(names, ", ")));
            return kinds().back();
        }
        return kinds()[choice(*node, "kind", names)];
    }

    void read_link(const YAML::Node& node, unsigned& generation, unsigned& lanes) {
        const Fields fields = reader_.mapping(node, "link", {"generation", "width"});
        if (const auto* value = fields.find("generation"))
            generation = reader_.integer(*value, "generation", 1, 6).value_or(generation);
        if (const auto* value = fields.find("width")) lanes = read_width(*value);
    }

    unsigned read_width(const YAML::Node& node) {
        constexpr std::array<unsigned, 5> kWidths = {1, 2, 4, 8, 16};
        return kWidths[choice(node, "width", {"x1", "x2", "x4", "x8", "x16"})];
    }

    void read_traffic(const YAML::Node& node, CaseTraffic& traffic) {
        const Fields fields = reader_.mapping(
            node, "traffic", {"operation", "transfers", "warm-up", "in-flight", "uncached", "remote"});
        if (const auto* value = fields.find("operation"))
            traffic.operation = operations()[choice(*value, "operation", operations())];
        if (const auto* value = fields.find("transfers"))
            traffic.transfers = reader_.integer(*value, "transfers", 1, 1000000).value_or(1);
        if (const auto* value = fields.find("warm-up"))
            traffic.warm_up = reader_.integer(*value, "warm-up", 0, 1000000).value_or(0);
        if (const auto* value = fields.find("in-flight"))
            traffic.in_flight = reader_.integer(*value, "in-flight", 1, 4096).value_or(1);
        read_memory(fields, traffic.uncached, traffic.remote);
        if (traffic.in_flight > 1 && traffic.warm_up < traffic.in_flight)
            diagnostics_.error(node.Mark(),
                               fmt::format("{} transfers in flight and a warm-up of {}; expected as many "
                                           "at least, so that what is measured is steady",
                                           traffic.in_flight, traffic.warm_up));
    }

    void read_memory(const Fields& fields, bool& uncached, bool& remote) {
        if (const auto* value = fields.find("uncached"))
            uncached = reader_.boolean(*value, "uncached").value_or(false);
        if (const auto* value = fields.find("remote"))
            remote = reader_.boolean(*value, "remote").value_or(false);
    }

    std::map<std::string, double> read_parameters(const YAML::Node& node) {
        std::map<std::string, double> result;
        for (const Field& field : reader_.mapping(node, "parameters", parameter_names()).entries) {
            const pcie::Parameter& parameter = *pcie::find_parameter(field.key);
            if (const auto value = reader_.number(field.value, field.key, parameter.least, parameter.most))
                result[field.key] = *value;
        }
        return result;
    }

    void read_less(const YAML::Node& node, Case& one) {
        const Fields fields = reader_.mapping(node, "less", {"parameters", "uncached", "remote"});
        one.has_less = true;
        one.less.uncached = one.traffic.uncached;
        one.less.remote = one.traffic.remote;
        one.less.parameters = one.parameters;
        if (const auto* parameters = fields.find("parameters"))
            for (const auto& [name, value] : read_parameters(*parameters)) one.less.parameters[name] = value;
        read_memory(fields, one.less.uncached, one.less.remote);
    }

    Tolerance read_tolerance(const YAML::Node& node) {
        if (!node.IsMap()) {
            constexpr std::array<Tolerance::Kind, 3> kPlain = {
                Tolerance::Kind::exact, Tolerance::Kind::at_most, Tolerance::Kind::band};
            return {kPlain[choice(node, "tolerance", {"exact", "at-most", "band"})], 0};
        }
        const Fields fields = reader_.mapping(node, "tolerance", {"percent", "absolute"});
        if (fields.entries.size() != 1) {
            diagnostics_.error(node.Mark(), "tolerance has to have one of percent and absolute");
            return {};
        }
        const bool percent = fields.entries[0].key == "percent";
        return {percent ? Tolerance::Kind::percent : Tolerance::Kind::absolute,
                reader_.number(fields.entries[0].value, fields.entries[0].key, 1e-6, kMostValue).value_or(1)};
    }

    void read_point(const YAML::Node& node, const KindName& kind, const Tolerance& tolerance, Case& one) {
        const Fields fields = reader_.mapping(
            node, "a point", {"size", "generation", "width", "of", "published", "tolerance", "misfit"});
        Published point;
        point.tolerance = tolerance;
        if (const auto* value = fields.find("size")) point.size = reader_.size(*value, "size").value_or(0);
        if (const auto* value = fields.find("generation"))
            point.generation = reader_.integer(*value, "generation", 1, 6).value_or(0);
        if (const auto* value = fields.find("width")) point.lanes = read_width(*value);
        if (const auto* value = fields.find("tolerance")) point.tolerance = read_tolerance(*value);
        if (const auto* value = fields.find("misfit"))
            point.misfit = reader_.string(*value, "misfit").value_or("");
        if (!kind.of.empty()) {
            const auto* value = fields.find("of");
            if (value == nullptr)
                diagnostics_.error(node.Mark(),
                                   fmt::format("a point of kind {} lacks 'of'; expected one of {}", kind.name,
                                               fmt::join(kind.of, ", ")));
            else
                point.of = kind.of[choice(*value, "of", kind.of)];
        }
        const bool sized = one.kind == Kind::run || one.kind == Kind::formula || one.kind == Kind::infiniband;
        if (sized && point.size == 0)
            diagnostics_.error(node.Mark(),
                               fmt::format("a point of kind {} lacks 'size', in bytes", kind.name));
        if (one.kind == Kind::line_rate && (point.generation == 0 || point.lanes == 0))
            diagnostics_.error(node.Mark(), "a line rate's point has a generation and a width");
        read_published(node, fields, point);
        one.points.push_back(std::move(point));
    }

    void read_published(const YAML::Node& where, const Fields& fields, Published& point) {
        const auto* node = fields.find("published");
        if (node == nullptr) {
            diagnostics_.error(where.Mark(), "a point lacks 'published'");
            return;
        }
        if (point.tolerance.kind != Tolerance::Kind::band) {
            point.value = point.most = reader_.number(*node, "published", 0, kMostValue).value_or(0);
            point.text = node->IsScalar() ? node->Scalar() : "";
            return;
        }
        const std::vector<YAML::Node> ends = reader_.sequence(*node, "published, of a band,", 2, 2);
        if (ends.size() != 2) return;
        point.value = reader_.number(ends[0], "published", 0, kMostValue).value_or(0);
        point.most = reader_.number(ends[1], "published", point.value, kMostValue).value_or(0);
        point.text = ends[0].Scalar() + "-" + ends[1].Scalar();
    }

    Calibration& result_;
    Diagnostics& diagnostics_;
    Reader reader_;
};

}  // namespace

Result<Calibration> parse_calibration(const std::string& text, const std::string& path) {
    const auto document = topology::parse_yaml(text, path);
    if (!document) return tl::unexpected(document.error());
    Diagnostics diagnostics(path);
    Calibration result;
    CalibrationReader(result, diagnostics).read(*document);
    if (!diagnostics.ok()) return diagnostics.failure();
    return result;
}

Result<Calibration> load_calibration(const std::string& path) {
    const auto text = topology::read_source(
        path, "a file of published cases, such as the calibration.yaml that ntb-sim comes with");
    if (!text) return tl::unexpected(text.error());
    return parse_calibration(*text, path);
}

}  // namespace ntblab::sim
