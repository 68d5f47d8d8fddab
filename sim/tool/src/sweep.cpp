// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/reader.h>

#include <boost/crc.hpp>
#include <iterator>
#include <system_error>

#include "data_files.h"
#include "files.h"
#include "results.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using topology::Diagnostics;
using topology::Reader;

constexpr std::size_t kMostTasks = 1'000'000;
constexpr std::size_t kMostItems = 10'000;
constexpr const char* kListFile = "sweep.json";

/// "switchtec-gen4x16" is a name; what has a slash or an ending is a path.
std::string relative_to(const fs::path& folder, const std::string& name) {
    return is_path(name) ? (folder / name).string() : name;
}

class SweepReader {
  public:
    SweepReader(Diagnostics& diagnostics, fs::path folder)
        : reader_(diagnostics), folder_(std::move(folder)) {}

    std::vector<JobRequest> read(const YAML::Node& document) {
        fields_ = reader_.mapping(document, "a sweep",
                                  {"description", "topologies", "workloads", "profiles", "vary", "seeds",
                                   "sizes", "transfers", "warm-up", "in-flight", "check"});
        JobRequest first;
        const auto count = [&](const char* key, std::optional<unsigned>& value, unsigned least) {
            if (const auto* node = fields_.find(key)) value = reader_.integer(*node, key, least, 1'000'000);
        };
        count("transfers", first.transfers, 1);
        count("warm-up", first.warm_up, 0);
        count("in-flight", first.in_flight, 1);
        if (const auto* node = fields_.find("sizes"); node != nullptr && read_sizes(reader_, *node))
            first.sizes = node->Scalar();
        if (const auto* node = fields_.find("check"))
            first.check = reader_.boolean(*node, "check").value_or(false);
        runs_ = {first};
        names("topologies", true, [](JobRequest& run, const std::string& name) { run.topology = name; });
        names("workloads", true, [](JobRequest& run, const std::string& name) { run.workload = name; });
        names("profiles", false, [](JobRequest& run, const std::string& name) { run.profile = name; });
        if (const auto* node = fields_.find("vary")) read_vary(*node);
        if (const auto* node = fields_.find("seeds")) {
            std::vector<unsigned> seeds;
            for (const YAML::Node& item : reader_.sequence(*node, "seeds", 1, kMostItems))
                seeds.push_back(reader_.integer(item, "a seed", 0, 4'000'000'000U).value_or(0));
            each(node->Mark(), seeds, [](JobRequest& run, unsigned seed) { run.seed = seed; });
        }
        if (fields_.find("topologies") == nullptr)
            reader_.diagnostics().error(document.Mark(), "a sweep has topologies, a list of paths");
        return runs_;
    }

  private:
    /// All runs so far, once for each value.
    template <typename Values, typename Set>
    void each(const YAML::Mark& where, const Values& values, const Set& set) {
        if (runs_.size() * values.size() > kMostTasks) {
            reader_.diagnostics().error(
                where, fmt::format("more than {} runs with this; make it several sweeps", kMostTasks));
            return;
        }
        std::vector<JobRequest> all;
        for (const JobRequest& run : runs_)
            for (const auto& value : values) {
                all.push_back(run);
                set(all.back(), value);
            }
        runs_ = std::move(all);
    }

    template <typename Set>
    void names(const char* key, bool needed, const Set& set) {
        const auto* node = fields_.find(key);
        if (node == nullptr) return;
        std::vector<std::string> values;
        for (const YAML::Node& item : reader_.sequence(*node, key, needed ? 1 : 0, kMostItems))
            if (const auto name = reader_.string(item, key)) values.push_back(relative_to(folder_, *name));
        if (!values.empty()) each(node->Mark(), values, set);
    }

    void read_vary(const YAML::Node& node) {
        std::vector<std::string> known;
        for (const auto& parameter : pcie::parameters()) known.emplace_back(parameter.name);
        for (const auto& field : reader_.mapping(node, "vary", known).entries) {
            const pcie::Parameter& parameter = *pcie::find_parameter(field.key);
            std::vector<double> values;
            for (const YAML::Node& item : reader_.sequence(field.value, field.key, 1, kMostItems))
                if (const auto value = reader_.number(item, field.key, parameter.least, parameter.most)) {
                    values.push_back(*value);
                    if (const std::string why = pcie::refusal(parameter, *value); !why.empty())
                        reader_.diagnostics().error(item.Mark(),
                                                    fmt::format("{} is {}: {}", field.key, *value, why));
                }
            each(field.where, values, [&](JobRequest& run, double value) {
                run.set.push_back(fmt::format("{}={}", field.key, value));
            });
        }
    }

    Reader reader_;
    fs::path folder_;
    topology::Fields fields_;
    std::vector<JobRequest> runs_;
};

std::uint32_t checksum(const std::string& text) {
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    return crc.checksum();
}

fs::path result_path(const fs::path& folder, std::size_t task) {
    return folder / fmt::format("task-{:06}.json", task);
}

Json list_of(const Sweep& sweep) {
    Json tasks = Json::array();
    for (const auto& task : sweep.tasks) tasks.push_back({{"run", task.run}, {"size", task.size}});
    return {{"sweep", sweep.text}, {"tasks", std::move(tasks)}};
}

}  // namespace

Result<Sweep> load_sweep(const fs::path& path) {
    const auto text = topology::read_source(path.string());
    if (!text) return tl::unexpected(text.error());
    Diagnostics diagnostics(path.string());
    Sweep sweep{.runs = {}, .tasks = {}, .text = *text};
    try {
        sweep.runs = SweepReader(diagnostics, path.parent_path()).read(YAML::Load(*text));
    } catch (const YAML::Exception& error) {
        const YAML::Mark mark = error.mark.is_null() ? YAML::Mark{} : error.mark;
        return fail(
            fmt::format("{}:{}:{}: not YAML: {}", path.string(), mark.line + 1, mark.column + 1, error.msg));
    }
    if (!diagnostics.ok()) return diagnostics.failure();
    for (std::size_t run = 0; run < sweep.runs.size(); ++run) {
        const auto job = load_job(sweep.runs[run]);
        if (!job) return fail(fmt::format("{}: run {}: {}", path.string(), run, job.error().message));
        for (const std::uint64_t size : job->sizes()) sweep.tasks.push_back({run, size});
        if (sweep.tasks.size() > kMostTasks)
            return fail(
                fmt::format("{}: more than {} tasks; make it several sweeps", path.string(), kMostTasks));
        // What files say counts, not where they are: results come together from many machines.
        for (const fs::path& source :
             {fs::path(sweep.runs[run].topology),
              workload_path(sweep.runs[run].workload, data_folder("workloads")), job->workload.trace}) {
            if (source.empty()) continue;
            const auto said = read_file(source);
            if (!said) return tl::unexpected(said.error());
            sweep.text += fmt::format("\n{:08x}", checksum(*said));
        }
        sweep.text += "\n" + job->conditions.dump() + fmt::format(" {}", fmt::join(job->sizes(), ","));
        for (const auto& parameter : pcie::parameters())
            sweep.text += fmt::format(" {}", parameter.get(job->hardware.profile));
    }
    return sweep;
}

Result<void> prepare_folder(const Sweep& sweep, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fail(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
    const fs::path list = folder / kListFile;
    const std::string text = list_of(sweep).dump() + "\n";
    if (!fs::exists(list, error)) return write_file(list, text);
    const auto there = read_file(list);
    if (!there) return tl::unexpected(there.error());
    if (*there != text)
        return fail(fmt::format(
            "{} has results of another sweep, or of other files; give another folder, or remove it",
            folder.string()));
    return {};
}

bool is_done(const fs::path& folder, std::size_t task) {
    std::error_code error;
    return fs::exists(result_path(folder, task), error);
}

Result<void> do_task(const Sweep& sweep, std::size_t task, const fs::path& folder) {
    const auto job = load_job(sweep.runs.at(sweep.tasks.at(task).run));
    if (!job) return tl::unexpected(job.error());
    const Outcome outcome = run_point(*job, sweep.tasks[task].size, {});
    const Json result = {{"run", sweep.tasks[task].run},
                         {"conditions", job->conditions},
                         {"point", outcome_json(outcome, job->hardware.topology)}};
    return write_file(result_path(folder, task), result.dump() + "\n");
}

Result<Json> merge(const fs::path& folder) {
    const auto list = read_file(folder / kListFile);
    if (!list) return fail(fmt::format("{}: no sweep's results are there", folder.string()));
    std::size_t tasks = 0;
    Json runs = Json::array();
    std::vector<std::size_t> missing;
    try {
        tasks = Json::parse(*list).at("tasks").size();
        for (std::size_t task = 0; task < tasks; ++task) {
            if (!is_done(folder, task)) {
                missing.push_back(task);
                continue;
            }
            const auto text = read_file(result_path(folder, task));
            if (!text) return tl::unexpected(text.error());
            Json result = Json::parse(*text);
            const auto run = result.at("run").get<std::size_t>();
            while (runs.size() <= run)
                runs.push_back({{"conditions", Json::object()}, {"points", Json::array()}});
            runs[run]["conditions"] = std::move(result.at("conditions"));
            runs[run]["points"].push_back(std::move(result.at("point")));
        }
    } catch (const Json::exception& error) {
        return fail(fmt::format("{}: not what a sweep has written: {}", folder.string(), error.what()));
    }
    if (!missing.empty())
        return fail(
            fmt::format("{}: {} of {} tasks have no result, the first is task {}; run the sweep again, which "
                        "does what is missing",
                        folder.string(), missing.size(), tasks, missing.front()));
    return Json{{"runs", std::move(runs)}};
}

}  // namespace ntblab::sim
