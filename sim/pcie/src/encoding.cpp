// SPDX-License-Identifier: MIT
#include "pcie/encoding.h"

#include <array>
#include <cmath>
#include <stdexcept>

namespace ntblab::pcie {
namespace {

struct Generation {
    double gigatransfers;
    double payload;         ///< Of a lane's bits.
    Ticks lane_byte_ticks;  ///< A byte on one lane.
    unsigned internal_delay;
};

// 8b/10b, 128b/130b, 1b/1b with 236 of 256 bytes. Internal delays, in symbol times: PCIe 5.0, 3.6.2.
constexpr std::array<Generation, 6> kGenerations = {{
    {2.5, 8.0 / 10, to_ticks(4000), 19},
    {5, 8.0 / 10, to_ticks(2000), 70},
    {8, 128.0 / 130, 1040000, 115},
    {16, 128.0 / 130, 520000, 115},
    {32, 128.0 / 130, 260000, 115},
    {64, 236.0 / 256, to_ticks(125), 115},
}};

}  // namespace

Encoding::Encoding(unsigned generation, unsigned lanes) : generation_(generation), lanes_(lanes) {
    if (generation < 1 || generation > kGenerations.size())
        throw std::invalid_argument("a PCIe generation is 1 to 6");
    if (lanes == 0 || lanes > 16 || (lanes & (lanes - 1)) != 0)
        throw std::invalid_argument("a link has 1, 2, 4, 8 or 16 lanes");
    byte_ticks_ = kGenerations[generation - 1].lane_byte_ticks / lanes;
}

double Encoding::gigabits() const {
    const Generation& generation = kGenerations[generation_ - 1];
    return generation.gigatransfers * generation.payload * lanes_;
}

unsigned Encoding::update_latency_symbols(unsigned mps) const {
    double factor = 1;
    if (mps <= 256)
        factor = lanes_ <= 4 ? 1.4 : lanes_ == 8 ? 2.5 : 3.0;
    else if (lanes_ == 16)
        factor = 2.0;
    // In tenths, as a factor is no binary fraction.
    const auto tenths = static_cast<unsigned>(std::lround(factor * 10));
    return (mps + 28) * tenths / (10 * lanes_) + kGenerations[generation_ - 1].internal_delay;
}

// 4 symbols in 1538 (pcie-model); with 128b/130b, 16 symbols in at most 375 blocks of 16 (PCIe 5.0, 4.2.7),
// which is the same.
Ticks Encoding::skip_time() const {
    return (generation_ <= 2 ? 4 : 16) * symbol_time();
}
Ticks Encoding::skip_interval() const {
    return (generation_ <= 2 ? 1538 : 6000) * symbol_time();
}

}  // namespace ntblab::pcie
