// SPDX-License-Identifier: MIT
// A path of the host, or of a node: what `ntblab cp` takes.
//
//     parse_copy_path("pair/a:/tmp");   // {"pair/a", "/tmp"}
//     parse_copy_path("./x:y");         // {"", "./x:y"}
#pragma once

#include <ntblab/result.h>

#include <string>
#include <vector>

namespace ntblab::lab {

struct CopyPath {
    std::string node;  ///< NODE or CLUSTER/NODE; "": of the host.
    std::string path;  ///< Of a node: relative to root's home.
};

/// Of a node if it begins with its name, or CLUSTER/NODE, and a colon.
CopyPath parse_copy_path(const std::string& text);

struct CopyJob {
    std::string node;
    bool to_node = false;
    std::vector<std::string> sources;  ///< Paths there or here.
    std::string target;
};

/// The last of `paths` is the target. Errors: not exactly one side is a node's, or the sources are of
/// several.
Result<CopyJob> plan_copy(const std::vector<std::string>& paths);

}  // namespace ntblab::lab
