// SPDX-License-Identifier: MIT
// What `ntblab inspect` prints of the fabric's JSON (docs/protocol.md).
#pragma once

#include <ntblab/result.h>

#include <string>

namespace ntblab::lab {

/// A table for people: switches, partitions, their links, windows and locks. Errors: the document is not what
/// it should be.
Result<std::string> format_inspection(const std::string& document);

}  // namespace ntblab::lab
