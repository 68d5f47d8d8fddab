// SPDX-License-Identifier: MIT
#include "pff.h"

namespace switchtec::pff {
namespace {

// Capabilities as lspci shows them on hardware: MSI 0x40, MSI-X 0x50, PM 0x5C, PCIe 0x64.
constexpr std::uint32_t kMsi = 0x40, kMsix = 0x50, kPm = 0x5C, kPcie = 0x64;
constexpr std::uint32_t kMemory64Prefetchable = 0xC;
constexpr std::uint16_t kMemorySpace = 1U << 1, kBusMaster = 1U << 2, kCapabilityList = 1U << 4;

bool is_upstream(unsigned pff) {
    return pff % kPerPartition == 0;
}
const Partition& partition_of(const State& s, unsigned pff) {
    return s.partition[pff / kPerPartition];
}

std::uint32_t bar(const Partition& p, unsigned index) {
    const bool present = index == 0 || bar_size(p.config(), index) != 0;
    return present ? kMemory64Prefetchable : 0;
}

std::uint32_t capability(const State& s, unsigned pff, std::uint32_t offset) {
    const Partition& p = partition_of(s, pff);
    const std::uint32_t link = p.config().link_generation | std::uint32_t{p.config().link_width} << 4;
    const std::uint32_t port_type = is_upstream(pff) ? 5 : 0;  // Switch upstream port; endpoint.
    switch (offset) {
        case kMsi:
            return 0x05 | kMsix << 8 | (1U << 7 | 2U << 1) << 16;  // 64-bit, 4 messages.
        case kMsix:
            return 0x11 | kPm << 8 | (p.config().vectors - 1U) << 16;
        case kMsix + 4:
            return offset_of(Reg::MsixTable, pff / kPerPartition);
        case kMsix + 8:
            return offset_of(Reg::MsixPba, pff / kPerPartition);
        case kPm:
            return 0x01 | kPcie << 8 | 3U << 16;
        case kPcie:
            return 0x10 | (2U | port_type << 4) << 16;
        case kPcie + 0x04:
            return 2U | 1U << 5 | 1U << 28;  // Payload 512, extended tags, FLR.
        case kPcie + 0x0C:
            return link;
        case kPcie + 0x10:
            return p.host.attached ? link << 16 : 0;
        default:
            return 0;
    }
}

}  // namespace

std::uint32_t read_config(const State& s, unsigned pff, const RegisterInfo& reg, unsigned index) {
    const Partition& p = partition_of(s, pff);
    switch (reg.id) {
        case Reg::PffVendorId:
            return kVendor;
        case Reg::PffDeviceId:
            return s.device_id;
        case Reg::PffCommand:
            return (p.host.attached ? kMemorySpace : 0U) | (p.host.bus_master ? kBusMaster : 0U);
        case Reg::PffStatus:
            return kCapabilityList;
        case Reg::PffClass:
            return (is_upstream(pff) ? kUpstreamPortClass : class_code(p.config().function)) << 8;
        case Reg::PffOptions:
            return (is_upstream(pff) ? 1U : 0U) << 16;
        case Reg::PffBar:
            return is_upstream(pff) ? 0 : bar(p, index);
        case Reg::PffSubsystem:
            return s.vendor_id | std::uint32_t{s.device_id} << 16;
        case Reg::PffCapPointer:
            return kMsi;
        case Reg::PffCapability:
            return capability(s, pff, 0x40 + index * 4);
        default:
            return 0;
    }
}

}  // namespace switchtec::pff
