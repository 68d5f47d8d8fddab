// SPDX-License-Identifier: MIT
// What the switch keeps for one host, as bytes: for a host that is saved, ends, and goes on later.
//
// While it is away its windows and those that lead to it are closed, as for any host that is gone. When it is
// back, they are opened again between it and each peer that has lived on in the meantime. A peer that was
// reset has nothing left at the addresses that they had.
#pragma once

#include <ntblab/result.h>

#include <cstddef>
#include <span>
#include <vector>

#include "state.h"

namespace switchtec::snapshot {

/// Errors: the host holds a control block's lock or waits for one, or its own block is being configured.
ntblab::Result<std::vector<std::byte>> save(State& s, unsigned partition);

/// All but the windows, into an attached partition that has just been reset. Errors: no snapshot, or one of
/// another version; of another switch model, partition or configuration.
ntblab::Result<void> load(State& s, unsigned partition, std::span<const std::byte> bytes);

/// The windows, and the table of requesters. False: somebody is setting up a block that they lie in; again
/// later. Errors: as for `load`; windows that do not fit. After an error nothing has changed.
ntblab::Result<bool> load_windows(State& s, unsigned partition, std::span<const std::byte> bytes);

}  // namespace switchtec::snapshot
