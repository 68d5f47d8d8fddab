// SPDX-License-Identifier: MIT
#include "outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "gnuplot.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

/// Why an output of this kind cannot have this name; "" if it can.
std::string refusal(OutputKind kind, const std::string& name) {
    const char* what = kind == OutputKind::folder ? "folder" : "file";
    if (name.empty()) return fmt::format("the name is empty; expected that of a {}", what);
    if (name == "-" && kind != OutputKind::text)
        return fmt::format("it cannot be standard output; expected the name of a {}", what);
    return kind == OutputKind::picture ? no_picture(name) : "";
}

/// Devices and pipes may be written to more than once.
bool same_file(const fs::path& one, const fs::path& other) {
    std::error_code none;
    if (one == "-" || other == "-") return one == other;
    const auto status = fs::status(one, none);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return false;
    if (fs::equivalent(one, other, none)) return true;
    return fs::weakly_canonical(fs::absolute(one), none) == fs::weakly_canonical(fs::absolute(other), none);
}

}  // namespace

CLI::Option* Outputs::add(CLI::App& command, const std::string& option, OutputKind kind,
                          const std::string& meaning, std::function<void(const std::string&)> set) {
    return command
        .add_option_function<std::string>(
            option,
            [this, option, set = std::move(set)](const std::string& name) {
                given_.push_back({option, name});
                set(name);
            },
            meaning)
        ->type_name(kind == OutputKind::folder ? "FOLDER" : "FILE")
        ->check(CLI::Validator([kind](const std::string& name) { return refusal(kind, name); }, ""));
}

Result<void> Outputs::check(const std::vector<fs::path>& inputs) const {
    for (auto one = given_.begin(); one != given_.end(); ++one) {
        for (const fs::path& input : inputs)
            if (!input.empty() && same_file(one->path, input))
                return fail(fmt::format("{} would be written over {}, which is read; give another name",
                                        one->option, input.string()));
        const auto same = std::find_if(std::next(one), given_.end(),
                                       [&](const Given& other) { return same_file(one->path, other.path); });
        if (same != given_.end())
            return fail(fmt::format("{} and {} are both {}; give each its own", one->option, same->option,
                                    one->path == "-" ? "standard output" : one->path));
    }
    return {};
}

bool Outputs::to_standard_output() const {
    return std::ranges::any_of(given_, [](const Given& given) { return given.path == "-"; });
}

}  // namespace ntblab::sim
