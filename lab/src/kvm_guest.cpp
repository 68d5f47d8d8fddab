// SPDX-License-Identifier: MIT
#include "kvm_guest.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <ntblab/unique_fd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "text.h"

namespace ntblab::lab {
namespace {

// Physical memory of the guest: page tables, then its code. 64-bit mode with paging, as any kernel runs: KVM
// may emulate single instructions in software where the processor never enters a guest.
constexpr std::uint64_t kLevel4 = 0x1000;
constexpr std::uint64_t kLevel3 = 0x2000;
constexpr std::uint64_t kLevel2 = 0x3000;
constexpr std::uint64_t kCodeAddress = 0x4000;
constexpr std::size_t kMemorySize = 0x5000;
constexpr std::uint64_t kTablePresent = 0x3;  // present, writable
constexpr std::uint64_t kLargePage = 0x83;    // the same, of 2 MiB
constexpr std::uint16_t kPort = 0x10;
constexpr std::uint8_t kAnswer = 42;
// mov ecx, 20000000; again: dec ecx; jnz again; mov eax, 41; inc eax; out 0x10, al
// The loop takes some milliseconds on a processor and many seconds in KVM's emulator.
constexpr std::array<std::uint8_t, 18> kCode = {0xb9, 0x00,        0x2d, 0x31, 0x01, 0xff, 0xc9, 0x75, 0xfc,
                                                0xb8, kAnswer - 1, 0,    0,    0,    0xff, 0xc0, 0xe6, kPort};

kvm_segment flat_segment(std::uint8_t type, std::uint16_t selector, bool code) {
    kvm_segment segment{};
    segment.limit = 0xffffffff;
    segment.selector = selector;
    segment.type = type;
    segment.present = 1;
    segment.s = 1;
    segment.l = code ? 1 : 0;
    segment.db = code ? 0 : 1;
    segment.g = 1;
    return segment;
}

bool start_at_code(int vcpu) {
    kvm_sregs special{};
    if (::ioctl(vcpu, KVM_GET_SREGS, &special) != 0) return false;
    special.cs = flat_segment(11, 8, true);
    special.ds = special.es = special.fs = special.gs = special.ss = flat_segment(3, 16, false);
    special.cr3 = kLevel4;
    special.cr4 = 0x20;        // PAE
    special.cr0 = 0x80000011;  // PG, ET, PE
    special.efer = 0x500;      // LMA, LME
    kvm_regs registers{};
    registers.rip = kCodeAddress;
    registers.rflags = 2;
    return ::ioctl(vcpu, KVM_SET_SREGS, &special) == 0 && ::ioctl(vcpu, KVM_SET_REGS, &registers) == 0;
}

void fill(std::uint8_t* memory) {
    const auto put = [&](std::uint64_t address, std::uint64_t entry) {
        std::memcpy(memory + address, &entry, sizeof(entry));
    };
    put(kLevel4, kLevel3 | kTablePresent);
    put(kLevel3, kLevel2 | kTablePresent);
    put(kLevel2, kLargePage);
    std::memcpy(memory + kCodeAddress, kCode.data(), kCode.size());
}

bool give_memory(int vm) {
    void* memory = ::mmap(nullptr, kMemorySize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    fill(static_cast<std::uint8_t*>(memory));
    kvm_userspace_memory_region region{};
    region.memory_size = kMemorySize;
    region.userspace_addr = reinterpret_cast<std::uintptr_t>(memory);
    return ::ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) == 0;
}

std::string run(int vcpu, int kvm) {
    const int size = ::ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, nullptr);
    if (size < static_cast<int>(sizeof(kvm_run))) return errno_message("size of the vCPU state");
    void* state =
        ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
    if (state == MAP_FAILED) return errno_message("mapping the vCPU state");
    const auto* exit = static_cast<const kvm_run*>(state);
    while (::ioctl(vcpu, KVM_RUN, nullptr) != 0)
        if (errno != EINTR && errno != EAGAIN) return errno_message("running the guest");
    const auto* written = static_cast<const std::uint8_t*>(state) + exit->io.data_offset;
    const bool answered = exit->exit_reason == KVM_EXIT_IO && exit->io.port == kPort && *written == kAnswer;
    return answered ? "" : "the guest stopped with exit reason " + std::to_string(exit->exit_reason);
}

}  // namespace

std::string run_kvm_guest() {
    const UniqueFd kvm(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!kvm) return errno_message("/dev/kvm");
    if (::ioctl(kvm.get(), KVM_GET_API_VERSION, nullptr) != KVM_API_VERSION)
        return "/dev/kvm: not of API version 12";
    const UniqueFd vm(::ioctl(kvm.get(), KVM_CREATE_VM, nullptr));
    if (!vm) return errno_message("making a virtual machine");
    if (!give_memory(vm.get())) return errno_message("giving it memory");
    const UniqueFd vcpu(::ioctl(vm.get(), KVM_CREATE_VCPU, nullptr));
    if (!vcpu) return errno_message("making a vCPU");
    if (!start_at_code(vcpu.get())) return errno_message("setting its registers");
    return run(vcpu.get(), kvm.get());
}

}  // namespace ntblab::lab
