// SPDX-License-Identifier: MIT
#include "plan.h"

#include <fmt/format.h>

#include "files.h"
#include "run_dir.h"
#include "text.h"

namespace ntblab::lab {

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
    const Install install = find_install();
    return Plan{std::move(*topology),
                *source,
                paths,
                install,
                state.accelerator == name_of(Accelerator::kvm) ? Accelerator::kvm : Accelerator::tcg,
                kernel_options(install)};
}

std::uint64_t available_memory() {
    for (const std::string& line : split(read_if_there("/proc/meminfo"), '\n')) {
        const auto fields = split(line, ' ');
        if (fields.size() > 1 && fields[0] == "MemAvailable:") return std::stoull(fields[1]) << 10;
    }
    return 0;
}

Result<void> check_host(const Plan& plan, bool overcommit) {
    const auto missing = plan.install.missing();
    if (!missing.empty()) {
        std::string files;
        for (const auto& path : missing) files += "\n  " + path.string();
        return fail(
            "these files are missing:" + files +
            "\nrun `./bootstrap build`, or let NTBLAB_SHARE name the folder that has qemu, kernel and image");
    }
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
    return check_path_lengths(plan.paths.dir, names);
}

}  // namespace ntblab::lab
