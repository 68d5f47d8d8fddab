// SPDX-License-Identifier: MIT
#include "info.h"

#include <string_view>

#include "events.h"
#include "pff.h"

namespace switchtec::info {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kMiB = 1ULL << 20;
constexpr std::uint32_t kFirmwareVersion = 0x04000000;  // The major byte says Gen4.
constexpr unsigned kNoPff = 0xFF;

// Text registers are padded with blanks.
std::uint32_t character(std::string_view text, unsigned index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : ' ';
}

}  // namespace

std::uint32_t read_system(const State& s, unsigned partition, const Location& at) {
    switch (at.reg->id) {
        case Reg::SysDeviceId:
            return s.device_id;
        case Reg::SysDeviceVersion:
        case Reg::SysGasLayoutVersion:
        case Reg::SysCommandSetVersion:
        case Reg::SysMrpcVersion:
            return 1;
        case Reg::SysFirmwareVersion:
            return kFirmwareVersion;
        case Reg::SysPartitionId:
            return partition;
        case Reg::SysRunningBl2:
            return 4;
        case Reg::SysRunningConfig:
            return 6;
        case Reg::SysRunningImage:
            return 8;
        case Reg::SysRunningKey:
            return 2;
        case Reg::SysVendor:
            return character("MICROSEM"sv, at.index);
        case Reg::SysProduct:
            return character("PFX G4 by ntblab"sv, at.index);
        case Reg::SysRevision:
            return character("01"sv, at.index);
        default:
            return 0;
    }
}

std::uint64_t read_flash(const Location& at) {
    switch (at.reg->id) {
        case Reg::FlashLength:
            return 32 * kMiB;
        case Reg::FlashPart:
            return kMiB << 32 | at.index * kMiB;
        default:
            return 0;
    }
}

std::uint32_t read_partition_config(const State& s, const Location& at) {
    const unsigned p = at.block_index;
    if (p >= s.partition_count) return 0;
    switch (at.reg->id) {
        case Reg::PartStatus:
            return s.partition[p].host.attached;
        case Reg::PartPortCount:
            return pff::kPerPartition;
        case Reg::PartUspPff:
            return p * pff::kPerPartition;
        case Reg::PartVepPff:
            return p * pff::kPerPartition + 1;
        case Reg::PartDspPff:
            return kNoPff;
        case Reg::PartSummary:
            return events::summary(s.partition[p].events, 4);  // intercomm_notify has no summary bit.
        default:
            return 0;
    }
}

std::uint64_t read_ntb(const State& s, unsigned partition, const Location& at) {
    const std::uint64_t targets = at.index < s.partition_count ? s.partition[at.index].config().targets : 0;
    switch (at.reg->id) {
        case Reg::NtbPartitionCount:
            return s.partition_count;
        case Reg::NtbPartitionId:
            return partition;
        case Reg::NtbEndpointMap:
            return endpoints(s);
        case Reg::NtbRequesterId:
            return s.partition[partition].host.requester_id;
        case Reg::NtbTargetLow:
            return targets & 0xFFFFFFFF;
        case Reg::NtbTargetHigh:
            return targets >> 32;
        default:
            return 0;
    }
}

}  // namespace switchtec::info
