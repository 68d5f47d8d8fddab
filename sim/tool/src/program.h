// SPDX-License-Identifier: MIT
// Other programs, run to their end.
//
//     const auto ended = run_program({"gnuplot"}, script);
//     if (!ended) return fail(ended.error().message());   // no such program, ...
//     if (ended->code == 0) use(ended->output);
#pragma once

#include <ntblab/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ntblab::sim {

struct Ended {
    int code = 0;                ///< It exited with; 128 and more: 128 + the signal that ended it.
    std::string output, errors;  ///< What it wrote; empty if that was not captured.
};

/// Runs a program of PATH. @param words Its name and arguments. @param input What it reads; its output and
/// errors are captured then. Without, all three are this process's. Errors: what the system says.
tl::expected<Ended, std::error_code> run_program(std::vector<std::string> words,
                                                 std::optional<std::string_view> input = std::nullopt);

}  // namespace ntblab::sim
