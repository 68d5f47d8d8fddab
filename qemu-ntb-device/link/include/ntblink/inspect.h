// SPDX-License-Identifier: MIT
// Asks a running fabric for the state of everything.
//
//     ntblab::Result<std::string> json = ntblink::inspect("/run/x/fabric.sock");
#pragma once

#include <ntblab/result.h>

#include <string>

namespace ntblink {

/// One JSON document (docs/protocol.md). Errors: no fabric there; its refusal.
ntblab::Result<std::string> inspect(const std::string& fabric_socket);

}  // namespace ntblink
