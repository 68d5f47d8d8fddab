// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <ntblink/ram_table.h>
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

std::vector<wire::RamRange> sorted_ranges(const wire::RamTable& table) {
    std::vector<wire::RamRange> ranges(table.ranges, table.ranges + table.count);
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& a, const auto& b) { return a.address < b.address; });
    return ranges;
}

ntblab::Result<void> check_range(const wire::RamRange& range, std::span<const ntblab::UniqueFd> fds) {
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
    if (range.fd_index >= fds.size()) {
        return bad(fmt::format("it names descriptor {} of {}", range.fd_index, fds.size()));
    }

    const int fd = fds[range.fd_index].get();
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

}  // namespace

ntblab::Result<void> check_ram_table(const wire::RamTable& table, std::span<const ntblab::UniqueFd> fds) {
    if (table.count > wire::kMaxRamRanges) {
        return ntblab::fail(
            fmt::format("{} RAM ranges, at most {} can be shared", table.count, wire::kMaxRamRanges));
    }
    std::uint64_t last = 0;
    bool first = true;
    for (const wire::RamRange& range : sorted_ranges(table)) {
        if (auto checked = check_range(range, fds); !checked) return checked;
        if (!first && range.address <= last) {
            return ntblab::fail(fmt::format(
                "RAM range at bus address {:#x} overlaps the one that ends at {:#x}", range.address, last));
        }
        first = false;
        last = range.address + range.size - 1;
    }
    return {};
}

ntblab::Result<RamMap> RamMap::make(const wire::RamTable& table, std::vector<ntblab::UniqueFd> fds) {
    if (auto checked = check_ram_table(table, fds); !checked) return tl::unexpected(checked.error());
    RamMap map;
    map.fds_ = std::move(fds);
    for (const wire::RamRange& range : sorted_ranges(table)) {
        const int fd = map.fds_[range.fd_index].get();
        if (!map.pieces_.empty()) {
            Piece& previous = map.pieces_.back();
            if (previous.fd == fd && previous.address + previous.size == range.address &&
                previous.fd_offset + previous.size == range.fd_offset) {
                previous.size += range.size;
                continue;
            }
        }
        map.pieces_.push_back({range.address, range.size, fd, range.fd_offset});
    }
    return map;
}

}  // namespace ntblink
