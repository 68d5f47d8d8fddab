// SPDX-License-Identifier: MIT
#include "window_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace ntblink {

namespace {

constexpr int kNobody = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// A core dump of this process is about this host, not about its peers' RAM.
void leave_out_of_core_dumps(void* data, std::uint64_t size) {
    ::madvise(data, size, MADV_DONTDUMP);
}

}  // namespace

ntblab::Result<WindowMemory> WindowMemory::reserve(std::uint64_t size) {
    if (size == 0) return WindowMemory();
    void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kNobody, -1, 0);
    if (data == MAP_FAILED) {
        return ntblab::fail(
            fmt::format("reserving {:#x} bytes of address space for a window BAR: {}; use a smaller BAR",
                        size, std::strerror(errno)));
    }
    leave_out_of_core_dumps(data, size);
    return WindowMemory(static_cast<std::byte*>(data), size);
}

WindowMemory::WindowMemory(WindowMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

WindowMemory& WindowMemory::operator=(WindowMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

WindowMemory::~WindowMemory() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

ntblab::Result<void> WindowMemory::map(std::uint64_t offset, std::uint64_t size, int fd,
                                       std::uint64_t fd_offset) {
    if (!inside(offset, size))
        return ntblab::fail(fmt::format("window at {:#x}, {:#x} bytes: outside of its BAR", offset, size));
    void* data = ::mmap(data_ + offset, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                        static_cast<off_t>(fd_offset));
    if (data == MAP_FAILED) {
        return ntblab::fail(
            fmt::format("mapping {:#x} bytes of a peer's RAM: {}", size, std::strerror(errno)));
    }
    leave_out_of_core_dumps(data, size);
    return {};
}

void WindowMemory::clear(std::uint64_t offset, std::uint64_t size) {
    if (!inside(offset, size)) throw std::out_of_range("closing a window outside of its BAR");
    void* data = ::mmap(data_ + offset, size, PROT_READ | PROT_WRITE, kNobody | MAP_FIXED, -1, 0);
    // Going on would leave a peer's RAM open to this host.
    if (data == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "closing a window");
    leave_out_of_core_dumps(data, size);
}

}  // namespace ntblink
