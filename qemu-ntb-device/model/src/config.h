// SPDX-License-Identifier: MIT
// What a switch may be configured as.
#pragma once

#include <ntblab/result.h>

#include "switchtec/chip.h"

namespace switchtec {

ntblab::Result<void> check(const ChipConfig& config);
/// `config` for `partition` of a switch with `count` of them.
ntblab::Result<void> check(const PartitionConfig& config, unsigned partition, std::size_t count);

}  // namespace switchtec
