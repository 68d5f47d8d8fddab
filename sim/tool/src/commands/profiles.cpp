// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <topology/named_file.h>

#include <memory>

#include "commands.h"
#include "data_files.h"
#include "pcie/profile.h"

namespace ntblab::sim {
namespace {

int list_profiles(const std::string& folder) {
    for (const std::string& name : topology::names_in(folder)) {
        const auto profile = pcie::load_profile(name, folder);
        if (!profile) return complain(profile.error().message, kUsage);
        fmt::print("{:<28} {}\n", name, profile->description);
    }
    return kOk;
}

int show_profile(const std::string& name, const std::string& folder) {
    const auto profile = pcie::load_profile(name, folder);
    if (!profile) return complain(profile.error().message, kUsage);
    fmt::print("{}: {}\n\n", profile->name, profile->description);
    for (const pcie::Parameter& parameter : pcie::parameters()) {
        const auto source = profile->sources.find(std::string(parameter.name));
        fmt::print("{:<28} {:>10.10g} {:<6} {:<10} {}\n", parameter.name, parameter.get(*profile),
                   parameter.unit, source == profile->sources.end() ? "" : source->second.status,
                   parameter.meaning);
    }
    return kOk;
}

}  // namespace

void add_profiles(CLI::App& app, CommandLine& line) {
    auto* command = app.add_subcommand("profiles", "List the hardware profiles, or the parameters of one");
    const auto name = std::make_shared<std::string>();
    command->add_option("PROFILE", *name, "Name of one that is shipped, or the path of a file");
    command->callback([&line, name] {
        line.run = [name] {
            const std::string folder = data_folder("profiles").string();
            return name->empty() ? list_profiles(folder) : show_profile(*name, folder);
        };
    });
}

}  // namespace ntblab::sim
