// SPDX-License-Identifier: MIT
// "did you mean": the candidate that a mistyped word most likely stands for.
//
//     nearest("cpu", {"cpus", "memory"});   // "cpus"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ntblab::topology {

/// The candidate at the smallest edit distance (Levenshtein, case ignored, '_' equal to '-') from `word`, if
/// that is at most a third of the word's length (at least 1, but not all of it); "" if there is none.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean 'cpus'? ", with the nearest(); "" if there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace ntblab::topology
