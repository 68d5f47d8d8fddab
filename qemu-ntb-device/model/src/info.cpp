// SPDX-License-Identifier: MIT
#include "info.h"

#include <string_view>

#include "events.h"
#include "firmware.h"
#include "identity.h"
#include "pff.h"
#include "ports.h"

namespace switchtec::info {
namespace {

using namespace std::string_view_literals;

constexpr unsigned kNoPff = 0xFF;
constexpr std::uint8_t kNoPort = 0xFF;

// Text registers are padded with blanks.
std::uint32_t character(std::string_view text, unsigned index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : ' ';
}

bool is_gen3(const State& s) {
    return layout(s) == Layout::Gen3;
}

}  // namespace

std::uint32_t read_top(const State& s, unsigned partition, const Location& at) {
    switch (at.reg->id) {
        case Reg::TopBifurcationValid:
            return 1;
        case Reg::TopStackValid:
            for (unsigned p = 0; p < s.partition_count; ++p) {
                if (ports::of_partition(s, p) / ports::kPerStack == at.index) return 1;
            }
            return 0;
        case Reg::TopPartitionCount:
            return s.partition_count;
        case Reg::TopPartitionId:
            return partition;
        case Reg::TopPffCount:
            return s.partition_count * pff::kPerPartition;
        case Reg::TopPffPort: {
            const unsigned owner = at.index / pff::kPerPartition;
            const bool upstream = at.index % pff::kPerPartition == 0;
            return upstream && owner < s.partition_count ? ports::of_partition(s, owner) : kNoPort;
        }
        default:
            return 0;
    }
}

std::uint32_t read_system(const State& s, unsigned partition, const Location& at) {
    switch (at.reg->id) {
        case Reg::SysDeviceId:
        case Reg::SysPortDeviceId:
        case Reg::SysSubsystemId:
        case Reg::SysComponentId:
            return s.device_id;
        case Reg::SysDeviceVersion:
        case Reg::SysGasLayoutVersion:
        case Reg::SysEventListVersion:
        case Reg::SysCommandSetVersion:
        case Reg::SysTableFormat:
        case Reg::SysMrpcVersion:
        case Reg::SysComponentRevision:
            return 1;
        case Reg::SysFirmwareVersion:
        case Reg::SysXmlVersion:
            return firmware::version(s);
        case Reg::SysPartitionId:
            return partition;
        case Reg::SysRunningBl2:
            return 4;
        case Reg::SysRunningConfig:
            return is_gen3(s) ? 4 : 6;
        case Reg::SysRunningImage:
            return is_gen3(s) ? 3 : 8;
        case Reg::SysRunningKey:
            return 2;
        case Reg::SysPortVendorId:
            return pff::kVendor;
        case Reg::SysPortClass:
            return pff::kUpstreamPortClass;
        case Reg::SysSubsystemVendorId:
            return s.vendor_id;
        case Reg::SysVendor:
        case Reg::SysComponentVendor:
            return character("MICROSEM"sv, at.index);
        case Reg::SysProduct:
            return character(identity(s).name, at.index);
        case Reg::SysRevision:
            return character("01"sv, at.index);
        default:
            return 0;
    }
}

std::uint64_t read_flash(const State& s, const Location& at) {
    using firmware::Part;
    const auto address = [](Part part) { return firmware::place(part).address; };
    switch (at.reg->id) {
        case Reg::FlashLength:
            return firmware::kFlashSize;
        case Reg::FlashActiveImage:
            return address(at.index == 0 ? Part::Image0 : Part::Image1);
        case Reg::FlashActiveConfig:
            return address(at.index == 0 ? Part::Config0 : Part::Config1);
        case Reg::FlashActiveImageVersion:
        case Reg::FlashActiveConfigVersion:
            return at.index == 0 ? firmware::version(s) : 0;
        case Reg::FlashPart: {
            const unsigned first = static_cast<unsigned>(is_gen3(s) ? Part::Config0 : Part::Map0);
            const auto place = firmware::place(static_cast<Part>(first + at.index));
            return std::uint64_t{place.size} << 32 | place.address;
        }
        default:
            return 0;
    }
}

std::uint32_t read_partition_config(const State& s, const Location& at) {
    const unsigned p = at.block_index;
    if (p >= s.partition_count) return 0;
    switch (at.reg->id) {
        case Reg::PartStatus:
        case Reg::PartState:
            return s.partition[p].host.attached;
        case Reg::PartPortCount:
            return pff::kPerPartition;
        case Reg::PartUspPff:
            return p * pff::kPerPartition;
        case Reg::PartVepPff:
            return p * pff::kPerPartition + 1;
        case Reg::PartDspPff:
            return kNoPff;
        case Reg::PartPortEvents: {
            const Partition& partition = s.partition[p];
            std::uint32_t bits = 0;
            for (unsigned i = 0; i < pff::kPerPartition; ++i) {
                if (events::summary(partition.pff_events[i], kPffEvents) != 0) bits |= 1U << i;
            }
            return bits;
        }
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
