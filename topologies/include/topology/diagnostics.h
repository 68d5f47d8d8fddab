// SPDX-License-Identifier: MIT
// Collects what is wrong with a file, so that one run shows all of it.
//
//     Diagnostics diagnostics("pair.yaml");
//     diagnostics.error(node.Mark(), "'cpus' is 0; expected 1 to 64");
//     if (!diagnostics.ok()) return diagnostics.failure();
#pragma once

#include <ntblab/result.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace ntblab::topology {

class Diagnostics {
  public:
    explicit Diagnostics(std::string path) : path_(std::move(path)) {}

    void error(const YAML::Mark& mark, const std::string& message) { errors_.push_back({mark, message}); }
    void warning(const YAML::Mark& mark, const std::string& message) { warnings_.push_back({mark, message}); }

    bool ok() const { return errors_.empty(); }
    /// All errors, one a line, in the order of the file.
    tl::unexpected<Error> failure() const;
    /// Likewise.
    std::vector<std::string> warnings() const { return in_order(warnings_); }

  private:
    struct Finding {
        YAML::Mark mark;
        std::string message;
    };
    std::vector<std::string> in_order(std::vector<Finding> findings) const;

    std::string path_;
    std::vector<Finding> errors_;
    std::vector<Finding> warnings_;
};

}  // namespace ntblab::topology
