// SPDX-License-Identifier: MIT
// What a fabric is made of.
//
//     fabric::FabricConfig config{{{"sw0", chip, {"a", "b"}}}};
#pragma once

#include <switchtec/chip.h>

#include <string>
#include <vector>

namespace fabric {

struct SwitchConfig {
    std::string name;
    switchtec::ChipConfig chip;
    std::vector<std::string> nodes;  ///< Name of the host behind each partition; empty: none.
};

struct FabricConfig {
    std::vector<SwitchConfig> switches;
};

}  // namespace fabric
