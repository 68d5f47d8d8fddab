// SPDX-License-Identifier: MIT
#include "slurm.h"

#include <fmt/format.h>

#include <system_error>

#include "files.h"
#include "program.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
}

}  // namespace

Result<void> run_in_slurm(const fs::path& file, const fs::path& folder, unsigned parts,
                          const std::vector<std::string>& options) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    const fs::path script = fs::absolute(folder) / "part.sh";
    const auto written = write_file(
        script,
        fmt::format("#!/bin/sh\nexec {} sweep {} --output {} --part \"$SLURM_ARRAY_TASK_ID/{}\" --jobs 1\n",
                    quoted(self), quoted(fs::absolute(file)), quoted(fs::absolute(folder)), parts));
    if (!written) return tl::unexpected(written.error());
    std::vector<std::string> words = {"sbatch", "--wait", "--job-name=ntb-sim",
                                      fmt::format("--array=0-{}", parts - 1),
                                      fmt::format("--output={}/part-%a.log", fs::absolute(folder).string())};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(script);
    const auto ended = run_program(words);
    if (!ended && ended.error() == std::errc::no_such_file_or_directory)
        return fail(
            "sbatch is not there: install Slurm's client, or have another scheduler run "
            "`ntb-sim sweep FILE --output FOLDER --part I/N` for each I below N, and then `ntb-sim merge "
            "FOLDER`");
    if (!ended) return fail(fmt::format("sbatch cannot be run: {}", ended.error().message()));
    if (ended->code > 0)
        return fail(fmt::format("sbatch ended with exit code {}; what the parts said is in {}/part-*.log",
                                ended->code, fs::absolute(folder).string()));
    return {};
}

}  // namespace ntblab::sim
