// SPDX-License-Identifier: MIT
#include "copy_path.h"

#include <fmt/format.h>

#include "topology/topology.h"

namespace ntblab::lab {

CopyPath parse_copy_path(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {"", text};
    const std::string node = text.substr(0, colon);
    const std::size_t slash = node.find('/');
    const bool named = slash == std::string::npos ? topology::valid_name(node)
                                                  : topology::valid_name(node.substr(0, slash)) &&
                                                        topology::valid_name(node.substr(slash + 1));
    return named ? CopyPath{node, text.substr(colon + 1)} : CopyPath{"", text};
}

Result<CopyJob> plan_copy(const std::vector<std::string>& paths) {
    const CopyPath target = parse_copy_path(paths.back());
    CopyJob job{target.node, !target.node.empty(), {}, target.path};
    for (auto path = paths.begin(); path != paths.end() - 1; ++path) {
        const CopyPath source = parse_copy_path(*path);
        if (job.to_node && !source.node.empty())
            return fail(fmt::format(
                "'{}' and '{}' are both of nodes; nodes copy among themselves: ntblab exec {} -- scp FILE "
                "NODE:PATH",
                *path, paths.back(), source.node));
        if (!job.to_node && source.node.empty())
            return fail(fmt::format("neither '{}' nor '{}' is of a node; write NODE:PATH for one of them",
                                    *path, paths.back()));
        if (!job.to_node && !job.node.empty() && job.node != source.node)
            return fail(fmt::format("'{}' and '{}' are of different nodes; copy from one after the other",
                                    job.node + ":" + job.sources.back(), *path));
        if (!job.to_node) job.node = source.node;
        job.sources.push_back(source.path);
    }
    return job;
}

}  // namespace ntblab::lab
