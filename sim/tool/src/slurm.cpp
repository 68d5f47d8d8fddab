// SPDX-License-Identifier: MIT
#include "slurm.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "files.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
}

/// Exit code of a program, of PATH; or what errno says, negated.
int run_program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
        error != 0)
        return -error;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
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
    const int code = run_program(words);
    if (code == -ENOENT)
        return fail(
            "sbatch is not there: install Slurm's client, or have another scheduler run "
            "`ntb-sim sweep FILE --output FOLDER --part I/N` for each I below N, and then `ntb-sim merge "
            "FOLDER`");
    if (code < 0)
        return fail(fmt::format("sbatch cannot be run: {}", std::generic_category().message(-code)));
    if (code > 0)
        return fail(fmt::format("sbatch ended with exit code {}; what the parts said is in {}/part-*.log",
                                code, fs::absolute(folder).string()));
    return {};
}

}  // namespace ntblab::sim
