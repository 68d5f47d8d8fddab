// SPDX-License-Identifier: MIT
// Runs inside a guest: the same loops over a mapped window BAR and over the guest's own memory.
//
//     memory_throughput /sys/bus/pci/devices/0000:01:00.0/resource4 1048576
//
// Prints one line of JSON: stores and loads (8 bytes each) and a copy into it, in bytes per second, for
// "window" and "memory". Rounds alternate between the two and the best round of each counts, so that both
// meet the same disturbances; a round is about a millisecond, shorter than a time slice of a busy host.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kRounds = 200;

std::uint64_t sink;

void store(volatile std::uint64_t* words, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) words[i] = i;
}

void load(volatile std::uint64_t* words, std::size_t count) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += words[i];
    sink = sum;
}

// As the kernel's memcpy_toio on x86-64, which is what ntb_perf times: 4 bytes a step.
void copy(volatile std::uint64_t* words, std::size_t count) {
    static std::uint64_t* source = static_cast<std::uint64_t*>(std::calloc(count, sizeof(*words)));
    const void* from = source;
    volatile void* to = words;
    count *= 2;
    asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

using Loop = void (*)(volatile std::uint64_t*, std::size_t);

double bytes_per_second(Loop loop, volatile std::uint64_t* words, std::size_t size) {
    const auto start = std::chrono::steady_clock::now();
    loop(words, size / sizeof(*words));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return static_cast<double>(size) / elapsed.count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s RESOURCE BYTES\n", argv[0]);
        return 2;
    }
    const std::size_t size = std::strtoul(argv[2], nullptr, 0);
    const int fd = open(argv[1], O_RDWR | O_CLOEXEC);
    void* window = fd < 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void* memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (window == MAP_FAILED || memory == MAP_FAILED) {
        std::perror(argv[1]);
        return 1;
    }
    struct Measure {
        const char* name;
        Loop loop;
    };
    const Measure measures[] = {{"store", store}, {"load", load}, {"copy", copy}};
    std::printf("{");
    for (const auto& [name, loop] : measures) {
        double best_window = 0, best_memory = 0;
        for (int round = 0; round < kRounds; ++round) {
            best_window =
                std::max(best_window, bytes_per_second(loop, static_cast<std::uint64_t*>(window), size));
            best_memory =
                std::max(best_memory, bytes_per_second(loop, static_cast<std::uint64_t*>(memory), size));
        }
        std::printf("%s\"%s\": {\"window\": %.0f, \"memory\": %.0f}", name == measures[0].name ? "" : ", ",
                    name, best_window, best_memory);
    }
    std::printf("}\n");
    return 0;
}
