// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <ntblink/ram_table.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ntblink {

namespace {

std::uint64_t page_size() {
    static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

ntblab::Result<std::vector<wire::RamRange>> read_ranges(int fd, std::uint32_t count) {
    if (count > wire::kMaxRamRanges) {
        return ntblab::fail(
            fmt::format("{} RAM ranges, at most {} can be shared", count, wire::kMaxRamRanges));
    }
    std::vector<wire::RamRange> ranges(count);
    const std::size_t size = count * sizeof(wire::RamRange);
    if (::pread(fd, ranges.data(), size, 0) != static_cast<ssize_t>(size)) {
        return ntblab::fail(fmt::format("the file of {} RAM ranges does not hold them", count));
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& a, const auto& b) { return a.address < b.address; });
    return ranges;
}

ntblab::Result<void> check_range(const wire::RamRange& range, std::span<const ntblab::UniqueFd> files) {
    const auto bad = [&](const std::string& problem) {
        return ntblab::fail(fmt::format("RAM range at bus address {:#x}, {:#x} bytes: {}", range.address,
                                        range.size, problem));
    };
    const std::uint64_t page = page_size();
    if (range.size == 0) return bad("it is empty; leave it out");
    if ((range.address | range.size | range.fd_offset) % page != 0) {
        return bad(
            fmt::format("address, size and file offset ({:#x}) must be multiples of the page size {:#x}",
                        range.fd_offset, page));
    }
    if (range.address + range.size - 1 < range.address) return bad("it ends beyond the 64-bit address space");
    if (range.file >= files.size()) {
        return bad(fmt::format("it names file {} of {}", range.file, files.size()));
    }

    const int fd = files[range.file].get();
    struct stat status {};
    if (::fstat(fd, &status) != 0) return bad(fmt::format("its descriptor: {}", std::strerror(errno)));
    const auto file_size = static_cast<std::uint64_t>(status.st_size);
    if (range.fd_offset > file_size || range.size > file_size - range.fd_offset) {
        return bad(fmt::format("file offset {:#x} is beyond the end of its file of {:#x} bytes",
                               range.fd_offset, file_size));
    }
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
        return bad(
            "its memory could shrink under the peers; it must be a memfd sealed against shrinking "
            "(memory-backend-memfd,share=on,seal=on)");
    }
    return {};
}

ntblab::Result<void> check_ranges(std::span<const wire::RamRange> sorted,
                                  std::span<const ntblab::UniqueFd> files) {
    std::uint64_t last = 0;
    bool first = true;
    for (const wire::RamRange& range : sorted) {
        if (auto checked = check_range(range, files); !checked) return checked;
        if (!first && range.address <= last) {
            return ntblab::fail(fmt::format(
                "RAM range at bus address {:#x} overlaps the one that ends at {:#x}", range.address, last));
        }
        first = false;
        last = range.address + range.size - 1;
    }
    return {};
}

}  // namespace

ntblab::Result<RamTable> RamTable::receive(const wire::RamTable& message, std::vector<ntblab::UniqueFd> fds) {
    RamTable table;
    if (message.count == 0) return table;
    if (fds.empty()) return ntblab::fail("RAM ranges came without a descriptor");
    auto ranges = read_ranges(fds.front().get(), message.count);
    if (!ranges) return tl::unexpected(ranges.error());
    if (auto checked = check_ranges(*ranges, std::span(fds).subspan(1)); !checked)
        return tl::unexpected(checked.error());
    table.fds_ = std::move(fds);
    table.ranges_ = std::move(*ranges);
    return table;
}

std::vector<int> RamTable::descriptors() const {
    std::vector<int> numbers;
    for (const ntblab::UniqueFd& fd : fds_) numbers.push_back(fd.get());
    return numbers;
}

ntblab::Result<ntblab::UniqueFd> file_of_ranges(std::span<const wire::RamRange> ranges) {
    ntblab::UniqueFd file(::memfd_create("ntb-ram-ranges", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const auto size = static_cast<ssize_t>(ranges.size_bytes());
    if (!file || ::pwrite(file.get(), ranges.data(), ranges.size_bytes(), 0) != size ||
        ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) {
        return ntblab::fail(fmt::format("a file of {} RAM ranges: {}", ranges.size(), std::strerror(errno)));
    }
    return file;
}

RamMap::RamMap(RamTable table) : table_(std::move(table)) {
    for (const wire::RamRange& range : table_.ranges()) {
        const int fd = table_.file(range);
        if (!pieces_.empty()) {
            Piece& previous = pieces_.back();
            if (previous.fd == fd && previous.address + previous.size == range.address &&
                previous.fd_offset + previous.size == range.fd_offset) {
                previous.size += range.size;
                continue;
            }
        }
        pieces_.push_back({range.address, range.size, fd, range.fd_offset});
    }
}

}  // namespace ntblink
