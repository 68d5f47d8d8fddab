// SPDX-License-Identifier: MIT
// memcpy by one thread of the host, between as much memory as the DMA engine's benchmark uses: prints bytes
// per second, the best of some rounds.
//
//     copy_throughput BYTES_OF_A_COPY BYTES_OF_EACH_SIDE
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s BYTES_OF_A_COPY BYTES_OF_EACH_SIDE\n", argv[0]);
        return 2;
    }
    const std::size_t size = std::strtoul(argv[1], nullptr, 0), side = std::strtoul(argv[2], nullptr, 0);
    const std::vector<char> from(side, 1);
    std::vector<char> to(side, 2);
    double best = 0;
    for (int round = 0; round < 20; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t at = 0; at + size <= side; at += size)
            std::memcpy(to.data() + at, from.data() + at, size);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        best = std::max(best, static_cast<double>(side / size * size) / elapsed.count());
    }
    std::printf("%.0f\n", best);
    return to[side / 2] == 1 ? 0 : 1;
}
