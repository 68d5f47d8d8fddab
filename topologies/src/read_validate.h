// SPDX-License-Identifier: MIT
// The `validate` section: what `ntblab test` runs.
#pragma once

#include <vector>

#include "settings.h"
#include "topology/reader.h"

namespace ntblab::topology {

/// Its steps, in their order. What is wrong goes to the reader's diagnostics.
std::vector<StepSettings> read_validate(Reader& reader, const YAML::Node& node);

}  // namespace ntblab::topology
