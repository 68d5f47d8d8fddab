// SPDX-License-Identifier: MIT
// The cluster's ntb-fabric.
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>

#include "plan.h"
#include "process.h"

namespace ntblab::lab {

struct StartingFabric {
    Child process;
    UniqueFd ready;  ///< A byte comes when it listens; the end of the stream means that it failed.
};

Result<StartingFabric> start_fabric(const Plan& plan);

/// Blocks until it listens. Errors: it ended (with its last words); it is silent for a minute; a signal came.
Result<void> wait_for_fabric(const Plan& plan, const StartingFabric& fabric);

}  // namespace ntblab::lab
