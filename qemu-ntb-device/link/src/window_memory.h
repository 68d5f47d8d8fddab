// SPDX-License-Identifier: MIT
// The address space of a window BAR: reserved once, with memory of peers mapped into it and taken out again
// in place, so that no pointer into it ever leads nowhere.
//
//     auto memory = ntblink::WindowMemory::reserve(info.bar2_size).value();
//     memory.map(0, 0x10000, ram_fd, 0);
//     memory.clear(0, 0x10000);
#pragma once

#include <ntblab/result.h>

#include <cstddef>
#include <cstdint>

namespace ntblink {

class WindowMemory {
  public:
    /// No BAR.
    WindowMemory() = default;
    /// `size`: bytes, whole pages; 0 for no BAR. Errors: no address space left.
    static ntblab::Result<WindowMemory> reserve(std::uint64_t size);

    WindowMemory(WindowMemory&& other) noexcept;
    WindowMemory& operator=(WindowMemory&& other) noexcept;
    ~WindowMemory();

    /// nullptr: no BAR.
    std::byte* data() const { return data_; }
    std::uint64_t size() const { return size_; }

    /// Shows `size` bytes at `fd_offset` of `fd` at `offset`, in place of what was there. Errors: outside of
    /// the BAR; the kernel's.
    ntblab::Result<void> map(std::uint64_t offset, std::uint64_t size, int fd, std::uint64_t fd_offset);
    /// Puts memory of nobody in the place of what was there. Throws when the kernel refuses.
    void clear(std::uint64_t offset, std::uint64_t size);

  private:
    WindowMemory(std::byte* data, std::uint64_t size) : data_(data), size_(size) {}
    bool inside(std::uint64_t offset, std::uint64_t size) const {
        return size <= size_ && offset <= size_ - size;
    }

    std::byte* data_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace ntblink
