// SPDX-License-Identifier: MIT
// A sweep's folder: its list of tasks, and a file for the result of each.
#include "sweep.h"

#include <fmt/format.h>

#include <system_error>

#include "files.h"
#include "results.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kListFile = "sweep.json";

fs::path result_path(const fs::path& folder, std::size_t task) {
    return folder / fmt::format("task-{:06}.json", task);
}

Json list_of(const Sweep& sweep) {
    Json tasks = Json::array();
    for (const Task& task : sweep.tasks) tasks.push_back({task.run, task.size});
    return {{"sweep", sweep.text}, {"tasks", std::move(tasks)}};
}

/// Null if it is not there, or not all of it.
Json read_result(const fs::path& folder, std::size_t number, const Task& task) {
    const auto text = read_file(result_path(folder, number));
    if (!text) return nullptr;
    Json result = Json::parse(*text, nullptr, false);
    if (!result.is_object()) return nullptr;
    const bool whole = result["conditions"].is_object() && result["run"] == task.run &&
                       result["point"].is_object() && result["point"]["size"] == task.size;
    return whole ? result : Json();
}

}  // namespace

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

bool is_done(const Sweep& sweep, std::size_t task, const fs::path& folder) {
    std::error_code error;
    return fs::exists(result_path(folder, task), error) &&
           !read_result(folder, task, sweep.tasks.at(task)).is_null();
}

Result<void> do_task(const Sweep& sweep, std::size_t task, const fs::path& folder) {
    const auto job = load_job(sweep.runs.at(sweep.tasks.at(task).run), *sweep.files);
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
    std::vector<Task> tasks;
    try {
        const Json parsed = Json::parse(*list);
        for (const Json& task : parsed.at("tasks"))
            tasks.push_back({task.at(0).get<std::size_t>(), task.at(1).get<std::uint64_t>()});
    } catch (const Json::exception& error) {
        return fail(
            fmt::format("{}: not what a sweep has written: {}; remove the folder, and run the sweep "
                        "again",
                        (folder / kListFile).string(), error.what()));
    }
    Json runs = Json::array();
    std::vector<std::size_t> missing;
    for (std::size_t number = 0; number < tasks.size(); ++number) {
        Json result = read_result(folder, number, tasks[number]);
        if (result.is_null()) {
            missing.push_back(number);
            continue;
        }
        while (runs.size() <= tasks[number].run)
            runs.push_back({{"conditions", Json::object()}, {"points", Json::array()}});
        Json& run = runs[tasks[number].run];
        run["conditions"] = std::move(result["conditions"]);
        run["points"].push_back(std::move(result["point"]));
    }
    if (!missing.empty())
        return fail(
            fmt::format("{}: {} of {} tasks have no result, or a damaged one, the first is task {}; run the "
                        "sweep again, which does what is missing",
                        folder.string(), missing.size(), tasks.size(), missing.front()));
    return Json{{"runs", std::move(runs)}};
}

}  // namespace ntblab::sim
