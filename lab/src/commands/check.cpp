// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "commands.h"
#include "exit_code.h"
#include "topology/topology.h"

namespace ntblab::lab {
namespace {

int check(const std::vector<std::string>& files, bool strict) {
    int code = kOk;
    for (const std::string& file : files) {
        const auto topology = topology::load(file);
        if (!topology) {
            fmt::print(stderr, "{}\n", topology.error().message);
            code = kFailure;
            continue;
        }
        for (const std::string& warning : topology->warnings) fmt::print(stderr, "warning: {}\n", warning);
        if (strict && !topology->warnings.empty())
            code = kFailure;
        else
            fmt::print("ok {}\n", file);
    }
    return code;
}

}  // namespace

void add_check(CLI::App& app, CommandLine& line) {
    static std::vector<std::string> files;
    static bool strict = false;
    CLI::App* command = app.add_subcommand("check", "Say what is wrong with topology files; start nothing");
    command->add_option("FILE", files, "Topology files (docs/topology.md)")->required();
    command->add_flag("--strict", strict, "Take warnings for errors");
    command->callback([&line] { line.run = [] { return check(files, strict); }; });
}

}  // namespace ntblab::lab
