// SPDX-License-Identifier: MIT
// A sweep's file: what its runs are, and whether they can be.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/named_file.h>
#include <topology/reader.h>

#include <algorithm>
#include <boost/crc.hpp>

#include "data_files.h"
#include "files.h"
#include "sweep.h"
#include "together.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;
using topology::Diagnostics;
using topology::Reader;

constexpr std::size_t kMostTasks = 1'000'000;
constexpr std::size_t kMostItems = 10'000;

/// "switchtec-gen4x16" is a name; what has a slash or an ending is a path.
std::string relative_to(const fs::path& folder, const std::string& name) {
    return topology::is_path(name) ? (folder / name).string() : name;
}

std::uint32_t checksum(const std::string& text) {
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    return crc.checksum();
}

/// What a list names, and where.
template <typename T>
struct Named {
    std::string name;
    YAML::Mark where;
    const T* what;
};

struct Varied {
    std::string parameter;
    YAML::Mark where;
    std::vector<std::string> settings;  ///< "parameter=value"
};

class SweepReader {
  public:
    SweepReader(Diagnostics& diagnostics, fs::path folder, JobFiles& files)
        : diagnostics_(diagnostics), reader_(diagnostics), folder_(std::move(folder)), files_(files) {}

    void read(const YAML::Node& document) {
        fields_ = reader_.mapping(document, "a sweep",
                                  {"description", "topologies", "workloads", "profiles", "vary", "seeds",
                                   "sizes", "transfers", "warm-up", "in-flight", "check"});
        read_overrides();
        names(document, "topologies", "", topologies_, &JobFiles::topology);
        names(document, "workloads", common_.workload, workloads_, &JobFiles::workload);
        names(document, "profiles", common_.profile, profiles_, &JobFiles::profile);
        if (const auto* node = fields_.find("vary")) read_vary(*node);
        if (const auto* node = fields_.find("seeds")) {
            seeds_.clear();
            for (const YAML::Node& item : reader_.sequence(*node, "seeds", 1, kMostItems))
                seeds_.push_back(reader_.integer(item, "a seed", 0, 4'000'000'000U).value_or(0));
            count(node->Mark(), seeds_.size());
        }
        if (fields_.find("topologies") == nullptr)
            diagnostics_.error(document.Mark(), "a sweep has topologies, a list of paths");
    }

    /// That each combination can be, once nothing is wrong with its parts. An error ends it.
    void check() {
        for (auto& workload : workloads_) {
            Workload& own = overridden_.emplace_back(*workload.what);
            if (const auto done = override_workload(own, common_); !done)
                return diagnostics_.error(workload.where, done.error().message);
        }
        combine_settings();
        for (const auto& topology : topologies_) check_flows(topology);
        for (const auto& profile : profiles_) check_profile(profile);
        for (const Varied& varied : varied_) check_effect(varied);
    }

    /// Errors: more tasks than a sweep may have; a file that has gone.
    Result<void> make(Sweep& sweep) const {
        std::size_t tasks = 0;
        for (const Workload& workload : overridden_) tasks += sizes_of(workload).size();
        tasks *= topologies_.size() * profiles_.size() * settings_.size() * seeds_.size();
        if (tasks > kMostTasks)
            return fail(fmt::format("{} tasks, more than {}; make it several sweeps", tasks, kMostTasks));
        for (const auto& topology : topologies_)
            for (std::size_t w = 0; w < workloads_.size(); ++w)
                for (const auto& profile : profiles_) {
                    add_notes(*topology.what, overridden_[w], *profile.what, sweep.notes);
                    JobRequest run = common_;
                    run.topology = topology.name;
                    run.workload = workloads_[w].name;
                    run.profile = profile.name;
                    add_runs(std::move(run), overridden_[w], sweep);
                }
        return describe(sweep.text);
    }

  private:
    void read_overrides() {
        const auto number = [&](const char* key, std::optional<unsigned>& value, unsigned least) {
            if (const auto* node = fields_.find(key)) value = reader_.integer(*node, key, least, 1'000'000);
        };
        number("transfers", common_.transfers, 1);
        number("warm-up", common_.warm_up, 0);
        number("in-flight", common_.in_flight, 1);
        if (const auto* node = fields_.find("sizes"); node != nullptr && read_sizes(reader_, *node))
            common_.sizes = node->Scalar();
        if (const auto* node = fields_.find("check"))
            common_.check = reader_.boolean(*node, "check").value_or(false);
        common_.each_counts = false;
    }

    /// So many times as many runs.
    void count(const YAML::Mark& where, std::size_t times) {
        runs_ *= std::max<std::size_t>(times, 1);
        if (runs_ <= kMostTasks) return;
        diagnostics_.error(where,
                           fmt::format("more than {} runs with this; make it several sweeps", kMostTasks));
        runs_ = 1;
    }

    /// @param otherwise The only one, if there is no list of them; "": there has to be.
    template <typename T>
    void names(const YAML::Node& document, const char* key, const std::string& otherwise,
               std::vector<Named<T>>& all, Result<const T*> (JobFiles::*load)(const std::string&)) {
        const auto add = [&](const std::string& name, const YAML::Mark& where) {
            if (const auto loaded = (files_.*load)(name))
                all.push_back({name, where, *loaded});
            else
                diagnostics_.error(where, loaded.error().message);
        };
        if (const auto* node = fields_.find(key)) {
            for (const YAML::Node& item : reader_.sequence(*node, key, 1, kMostItems))
                if (const auto name = reader_.string(item, key))
                    add(relative_to(folder_, *name), item.Mark());
            count(node->Mark(), all.size());
        } else if (!otherwise.empty()) {
            add(otherwise, document.Mark());
        }
    }

    void read_vary(const YAML::Node& node) {
        std::vector<std::string> known;
        for (const auto& parameter : pcie::parameters()) known.emplace_back(parameter.name);
        for (const auto& field : reader_.mapping(node, "vary", known).entries) {
            const pcie::Parameter& parameter = *pcie::find_parameter(field.key);
            Varied varied{field.key, field.where, {}};
            for (const YAML::Node& item : reader_.sequence(field.value, field.key, 1, kMostItems))
                if (const auto value = reader_.number(item, field.key, parameter.least, parameter.most)) {
                    varied.settings.push_back(fmt::format("{}={}", field.key, *value));
                    if (const std::string why = pcie::refusal(parameter, *value); !why.empty())
                        diagnostics_.error(item.Mark(), fmt::format("{} is {}: {}", field.key, *value, why));
                }
            count(field.where, varied.settings.size());
            varied_.push_back(std::move(varied));
        }
    }

    void combine_settings() {
        for (const Varied& varied : varied_) {
            std::vector<std::vector<std::string>> all;
            for (const auto& before : settings_)
                for (const std::string& setting : varied.settings) {
                    all.push_back(before);
                    all.back().push_back(setting);
                }
            settings_ = std::move(all);
        }
    }

    void check_flows(const Named<topology::Topology>& topology) {
        for (std::size_t w = 0; w < workloads_.size(); ++w) {
            if (overridden_[w].operation == Operation::trace) continue;
            if (const auto flows = flows_of(overridden_[w], *topology.what, seeds_.front()); !flows)
                diagnostics_.error(workloads_[w].where,
                                   fmt::format("with topology {}: {}", topology.name, flows.error().message));
        }
    }

    void check_profile(const Named<pcie::Profile>& profile) {
        for (const auto& topology : topologies_)
            if (const auto made = files_.try_out(topology.name, profile.name); !made)
                return diagnostics_.error(profile.where, made.error().message);
        pcie::Profile own = *profile.what;
        own.sources.clear();
        for (const auto& settings : settings_) {
            pcie::Profile with = own;
            for (const std::string& setting : settings)
                if (const auto set = set_parameter(with, setting); !set)
                    return diagnostics_.error(varied_.front().where, set.error().message);
            for (std::size_t w = 0; w < workloads_.size(); ++w)
                if (const auto fits = fits_together(with, overridden_[w]); !fits)
                    return diagnostics_.error(
                        settings.empty() ? workloads_[w].where : varied_.back().where,
                        settings.empty()
                            ? fits.error().message
                            : fmt::format("with {}: {}", fmt::join(settings, ", "), fits.error().message));
        }
    }

    Result<void> fits_together(const pcie::Profile& profile, const Workload& workload) {
        if (auto fits = check_together(profile, workload); !fits) return fits;
        if (workload.operation != Operation::trace) return {};
        for (const auto& topology : topologies_)
            if (const auto requests = files_.trace(workload.trace, topology.name, profile); !requests)
                return tl::unexpected(requests.error());
        return {};
    }

    /// In some of the runs.
    void check_effect(const Varied& varied) {
        std::string why;
        for (const auto& topology : topologies_)
            for (const Workload& workload : overridden_)
                for (const auto& profile : profiles_) {
                    why = no_effect(varied.parameter, *profile.what, *topology.what, workload);
                    if (why.empty()) return;
                }
        diagnostics_.error(varied.where, fmt::format("{} makes no difference to any of the runs: {}",
                                                     varied.parameter, why));
    }

    void add_notes(const topology::Topology& topology, const Workload& workload, const pcie::Profile& profile,
                   std::vector<std::string>& all) const {
        if (workload.operation == Operation::trace) return;
        const auto flows = flows_of(workload, topology, seeds_.front());
        for (std::string& note : notes(profile, topology, workload, *flows))
            if (std::ranges::find(all, note) == all.end()) all.push_back(std::move(note));
    }

    void add_runs(JobRequest run, const Workload& workload, Sweep& sweep) const {
        const std::vector<std::uint64_t> sizes = sizes_of(workload);
        for (const auto& settings : settings_)
            for (const unsigned seed : seeds_) {
                run.set = settings;
                run.seed = seed;
                for (const std::uint64_t size : sizes) sweep.tasks.push_back({sweep.runs.size(), size});
                sweep.runs.push_back(run);
            }
    }

    /// What files say counts, not where they are: results come together from many machines.
    Result<void> describe(std::string& text) const {
        std::vector<fs::path> sources;
        for (const auto& topology : topologies_) sources.emplace_back(topology.name);
        for (const auto& workload : workloads_) {
            sources.push_back(topology::named_path(workload.name, data_folder("workloads")));
            if (!workload.what->trace.empty()) sources.push_back(workload.what->trace);
        }
        for (const fs::path& source : sources) {
            const auto said = read_file(source);
            if (!said) return tl::unexpected(said.error());
            text += fmt::format("\n{:08x}", checksum(*said));
        }
        for (const auto& profile : profiles_) {
            text += fmt::format("\n{} {}", static_cast<unsigned>(profile.what->fabric),
                                fmt::join(profile.what->port_weights, ","));
            for (const auto& parameter : pcie::parameters())
                text += fmt::format(" {}", parameter.get(*profile.what));
        }
        return {};
    }

    Diagnostics& diagnostics_;
    Reader reader_;
    fs::path folder_;
    JobFiles& files_;
    topology::Fields fields_;
    JobRequest common_;  ///< What all runs have.
    std::vector<Named<topology::Topology>> topologies_;
    std::vector<Named<Workload>> workloads_;
    std::vector<Workload> overridden_;  ///< As runs have them.
    std::vector<Named<pcie::Profile>> profiles_;
    std::vector<Varied> varied_;
    std::vector<std::vector<std::string>> settings_{{}};  ///< All combinations of what varies.
    std::vector<unsigned> seeds_{1};
    std::size_t runs_ = 1;
};

}  // namespace

Result<Sweep> load_sweep(const fs::path& path) {
    const auto text = topology::read_source(path.string(), "a sweep");
    if (!text) return tl::unexpected(text.error());
    const auto document = topology::parse_yaml(*text, path.string());
    if (!document) return tl::unexpected(document.error());
    Sweep sweep;
    sweep.text = *text;
    sweep.files = std::make_shared<JobFiles>();
    Diagnostics diagnostics(path.string());
    SweepReader reader(diagnostics, path.parent_path(), *sweep.files);
    reader.read(*document);
    if (diagnostics.ok()) reader.check();
    if (!diagnostics.ok()) return diagnostics.failure();
    if (const auto made = reader.make(sweep); !made)
        return fail(fmt::format("{}: {}", path.string(), made.error().message));
    return sweep;
}

}  // namespace ntblab::sim
