// SPDX-License-Identifier: MIT
// Options that name files to be written. A name that cannot be one is refused when the line is parsed.
//
//     outputs.add(*command, "--json", OutputKind::text, "Write results", [&](const std::string& path) { ...
//     }); if (auto fine = outputs.check({"pair.yaml"}); !fine) return complain(fine.error().message, kUsage);
#pragma once

#include <ntblab/result.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ntblab::sim {

enum class OutputKind {
    text,     ///< That comes whole at the end; "-" is standard output.
    trace,    ///< That grows with a run.
    picture,  ///< Ends in .svg or .png.
    folder,
};

/// Those of one command; has to live as long as its options.
class Outputs {
  public:
    /// @param set Gets the name, if there is one.
    CLI::Option* add(CLI::App& command, const std::string& option, OutputKind kind,
                     const std::string& meaning, std::function<void(const std::string&)> set);

    /// Before anything is written. Errors: two outputs are the same file; one is among `inputs`, of which ""
    /// are none.
    Result<void> check(const std::vector<std::filesystem::path>& inputs) const;
    /// Whether one is standard output, which then has nothing else.
    bool to_standard_output() const;

  private:
    struct Given {
        std::string option;  ///< "--json"
        std::string path;
    };
    std::vector<Given> given_;
};

}  // namespace ntblab::sim
