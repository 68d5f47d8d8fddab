// SPDX-License-Identifier: MIT
#include "failure_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

#include "cache_dir.h"
#include "files.h"
#include "text.h"

namespace ntblab::lab {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShownLines = 15;

void show_tail(const fs::path& log) {
    const auto lines = last_lines(read_if_there(log), kShownLines);
    if (lines.empty()) return;
    fmt::print(stderr, "  last lines of {}:\n", log.filename().string());
    for (const std::string& line : lines) fmt::print(stderr, "  | {}\n", line);
}

/// @return where they are now.
std::optional<fs::path> keep_logs(const ClusterPaths& paths) {
    const fs::path cache = cache_dir();
    if (cache.empty()) return std::nullopt;
    const fs::path kept = cache / "failed" / paths.name();
    std::error_code error;
    fs::remove_all(kept, error);
    for (const auto& entry : fs::recursive_directory_iterator(paths.dir, error)) {
        if (entry.path().extension() != ".log") continue;
        const fs::path target = kept / fs::relative(entry.path(), paths.dir, error);
        fs::create_directories(target.parent_path(), error);
        fs::copy_file(entry.path(), target, error);
        if (error) return std::nullopt;
    }
    return fs::exists(kept, error) ? std::optional(kept) : std::nullopt;
}

}  // namespace

void report_failures(const ClusterPaths& paths, const std::vector<BootFailure>& failures) {
    std::set<fs::path> shown;
    for (const BootFailure& failure : failures) {
        fmt::print(stderr, "ntblab: {}\n", failure.what);
        if (failure.evidence.empty()) continue;
        for (const fs::path& log : {failure.evidence, failure.evidence.parent_path() / "console.log"})
            if (shown.insert(log).second) show_tail(log);
    }
    if (shown.empty()) return;
    if (const auto kept = keep_logs(paths))
        fmt::print(stderr, "ntblab: the logs are kept in {}\n", kept->string());
}

}  // namespace ntblab::lab
