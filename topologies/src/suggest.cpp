// SPDX-License-Identifier: MIT
#include "topology/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace ntblab::topology {
namespace {

std::string normalised(std::string_view word) {
    std::string result(word.substr(0, 64));
    for (char& c : result)
        c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    std::size_t best = std::max<std::size_t>(1, word.size() / 3);
    std::string result;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(normalised(word), normalised(candidate));
        if (distance >= word.size()) continue;  // nothing of it is kept
        if (distance < best || (distance == best && result.empty())) {
            best = distance;
            result = candidate;
        }
    }
    return result;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::string guess = nearest(word, candidates);
    return guess.empty() ? "" : "did you mean '" + guess + "'? ";
}

}  // namespace ntblab::topology
