// SPDX-License-Identifier: MIT
#include "pcie/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/named_file.h>
#include <topology/reader.h>
#include <topology/topology.h>

#include <filesystem>
#include <limits>

namespace ntblab::pcie {
namespace {

using topology::Diagnostics;
using topology::Field;
using topology::Reader;

constexpr unsigned kMostPorts = 48;
constexpr unsigned kMostWeight = 255;

std::vector<std::string> parameter_names() {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters()) names.emplace_back(parameter.name);
    return names;
}

bool is_status(const std::string& text) {
    return text == "published" || text == "fitted" || text == "assumed";
}

/// One file, over what its base has.
class ProfileReader {
  public:
    /// @param chain Paths of the files that have led here, and of this one, which is last.
    ProfileReader(Profile& profile, Diagnostics& diagnostics, std::string directory,
                  std::vector<std::string> chain)
        : profile_(profile),
          diagnostics_(diagnostics),
          reader_(diagnostics),
          directory_(std::move(directory)),
          chain_(std::move(chain)) {}

    void read(const YAML::Node& document) {
        const auto fields = reader_.mapping(document, "a profile",
                                            {"description", "base", "fabric", "port-weights", "parameters"});
        if (const auto* base = fields.find("base")) read_base(*base);
        if (const auto* description = fields.find("description"))
            profile_.description = reader_.string(*description, "description").value_or("");
        if (const auto* fabric = fields.find("fabric")) read_fabric(*fabric);
        if (const auto* weights = fields.find("port-weights")) read_weights(*weights);
        if (const auto* values = fields.find("parameters"))
            for (const Field& field : reader_.mapping(*values, "parameters", parameter_names()).entries)
                read_parameter(field);
    }

    /// Where this file gives one of the parameters; if it gives none, where it has its base.
    YAML::Mark place_of(const Conflict& conflict) const {
        for (const std::string_view name : conflict.parameters)
            if (const auto found = places_.find(name); found != places_.end()) return found->second;
        return base_;
    }

  private:
    void read_base(const YAML::Node& node) {
        const auto name = reader_.string(node, "base");
        if (!name) return;
        base_ = node.Mark();
        const std::string path = (std::filesystem::path(directory_) / (*name + ".yaml")).string();
        if (std::ranges::find(chain_, path) != chain_.end()) {
            diagnostics_.error(
                node.Mark(), fmt::format("base '{}' leads back to itself: {} -> {}; expected a profile that "
                                         "is not based on this one",
                                         *name, fmt::join(chain_, " -> "), path));
            return;
        }
        const auto text = topology::read_source(path, "a profile");
        const Result<YAML::Node> document =
            text ? topology::parse_yaml(*text, path) : Result<YAML::Node>(tl::unexpected(text.error()));
        if (!document) {
            diagnostics_.error(node.Mark(), fmt::format("base '{}': {}", *name, document.error().message));
            return;
        }
        Diagnostics own(path);
        std::vector<std::string> chain = chain_;
        chain.push_back(path);
        ProfileReader(profile_, own, directory_, std::move(chain)).read(*document);
        if (!own.ok())
            diagnostics_.error(node.Mark(), fmt::format("base '{}' is not right:\n{}", *name,
                                                        own.failure().value().message));
    }

    void read_fabric(const YAML::Node& node) {
        const auto text = reader_.string(node, "fabric");
        if (!text) return;
        if (*text != "switched" && *text != "adapters")
            diagnostics_.error(node.Mark(),
                               fmt::format("fabric is '{}'; expected switched (a switch with the NTBs in it) "
                                           "or adapters (one at each host, joined by a cable)",
                                           *text));
        profile_.fabric = *text == "adapters" ? Profile::Fabric::adapters : Profile::Fabric::switched;
    }

    void read_weights(const YAML::Node& node) {
        profile_.port_weights.clear();
        for (const YAML::Node& item : reader_.sequence(node, "port-weights", 1, kMostPorts))
            if (const auto weight = reader_.integer(item, "a port's weight", 1, kMostWeight))
                profile_.port_weights.push_back(*weight);
    }

    void read_parameter(const Field& field) {
        const Parameter* parameter = find_parameter(field.key);
        const std::string what = "parameter " + field.key;
        const auto parts = reader_.mapping(field.value, what, {"value", "status", "source"});
        if (!field.value.IsMap()) return;
        const auto* value = parts.find("value");
        const auto* status = parts.find("status");
        const auto* source = parts.find("source");
        if (value == nullptr || status == nullptr || source == nullptr) {
            diagnostics_.error(field.where, fmt::format("{} lacks one of value, status and source; expected "
                                                        "{{value: 100, status: assumed, source: why}}",
                                                        what));
            return;
        }
        places_.emplace(field.key, value->Mark());
        if (const auto number = read_value(*value, *parameter, what)) parameter->set(profile_, *number);
        const std::string state = reader_.string(*status, "status of " + what).value_or("assumed");
        if (!is_status(state))
            diagnostics_.error(
                status->Mark(),
                fmt::format("status of {} is '{}'; expected published, fitted or assumed", what, state));
        profile_.sources[field.key] = {state, reader_.string(*source, "source of " + what).value_or("")};
    }

    std::optional<double> read_value(const YAML::Node& node, const Parameter& parameter,
                                     const std::string& what) {
        if (parameter.may_be_infinite && node.IsScalar() && node.Scalar() == "infinite")
            return std::numeric_limits<double>::infinity();
        const std::string unit = parameter.unit.empty() ? "" : fmt::format(" ({})", parameter.unit);
        const auto number = reader_.number(node, what + unit, parameter.least, parameter.most);
        if (!number) return std::nullopt;
        if (const std::string why = refusal(parameter, *number); !why.empty()) {
            diagnostics_.error(node.Mark(), fmt::format("{}{} is {}; {}", what, unit, node.Scalar(), why));
            return std::nullopt;
        }
        return number;
    }

    Profile& profile_;
    Diagnostics& diagnostics_;
    Reader reader_;
    std::string directory_;
    std::vector<std::string> chain_;
    std::map<std::string, YAML::Mark, std::less<>> places_;  ///< Of values, by their parameters' names.
    YAML::Mark base_;
};

}  // namespace

Result<Profile> parse_profile(const std::string& text, const std::string& path,
                              const std::string& directory) {
    const auto document = topology::parse_yaml(text, path);
    if (!document) return tl::unexpected(document.error());
    Diagnostics diagnostics(path);
    Profile profile;
    profile.name = std::filesystem::path(path).stem().string();
    ProfileReader reader(profile, diagnostics, directory, {path});
    reader.read(*document);
    if (diagnostics.ok())
        for (const Conflict& conflict : conflicts(profile))
            diagnostics.error(reader.place_of(conflict), conflict.message);
    if (!diagnostics.ok()) return diagnostics.failure();
    return profile;
}

Result<Profile> load_profile(const std::string& name, const std::string& directory) {
    const auto path = topology::find_named("profile", name, directory);
    if (!path) return tl::unexpected(path.error());
    const auto text = topology::read_source(path->string(), "a profile");
    if (!text) return tl::unexpected(text.error());
    return parse_profile(*text, path->string(),
                         topology::is_path(name) ? path->parent_path().string() : directory);
}

}  // namespace ntblab::pcie
