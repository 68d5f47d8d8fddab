// SPDX-License-Identifier: MIT
// A value, or a message that says what was wrong, where, what was expected and what to do.
//
//     ntblab::Result<int> parse_port(const std::string& text);
//
//     auto port = parse_port(argument);
//     if (!port) return tl::unexpected(port.error());
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ntblab {

/// Why something could not be done, as a sentence for the person who asked for it.
struct Error {
    std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

/// `return fail("...");` from a function that returns a Result.
inline tl::unexpected<Error> fail(std::string message) {
    return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace ntblab
