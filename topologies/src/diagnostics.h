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

    void error(const YAML::Mark& mark, const std::string& message) { errors_.push_back(at(mark, message)); }
    void warning(const YAML::Mark& mark, const std::string& message) {
        warnings_.push_back(at(mark, message));
    }

    bool ok() const { return errors_.empty(); }
    /// All errors, one a line.
    tl::unexpected<Error> failure() const;
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    std::string at(const YAML::Mark& mark, const std::string& message) const;

    std::string path_;
    std::vector<std::string> errors_;
    std::vector<std::string> warnings_;
};

}  // namespace ntblab::topology
