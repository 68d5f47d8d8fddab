// SPDX-License-Identifier: MIT
#include "plan.h"

#include <fmt/format.h>

#include <filesystem>

#include "files.h"
#include "run_dir.h"
#include "text.h"

namespace ntblab::lab {
namespace fs = std::filesystem;

std::string kernel_options(const Install& install) {
    const auto lines = split(read_if_there(install.kernel_options()), '\n');
    return lines.empty() ? "console=ttyS0" : lines[0];
}

Result<Plan> plan_of(const ClusterPaths& paths, const ClusterState& state) {
    const auto source = topology::read_source(paths.topology());
    if (!source) return tl::unexpected(source.error());
    auto topology = topology::parse(*source, paths.topology());
    if (!topology) return tl::unexpected(topology.error());
    topology->name = paths.name();
    const Install install = find_install(state.kernel, state.guest_suite);
    return Plan{std::move(*topology),
                *source,
                paths,
                install,
                state.accelerator == name_of(Accelerator::kvm) ? Accelerator::kvm : Accelerator::tcg,
                kernel_options(install),
                state.share,
                state.kernel,
                state.guest_suite,
                state.gdb};
}

std::uint64_t available_memory() {
    for (const std::string& line : split(read_if_there("/proc/meminfo"), '\n')) {
        const auto fields = split(line, ' ');
        if (fields.size() > 1 && fields[0] == "MemAvailable:") return std::stoull(fields[1]) << 10;
    }
    return 0;
}

namespace {

/// A kernel that was built again is not what guests would get.
Result<void> check_kernel(const Plan& plan) {
    if (plan.kernel == kStockKernel || plan.kernel == kDebugKernel) return {};
    std::error_code error;
    const auto built = fs::last_write_time(fs::path(plan.kernel) / "vmlinux", error);
    const auto taken = fs::last_write_time(plan.install.kernel(), error);
    if (error || built <= taken) return {};
    return fail(
        fmt::format("the kernel in {0} was built after it had been made ready for guests; run `./bootstrap "
                    "kernel {0}` again",
                    plan.kernel));
}

/// What is missing, and what makes it.
Result<void> check_parts(const Plan& plan) {
    const Install& install = plan.install;
    const auto missing = install.missing();
    if (missing.empty()) return {};
    const std::string& kernel = plan.kernel;
    const bool own_kernel = kernel != kStockKernel;
    const bool made = fs::exists(install.kernel_dir()) && fs::exists(install.image_dir());
    if (!made && !plan.guest_suite.empty())
        return fail(
            fmt::format("there is no guest image of Debian {}{}; {}", plan.guest_suite,
                        own_kernel ? fmt::format(" for the kernel '{}'", kernel) : "",
                        install.advice("image " + plan.guest_suite + (own_kernel ? " " + kernel : ""))));
    if (!made && own_kernel)
        return fail(
            fmt::format("the kernel '{}' is not ready for guests; {}", kernel,
                        install.advice("kernel " + kernel,
                                       kernel == kDebugKernel ? " (which takes long the first time)" : "")));
    std::string files;
    for (const auto& path : missing) files += "\n  " + path.string();
    return fail(fmt::format("these files are missing:{}\n{}", files, install.advice()));
}

}  // namespace

Result<void> check_host(const Plan& plan, bool overcommit) {
    if (auto complete = check_parts(plan); !complete) return complete;
    if (auto fresh = check_kernel(plan); !fresh) return fresh;
    std::vector<std::string> names;
    std::uint64_t needed = 0;
    for (const topology::Node& node : plan.topology.nodes) {
        names.push_back(node.name);
        needed += node.memory;
    }
    const std::uint64_t available = available_memory();
    if (!overcommit && needed > available)
        return fail(fmt::format(
            "the nodes of '{}' may take {} of memory, {} are available; lower 'memory' in the topology, end "
            "something else, or take the risk by --overcommit",
            plan.topology.name, human_size(needed), human_size(available)));
    if (plan.paths.dir.string().find('%') != std::string::npos)
        return fail(fmt::format(
            "the run directory {} has a '%' in its path, which QEMU does not take in the name of its log; "
            "set NTBLAB_RUN_DIR to another",
            plan.paths.dir.parent_path().string()));
    if (auto fits = check_path_lengths(plan.paths.dir, names); !fits) return fits;
    if (const std::uint64_t free = free_space(plan.paths.dir); free < kRunDirSpace)
        return fail(
            fmt::format("the run directory {} has {} free, a cluster needs {}; make room, or set "
                        "NTBLAB_RUN_DIR elsewhere",
                        plan.paths.dir.parent_path().string(), human_size(free), human_size(kRunDirSpace)));
    return {};
}

}  // namespace ntblab::lab
