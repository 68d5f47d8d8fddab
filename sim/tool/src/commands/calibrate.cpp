// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/topology.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "calibration/curves.h"
#include "calibration/fit.h"
#include "calibration/profile_edit.h"
#include "calibration/report.h"
#include "commands.h"
#include "data_files.h"
#include "files.h"
#include "outputs.h"
#include "progress.h"

namespace ntblab::sim {
namespace {

struct Options {
    bool check = false, write = false;
    std::string profile;
    std::string cases;
    std::string profiles;
    std::string plot;
    Format format = Format::text;
    Outputs outputs;
};

struct Fitted {
    std::string profile;
    const std::vector<FreeParameter>* free;
    std::vector<double> before;
    Fit fit;
};

using Profiles = std::map<std::string, pcie::Profile>;

/// Those that are fitted, and those that cases are about.
Result<Profiles> load_profiles(const Calibration& calibration, const std::string& folder) {
    std::set<std::string> names;
    for (const Case& one : calibration.cases)
        if (!one.profile.empty()) names.insert(one.profile);
    for (const auto& [name, free] : calibration.fits) names.insert(name);
    Profiles profiles;
    for (const std::string& name : names) {
        auto profile = pcie::load_profile(name, folder);
        if (!profile) return tl::unexpected(profile.error());
        profiles.emplace(name, std::move(*profile));
    }
    return profiles;
}

std::vector<Fitted> fit_all(const Calibration& calibration, Profiles& profiles, const std::string& only,
                            Progress& bar) {
    std::vector<Fitted> all;
    for (const auto& [name, free] : calibration.fits) {
        if (!only.empty() && name != only) continue;
        std::vector<const Case*> cases;
        for (const Case& one : calibration.cases)
            if (one.profile == name) cases.push_back(&one);
        pcie::Profile& profile = profiles.at(name);
        Fitted fitted{name, &free, {}, {}};
        for (const FreeParameter& one : free)
            fitted.before.push_back(pcie::find_parameter(one.name)->get(profile));
        const std::string label = "fit of " + name;
        const double most = most_evaluations(free.size());
        fitted.fit = fit_profile(profile, free, cases,
                                 [&](unsigned evaluations) { bar.show(evaluations / most, label); });
        profile = fitted.fit.profile;
        all.push_back(std::move(fitted));
    }
    return all;
}

std::vector<NewValue> new_values(const Fitted& fitted) {
    std::vector<NewValue> values;
    for (std::size_t i = 0; i < fitted.free->size(); ++i) {
        const FreeParameter& free = (*fitted.free)[i];
        values.push_back({free.name, fitted.fit.values[i], "fitted", free.source});
    }
    return values;
}

Result<void> write_profile(const Fitted& fitted, const std::string& folder) {
    const std::string path = folder + "/" + fitted.profile + ".yaml";
    const auto text = topology::read_source(path, "a profile");
    if (!text) return tl::unexpected(text.error());
    const auto changed = with_parameters(*text, path, new_values(fitted));
    if (!changed) return tl::unexpected(changed.error());
    if (const auto written = write_file(path, *changed); !written)
        return fail(fmt::format("{}; copy the profiles' folder, and name the copy by --profiles",
                                written.error().message));
    return {};
}

void print_fit(const Fitted& fitted) {
    fmt::print("{}: sum of squares {:.4g}, {:.4g} before; {} evaluations\n", fitted.profile, fitted.fit.after,
               fitted.fit.before, fitted.fit.evaluations);
    const std::vector<NewValue> values = new_values(fitted);
    for (std::size_t i = 0; i < values.size(); ++i)
        fmt::print("{}   # {:.10g} before\n", parameter_line(values[i]), fitted.before[i]);
    fmt::print("\n");
}

nlohmann::ordered_json fits_as_json(const std::vector<Fitted>& all) {
    nlohmann::ordered_json result;
    for (const Fitted& one : all) {
        auto& profile = result[one.profile] = {
            {"before", one.fit.before}, {"after", one.fit.after}, {"evaluations", one.fit.evaluations}};
        for (std::size_t i = 0; i < one.free->size(); ++i)
            profile["parameters"][(*one.free)[i].name] = {{"before", one.before[i]},
                                                          {"fitted", one.fit.values[i]}};
    }
    return result;
}

void print(const std::vector<Row>& rows, const std::vector<Fitted>& fitted, Format format) {
    if (format == Format::json) {
        nlohmann::ordered_json all = rows_as_json(rows);
        if (!fitted.empty()) all["fits"] = fits_as_json(fitted);
        fmt::print("{}\n", all.dump(2));
        return;
    }
    if (format == Format::text)
        for (const Fitted& one : fitted) print_fit(one);
    fmt::print("{}", report(rows, format));
}

Result<void> draw(const std::vector<CurvePicture>& pictures, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return fail(fmt::format("{} cannot be made: {}", folder, error.message()));
    for (const CurvePicture& picture : pictures)
        if (auto drawn = plot({picture.panel}, std::filesystem::path(folder) / (picture.name + ".svg"));
            !drawn)
            return drawn;
    return {};
}

int calibrate(const Options& options) {
    const std::string folder = options.profiles.empty() ? data_folder("profiles").string() : options.profiles;
    const auto calibration =
        load_calibration(options.cases.empty() ? data_folder("calibration.yaml").string() : options.cases);
    if (!calibration) return complain(calibration.error().message, kUsage);
    auto profiles = load_profiles(*calibration, folder);
    if (!profiles) return complain(profiles.error().message, kUsage);
    if (!options.profile.empty() && !profiles->contains(options.profile))
        return complain(fmt::format("no case is about the profile '{}'; there are some about {}",
                                    options.profile, fmt::join(std::views::keys(*profiles), ", ")),
                        kUsage);
    Progress bar("calibrate");
    std::vector<Fitted> fitted;
    if (!options.check) fitted = fit_all(*calibration, *profiles, options.profile, bar);
    const std::vector<Row> rows = check(*calibration, *profiles, options.profile,
                                        [&](double done, const std::string& what) { bar.show(done, what); });
    bar.clear();
    print(rows, fitted, options.format);
    if (!options.plot.empty())
        if (const auto drawn = draw(curves(*calibration, *profiles, options.profile), options.plot); !drawn)
            return complain(drawn.error().message, kFailure);
    if (options.write)
        for (const Fitted& one : fitted)
            if (const auto written = write_profile(one, folder); !written)
                return complain(written.error().message, kFailure);
    return options.check && !passes(rows) ? kFailure : kOk;
}

}  // namespace

void add_calibrate(CLI::App& app, CommandLine& line) {
    auto* command = app.add_subcommand(
        "calibrate",
        "Fit profiles to published measurements, and print case, published, model, error, within");
    const auto options = std::make_shared<Options>();
    auto* check_only =
        command->add_flag("--check", options->check,
                          "Fit nothing; exit with 1 if a case is out of its tolerance and is no "
                          "declared misfit");
    command->add_flag("--write", options->write, "Write what was fitted into the profiles")
        ->excludes(check_only);
    command->add_option("--profile", options->profile, "Only this one, and the cases about it");
    command->add_option("--cases", options->cases,
                        "File of cases, instead of the one that ntb-sim comes with");
    command->add_option("--profiles", options->profiles, "Folder of profiles, likewise")
        ->check(CLI::ExistingDirectory);
    options->outputs.add(*command, "--plot", OutputKind::folder,
                         "Folder for pictures: measured points beside the model's curves",
                         [options](const std::string& path) { options->plot = path; });
    const std::map<std::string, Format> formats = {
        {"text", Format::text}, {"markdown", Format::markdown}, {"json", Format::json}};
    command->add_option("--format", options->format, "text, markdown or json")
        ->transform(CLI::CheckedTransformer(formats));
    command->callback([&line, options] { line.run = [options] { return calibrate(*options); }; });
}

}  // namespace ntblab::sim
