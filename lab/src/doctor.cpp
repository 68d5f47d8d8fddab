// SPDX-License-Identifier: MIT
#include "doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "accelerator.h"
#include "cluster_list.h"
#include "install.h"
#include "plan.h"
#include "process.h"
#include "run_dir.h"
#include "strays.h"
#include "text.h"

namespace ntblab::lab {
namespace {

constexpr std::uint64_t kPairMemory = 2ULL << 30;
constexpr std::chrono::seconds kProbeLimit{3};
constexpr int kQemuLimitMilliseconds = 60'000;

Finding processor() {
    const unsigned count = std::thread::hardware_concurrency();
    return {"processors", count >= 2 ? Verdict::good : Verdict::warning, fmt::format("{}", count),
            count >= 2 ? "" : "a pair boots faster on two"};
}

Finding accelerator() {
    const KvmProbe probe = probe_kvm(kProbeLimit);
    if (probe.works) return {"accelerator", Verdict::good, "KVM runs guests", ""};
    return {"accelerator", Verdict::warning, "TCG; KVM does not run guests: " + probe.reason,
            "clusters run, slower; for KVM, run on hardware or with nested virtualisation, with access to "
            "/dev/kvm"};
}

Finding memory() {
    const std::uint64_t available = available_memory();
    const std::string detail = human_size(available) + " available";
    if (available >= kPairMemory) return {"memory", Verdict::good, detail, ""};
    return {"memory", Verdict::warning, detail,
            "the default pair may take 2G; lower 'memory' in the topology"};
}

Finding run_directory() {
    const auto base = prepare_run_base();
    if (!base) return {"run directory", Verdict::bad, base.error().message, ""};
    const std::uint64_t free = free_space(*base);
    const std::string detail = fmt::format("{}, {} free", base->string(), human_size(free));
    remove_empty_run_base();
    const auto fits = check_path_lengths(*base / std::string(32, 'x'), {std::string(32, 'x')});
    if (free < kRunDirSpace)
        return {"run directory", Verdict::bad, detail,
                "free some space there, or set NTBLAB_RUN_DIR elsewhere"};
    if (!fits)
        return {"run directory", Verdict::warning,
                detail + "; too long for clusters and nodes with long names",
                "set NTBLAB_RUN_DIR to a shorter path"};
    return {"run directory", Verdict::good, detail, ""};
}

/// `use`: what cannot be done without it, if most can; "": nothing goes without it.
Finding program(const std::string& name, const std::string& package, const std::string& use = "") {
    const char* path = std::getenv("PATH");
    for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
        const std::string candidate = fmt::format("{}/{}", folder, name);
        if (::access(candidate.c_str(), X_OK) == 0) return {name, Verdict::good, candidate, ""};
    }
    if (use.empty()) return {name, Verdict::bad, "not found in PATH", "install " + package};
    return {name, Verdict::warning, fmt::format("not found in PATH; {} needs it", use), "install " + package};
}

Finding parts(const Install& install) {
    const auto missing = install.missing();
    if (missing.empty()) return {"QEMU, kernel, image", Verdict::good, install.share.string(), ""};
    std::vector<std::string> names;
    for (const auto& path : missing) names.push_back(path.string());
    return {"QEMU, kernel, image", Verdict::bad, fmt::format("missing: {}", fmt::join(names, ", ")),
            install.advice()};
}

/// A QEMU that lacks a library or our device starts no cluster, however present its file is.
Finding qemu(const Install& install) {
    if (::access(install.qemu().c_str(), X_OK) != 0)
        return {"QEMU", Verdict::bad, install.qemu().string() + " cannot be run", ""};
    auto child = spawn({.arguments = {install.qemu(), "-device", "switchtec-ntb,help"},
                        .environment = {"LD_LIBRARY_PATH=" + install.lib.string()}});
    if (!child) return {"QEMU", Verdict::bad, child.error().message, install.advice()};
    pollfd ended{child->pidfd(), POLLIN, 0};
    const bool in_time = ::poll(&ended, 1, kQemuLimitMilliseconds) > 0;
    if (!in_time) child->signal(SIGKILL);
    const int code = exit_code_of(child->wait());
    if (!in_time)
        return {"QEMU", Verdict::bad,
                fmt::format("`{} -device switchtec-ntb,help` does not end within {} s",
                            install.qemu().string(), kQemuLimitMilliseconds / 1000),
                "run it by hand to see why; LD_LIBRARY_PATH=" + install.lib.string()};
    if (code == 0) return {"QEMU", Verdict::good, "starts, and has the device switchtec-ntb", ""};
    return {"QEMU", Verdict::bad,
            fmt::format("`{} -device switchtec-ntb,help` fails", install.qemu().string()),
            "run it by hand to see why; LD_LIBRARY_PATH=" + install.lib.string()};
}

Finding leftovers() {
    const auto base = run_base();
    std::string found;
    for (const auto& [mark, processes] : marked_processes())
        if (std::filesystem::path(mark).parent_path() == base && !load_state({mark})) found += " " + mark;
    for (const Cluster& cluster : list_clusters())
        if (condition_of(cluster) == "broken") found += " " + cluster.paths.name();
    if (found.empty()) return {"leftovers", Verdict::good, "none", ""};
    return {"leftovers", Verdict::warning, "of clusters that were not ended:" + found,
            "run ntblab down --all"};
}

}  // namespace

std::vector<Finding> examine() {
    std::vector<Finding> result = {processor(), accelerator(), memory(), run_directory()};
    result.push_back(program("ssh", "openssh-client"));
    result.push_back(program("ssh-keygen", "openssh-client"));
    result.push_back(program("dot", "graphviz", "`ntblab graph --format svg`"));
    const Install install = find_install();
    result.push_back(parts(install));
    result.push_back(qemu(install));
    result.push_back(leftovers());
    return result;
}

}  // namespace ntblab::lab
