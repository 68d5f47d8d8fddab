// SPDX-License-Identifier: MIT
// A sweep as an array job of Slurm.
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ntblab::sim {

/// Has sbatch run `ntb-sim sweep FILE --output FOLDER --part I/PARTS` for each part, and waits until all have
/// ended. Standard output and errors of parts are in `folder`/part-I.log. @param options more of sbatch's
/// own. Errors: no sbatch; what it refuses; parts that failed, with where to look.
Result<void> run_in_slurm(const std::filesystem::path& file, const std::filesystem::path& folder,
                          unsigned parts, const std::vector<std::string>& options);

}  // namespace ntblab::sim
