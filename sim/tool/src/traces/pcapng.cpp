// SPDX-License-Identifier: MIT
#include "pcapng.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>

#include "tlp_bytes.h"

namespace ntblab::sim {
namespace {

// Block types, options and their values: draft-ietf-opsawg-pcapng, 4.1 to 4.3.
constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a, kInterface = 1, kEnhancedPacket = 6;
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::uint16_t kEnd = 0, kComment = 1, kApplication = 4, kName = 2, kDescription = 3, kSpeed = 8,
                        kResolution = 9, kFlags = 2;
constexpr std::uint16_t kUser0 = 147;
constexpr std::uint32_t kOutbound = 2, kChecksumError = 1U << 24;

constexpr std::uint32_t kLcrc = 4;

/// Little-endian.
class Bytes {
  public:
    template <std::integral T>
    Bytes& put(T value) {
        for (std::size_t i = 0; i < sizeof value; ++i)
            text_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
        return *this;
    }
    Bytes& put(std::string_view bytes) {
        text_ += bytes;
        text_.append((4 - bytes.size() % 4) % 4, '\0');
        return *this;
    }
    Bytes& option(std::uint16_t code, std::string_view value) {
        return put(code).put(static_cast<std::uint16_t>(value.size())).put(value);
    }
    template <std::integral T>
    Bytes& number(std::uint16_t code, T value) {
        return option(code, Bytes().put(value).text_);
    }
    std::string block(std::uint32_t type) const {
        const auto length = static_cast<std::uint32_t>(text_.size() + 12);
        return Bytes().put(type).put(length).put(text_).put(length).text_;
    }

  private:
    std::string text_;
};

}  // namespace

PcapngFile::PcapngFile(OutputFile file) : file_(std::move(file)) {
    constexpr std::uint16_t kMajor = 1, kMinor = 0;
    constexpr std::uint64_t kUnknownLength = ~std::uint64_t{0};
    file_.write(Bytes()
                    .put(kByteOrder)
                    .put(kMajor)
                    .put(kMinor)
                    .put(kUnknownLength)
                    .option(kApplication, "ntb-sim")
                    .option(kEnd, {})
                    .block(kSectionHeader));
}

void PcapngFile::add(const Interface& interface) {
    constexpr std::uint16_t kReserved = 0;
    constexpr std::uint32_t kNoLimit = 0;
    constexpr std::uint8_t kPicoseconds = 12;
    file_.write(Bytes()
                    .put(kUser0)
                    .put(kReserved)
                    .put(kNoLimit)
                    .option(kName, interface.name)
                    .option(kDescription, interface.description)
                    .number(kSpeed, interface.bits_per_second)
                    .number(kResolution, kPicoseconds)
                    .option(kEnd, {})
                    .block(kInterface));
}

void PcapngFile::add(const Packet& packet, pcie::Picoseconds at) {
    Bytes block;
    block.put(packet.interface)
        .put(static_cast<std::uint32_t>(at >> 32))
        .put(static_cast<std::uint32_t>(at))
        .put(static_cast<std::uint32_t>(packet.bytes.size()))
        .put(packet.length)
        .put(std::string_view(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size()))
        .number(kFlags, kOutbound | (packet.checksum_error ? kChecksumError : 0));
    if (!packet.comment.empty()) block.option(kComment, packet.comment);
    file_.write(block.option(kEnd, {}).block(kEnhancedPacket));
}

void PcapngWriter::add(const pcie::Link& link) {
    const pcie::Encoding& encoding = link.encoding();
    interfaces_[&link] = static_cast<std::uint32_t>(2 * interfaces_.size());
    for (unsigned side : {0U, 1U})
        file_.add({fmt::format("{}.from{}", link.basename(), side),
                   fmt::format("Gen{} x{}", encoding.generation(), encoding.lanes()),
                   static_cast<std::uint64_t>(std::llround(encoding.gigabits() * 1e9))});
}

void PcapngWriter::sent(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp,
                        const pcie::TlpOnWire& wire) {
    const auto found = interfaces_.find(&link);
    if (found == interfaces_.end()) return;
    const auto sequence = static_cast<std::uint16_t>(wire.sequence % 4096);
    PcapngFile::Packet packet{
        .interface = found->second + side,
        .bytes = {static_cast<std::uint8_t>(sequence >> 8), static_cast<std::uint8_t>(sequence)},
        .checksum_error = !wire.whole,
        .comment = wire.again ? "replay" : ""};
    const std::vector<std::uint8_t> header = header_of(tlp);
    packet.bytes.insert(packet.bytes.end(), header.begin(), header.end());
    packet.length = static_cast<std::uint32_t>(packet.bytes.size()) +
                    (pcie::payload_bytes(tlp) > 0 ? 4 * dws_of(tlp) : 0) + kLcrc;
    packets_.add(wire.begin, std::move(packet));
    flush(pcie::now());
}

void PcapngWriter::flush(pcie::Picoseconds until) {
    packets_.take(until,
                  [this](pcie::Picoseconds at, const PcapngFile::Packet& packet) { file_.add(packet, at); });
}

Result<void> PcapngWriter::finish() {
    flush(pcie::kNever);
    return file_.finish();
}

}  // namespace ntblab::sim
