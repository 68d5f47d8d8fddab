// SPDX-License-Identifier: MIT
// How an endpoint gets from a socket's path to a seat at a switch.
//
//     ntblink::Session session = ntblink::attach(config).value();
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>
#include <ntblink/endpoint.h>
#include <ntblink/shared_switch.h>

#include <chrono>
#include <string>

namespace ntblink {

/// An attached endpoint's ties to the outside.
struct Session {
    ntblab::UniqueFd socket;  ///< Non-blocking.
    SharedSwitch shared;
    std::uint64_t ram_epoch;  ///< The fabric has told of every RAM change up to this one.
};

/// How long the fabric may take to answer: far beyond what it needs, but not for ever.
inline constexpr std::chrono::seconds kAnswerLimit{30};

/// A connection to the fabric that listens at `path`. Errors: nobody there; somebody of another user.
ntblab::Result<ntblab::UniqueFd> connect_to_fabric(const std::string& path);

/// Waits for `socket` to be readable, at most kAnswerLimit.
bool wait_readable(int socket);

/// Errors: as connect_to_fabric; the fabric's refusal; an answer that is none.
ntblab::Result<Session> attach(const NtbEndpointConfig& config);

}  // namespace ntblink
