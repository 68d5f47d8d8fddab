// SPDX-License-Identifier: MIT
#include "gas.h"

#include <algorithm>

namespace switchtec::gas {
namespace {

std::uint64_t ones(unsigned bytes) {
    return bytes >= 8 ? ~0ULL : (1ULL << (8 * bytes)) - 1;
}

// Calls visit(location, byte in the register, byte in the access, bytes) for each register that the access
// touches.
template <typename Visit>
void for_each_part(Layout layout, std::uint32_t offset, unsigned size, Visit visit) {
    for (unsigned done = 0; done < size;) {
        const std::uint32_t position = offset + done;
        const auto at = locate(position, layout);
        if (!at) {
            ++done;
            continue;
        }
        const unsigned inside = position - at->start;
        const unsigned bytes = std::min<unsigned>(at->reg->size - inside, size - done);
        visit(*at, inside, done, bytes);
        done += bytes;
    }
}

unsigned clamp_size(std::uint32_t offset, unsigned size) {
    return offset >= kGasSize ? 0 : std::min({size, 8U, kGasSize - offset});
}

}  // namespace

std::uint64_t read(const State& s, unsigned partition, std::uint32_t offset, unsigned size) {
    std::uint64_t result = 0;
    for_each_part(layout(s), offset, clamp_size(offset, size),
                  [&](const Location& at, unsigned inside, unsigned done, unsigned bytes) {
                      const std::uint64_t value = read_register(s, partition, at) >> (8 * inside);
                      result |= (value & ones(bytes)) << (8 * done);
                  });
    return result;
}

void write(State& s, unsigned partition, std::uint32_t offset, std::uint64_t value, unsigned size) {
    for_each_part(layout(s), offset, clamp_size(offset, size),
                  [&](const Location& at, unsigned inside, unsigned done, unsigned bytes) {
                      const Written w{(value >> (8 * done)) << (8 * inside), ones(bytes) << (8 * inside)};
                      write_register(s, partition, at, w);
                  });
}

}  // namespace switchtec::gas
