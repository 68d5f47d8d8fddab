// SPDX-License-Identifier: MIT
#include "doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "exit_code.h"

namespace ntblab::lab {
namespace {

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::good:
            return "ok";
        case Verdict::warning:
            return "warning";
        case Verdict::bad:
            return "bad";
    }
    return "";
}

int doctor(bool json) {
    const auto findings = examine();
    if (json) {
        auto report = nlohmann::ordered_json::array();
        for (const Finding& finding : findings)
            report.push_back({{"what", finding.what},
                              {"verdict", name_of(finding.verdict)},
                              {"detail", finding.detail},
                              {"advice", finding.advice}});
        fmt::print("{}\n", report.dump(2));
    } else {
        for (const Finding& finding : findings) {
            fmt::print("{:<8} {}: {}\n", name_of(finding.verdict), finding.what, finding.detail);
            if (!finding.advice.empty()) fmt::print("{:<8} -> {}\n", "", finding.advice);
        }
    }
    const bool bad = std::any_of(findings.begin(), findings.end(),
                                 [](const Finding& f) { return f.verdict == Verdict::bad; });
    return bad ? kFailure : kOk;
}

}  // namespace

void add_doctor(CLI::App& app, CommandLine& line) {
    static bool json = false;
    CLI::App* command =
        app.add_subcommand("doctor", "Check what this machine has and lacks for running clusters");
    command->add_flag("--json", json, "For machines");
    command->callback([&line] { line.run = [] { return doctor(json); }; });
}

}  // namespace ntblab::lab
