// SPDX-License-Identifier: MIT
// A host that runs firmware commands, as the driver does without DMA.
//
//     MrpcBench bench(2);
//     EXPECT_EQ(bench.call(0x41, words({7})), kSuccess);
//     EXPECT_EQ(bench.output(0, 4), ~7U);
#pragma once

#include "bench.h"

namespace switchtec::test {

inline constexpr std::uint32_t kSuccess = 0, kBadSubcommand = 0x64004, kBadCommand = 0x64005,
                               kBadParameter = 0x64006, kDenied = 0x64010, kBadStack = 0x100001,
                               kBadPort = 0x100002, kAccessRefused = 0xFFFF0001;

using Bytes = std::vector<std::uint8_t>;

inline Bytes words(std::initializer_list<std::uint32_t> values) {
    Bytes bytes;
    for (std::uint32_t value : values) {
        for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    return bytes;
}

class MrpcBench : public Bench {
  public:
    explicit MrpcBench(unsigned partitions) : MrpcBench(config_of(partitions)) {}
    explicit MrpcBench(const ChipConfig& config) : Bench(config) {
        for (unsigned p = 0; p < chip.partitions(); ++p) boot(p);
    }

    /// Writes the input and the command, and returns the return value; what status says must fit it.
    std::uint32_t call(std::uint32_t command, const Bytes& input = {}, unsigned host = 0) {
        Bytes all = input;
        all.resize(1024);
        for (unsigned i = 0; i < all.size(); ++i) set(host, Reg::MrpcInput, 0, i, all[i]);
        set(host, Reg::MrpcCommand, 0, 0, command);
        const auto result = static_cast<std::uint32_t>(get(host, Reg::MrpcReturn));
        EXPECT_EQ(get(host, Reg::MrpcStatus), result == 0 ? kMrpcDone : kMrpcError);
        return result;
    }
    std::uint64_t output(unsigned offset, unsigned size, unsigned host = 0) const {
        return chip.read(host, offset_of(Reg::MrpcOutput) + offset, size);
    }
    Bytes outputs(unsigned offset, unsigned count, unsigned host = 0) const {
        Bytes bytes;
        for (unsigned i = 0; i < count; ++i)
            bytes.push_back(static_cast<std::uint8_t>(output(offset + i, 1, host)));
        return bytes;
    }
    std::string text(unsigned offset, unsigned count) const {
        const Bytes bytes = outputs(offset, count);
        return {bytes.begin(), bytes.end()};
    }
};

inline ChipConfig device(std::uint16_t device_id, unsigned partitions = 2, std::uint16_t vendor_id = 0x11F8) {
    ChipConfig config = pairs(partitions);
    config.device_id = device_id;
    config.vendor_id = vendor_id;
    return config;
}
inline constexpr std::uint16_t kGen3 = 0x8536, kGen4 = 0x4000, kGen5 = 0x5000;

}  // namespace switchtec::test
