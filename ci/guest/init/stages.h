// SPDX-License-Identifier: MIT
// The two halves of the guest's init; process 1 never comes back from either.
#pragma once

namespace ntblab::guest {

/// In the initrd: up to the real root file system.
[[noreturn]] void run_early();

/// There: services, modules, network, and the events reported to the host, for as long as the guest runs.
[[noreturn]] void run_system();

}  // namespace ntblab::guest
