// SPDX-License-Identifier: MIT
// Small helpers on text.
//
//     shell_quote("it's");   // 'it'\''s'
#pragma once

#include <ntblab/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ntblab::lab {

/// The word as a POSIX shell must be given it; unchanged where it needs no quotes.
std::string shell_quote(std::string_view word);

/// The same words for a shell, but such that no two of their characters are next to each other in the line:
/// who searches the command lines of processes for them (pkill -f) does not find a shell that is given it.
std::string shell_join_apart(const std::vector<std::string>& words);

/// Words as one line that a shell splits into the same words.
std::string shell_join(const std::vector<std::string>& words);

/// Bytes for people: "1.5G".
std::string human_size(std::uint64_t bytes);

/// The last `count` lines of `text`.
std::vector<std::string> last_lines(std::string_view text, std::size_t count);

/// Splits at `separator`; no empty pieces.
std::vector<std::string> split(std::string_view text, char separator);

/// "`what`: " and the text of `errno`.
std::string errno_message(const std::string& what);

}  // namespace ntblab::lab
