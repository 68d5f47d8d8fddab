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

std::uint64_t* source;

// As the kernel's memcpy_toio on x86-64, which is what ntb_perf times: 4 bytes a step.
void copy(volatile std::uint64_t* words, std::size_t count) {
    const void* from = source;
    volatile void* to = words;
    count *= 2;
    asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

using Loop = void (*)(volatile std::uint64_t*, std::size_t);

// Own memory whose address is `apart` from that of `window` but for high bits. TCG's TLB has one entry for
// all pages of equal low address bits: a copy between two of these is ten times slower, so both copies that
// are compared have to be at the same distance from their source.
void* memory_as(void* window, std::size_t size, std::size_t apart) {
    constexpr std::uintptr_t kBeyondTlb = std::uintptr_t{1} << 32;
    auto* at = static_cast<char*>(window) - kBeyondTlb * (apart == 0 ? 1 : 2) + apart;
    return mmap(at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED_NOREPLACE, -1, 0);
}

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
    if (window == MAP_FAILED) {
        std::perror(argv[1]);
        return 1;
    }
    void* memory = memory_as(window, size, 0);
    void* other = memory_as(window, size, size);
    if (memory == MAP_FAILED || other == MAP_FAILED) {
        std::perror("memory to compare with");
        return 1;
    }
    source = static_cast<std::uint64_t*>(other);
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
