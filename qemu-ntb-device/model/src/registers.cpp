// SPDX-License-Identifier: MIT
#include "switchtec/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace switchtec {
namespace {

constexpr const char* kGlobalEventNames[kGlobalEvents] = {
    "stack_error",   "ppu_error",           "isp_error",      "sys_reset",     "fw_exception",
    "fw_nmi",        "fw_non_fatal",        "fw_fatal",       "twi_mrpc_comp", "twi_mrpc_comp_async",
    "cli_mrpc_comp", "cli_mrpc_comp_async", "gpio_interrupt", "gfms"};
constexpr const char* kPartEventNames[kPartEvents] = {"part_reset", "mrpc_comp", "mrpc_comp_async",
                                                      "dyn_binding", "intercomm_notify"};
constexpr const char* kPffEventNames[kPffEvents] = {
    "aer_in_p2p", "aer_in_vep",     "dpc",         "cts",
    "uec",        "hotplug",        "ier",         "threshold",
    "power_mgmt", "tlp_throttling", "force_speed", "credit_timeout",
    "link_state"};
constexpr const char* kFlashPartNames[] = {
    "map0",  "map1",    "key0",    "key1",    "bl2_0",   "bl2_1",   "cfg0",    "cfg1",    "img0",   "img1",
    "nvlog", "vendor0", "vendor1", "vendor2", "vendor3", "vendor4", "vendor5", "vendor6", "vendor7"};

constexpr RegisterInfo many(Reg id, const char* name, unsigned offset, unsigned size, unsigned count,
                            unsigned stride, Access access, const char* meaning,
                            const char* const* indices = nullptr) {
    return {.id = id,
            .access = access,
            .size = static_cast<std::uint8_t>(size),
            .offset = static_cast<std::uint16_t>(offset),
            .count = static_cast<std::uint16_t>(count),
            .stride = static_cast<std::uint16_t>(stride),
            .name = name,
            .indices = indices,
            .meaning = meaning};
}
constexpr RegisterInfo one(Reg id, const char* name, unsigned offset, unsigned size, Access access,
                           const char* meaning) {
    return many(id, name, offset, size, 1, size, access, meaning);
}

using enum Access;

constexpr RegisterInfo kMrpc[] = {
    many(Reg::MrpcInput, "input_data[]", 0x000, 1, 1024, 1, ReadWrite,
         "Command payload. One MRPC per partition"),
    many(Reg::MrpcOutput, "output_data[]", 0x400, 1, 1024, 1, ReadOnly, "Answer"),
    one(Reg::MrpcCommand, "cmd", 0x800, 4, Command, "Runs command [15:0]; ours: when byte 0 is written"),
    one(Reg::MrpcStatus, "status", 0x804, 4, ReadOnly, "2 done, 0xFF error"),
    one(Reg::MrpcReturn, "ret_value", 0x808, 4, ReadOnly, "0, or why it failed"),
    one(Reg::MrpcDmaVersion, "dma_ver", 0x81C, 4, ReadOnly, "0: no MRPC by DMA"),
};
constexpr RegisterInfo kSwitchEvents[] = {
    one(Reg::GlobalPartitionEvents, "part_event_bitmap", 0x10, 8, ReadOnly,
        "Partitions whose summary is not 0"),
    one(Reg::GlobalSummary, "global_summary", 0x20, 4, ReadOnly, "Bit per event that occurred"),
    many(Reg::GlobalEvent, "*_hdr", 0x30, 4, kGlobalEvents, 0x18, Mixed, "Event header", kGlobalEventNames),
};
constexpr RegisterInfo kSysInfo[] = {
    one(Reg::SysDeviceId, "device_id", 0x000, 4, ReadOnly, "PCI device ID"),
    one(Reg::SysDeviceVersion, "device_version", 0x004, 4, ReadOnly, "Ours: 1"),
    one(Reg::SysFirmwareVersion, "firmware_version", 0x008, 4, ReadOnly,
        "Ours: 0x04000000; major 4 means Gen4"),
    one(Reg::SysGasLayoutVersion, "gas_layout_ver", 0x00C, 2, ReadOnly, "Ours: 1"),
    many(Reg::SysCommandSetVersion, "cmd_set_ver[]", 0x010, 2, 2, 2, ReadOnly, "Management, fabric. Ours: 1"),
    many(Reg::SysMrpcVersion, "mrpc_ver[]", 0x01C, 1, 4, 1, ReadOnly,
         "UART, TWI, Ethernet, in-band. Ours: 1"),
    one(Reg::SysPartitionId, "partition_id", 0x048, 4, ReadOnly, "The reader's own partition"),
    one(Reg::SysRunningBl2, "bl2_running", 0x04C, 2, ReadOnly, "4: image 0"),
    one(Reg::SysRunningConfig, "cfg_running", 0x04E, 2, ReadOnly, "6: image 0"),
    one(Reg::SysRunningImage, "img_running", 0x050, 2, ReadOnly, "8: image 0"),
    one(Reg::SysRunningKey, "key_running", 0x052, 2, ReadOnly, "2: image 0"),
    many(Reg::SysVendor, "vendor_id[]", 0x13C, 1, 8, 1, ReadOnly, "Text"),
    many(Reg::SysProduct, "product_id[]", 0x144, 1, 24, 1, ReadOnly, "Text"),
    many(Reg::SysRevision, "product_revision[]", 0x15C, 1, 2, 1, ReadOnly, "Text"),
};
constexpr RegisterInfo kFlashInfo[] = {
    one(Reg::FlashAddress, "flash_address", 0x00, 4, ReadOnly, "Ours: 0"),
    one(Reg::FlashLength, "flash_length", 0x04, 4, ReadOnly, "Ours: 32 MiB"),
    many(Reg::FlashActive, "active_flag[]", 0x08, 1, 4, 1, ReadOnly,
         "bl2, cfg, img, key: 0, the first image"),
    many(Reg::FlashPart, "*", 0x18, 8, std::size(kFlashPartNames), 8, ReadOnly,
         "Address, length. Ours: 1 MiB each", kFlashPartNames),
};
constexpr RegisterInfo kPartConfig[] = {
    one(Reg::PartStatus, "status", 0x000, 4, ReadOnly, "Ours: 1 while a host is attached"),
    one(Reg::PartPortCount, "port_cnt", 0x008, 4, ReadOnly, "2: upstream port and virtual endpoint"),
    one(Reg::PartUspPff, "usp_pff_inst_id", 0x010, 4, ReadOnly, "Ours: 2 x partition"),
    one(Reg::PartVepPff, "vep_pff_inst_id", 0x014, 4, ReadOnly, "Ours: 2 x partition + 1"),
    many(Reg::PartDspPff, "dsp_pff_inst_id[]", 0x018, 4, 47, 4, ReadOnly, "0xFF: none"),
    one(Reg::PartVepVector, "vep_vector_number", 0x100, 2, ReadOnly, "Vector of the event interrupt: 0"),
    one(Reg::PartUspVector, "usp_vector_number", 0x102, 2, ReadOnly,
        "0, as the NTB driver reads both as one u32"),
    one(Reg::PartSummary, "part_event_summary", 0x114, 4, ReadOnly, "Bit per event 0..3 that occurred"),
    many(Reg::PartEvent, "*_hdr", 0x124, 4, kPartEvents, 0x18, Mixed, "Event header", kPartEventNames),
};
constexpr RegisterInfo kNtbInfo[] = {
    one(Reg::NtbPartitionCount, "partition_count", 0x00, 1, ReadOnly, "Partitions of this switch"),
    one(Reg::NtbPartitionId, "partition_id", 0x01, 1, ReadOnly, "The reader's own partition"),
    one(Reg::NtbEndpointMap, "ep_map", 0x04, 8, ReadOnly, "Partitions with an NT endpoint"),
    one(Reg::NtbRequesterId, "requester_id", 0x0C, 2, ReadOnly, "Of the reader's own NT function"),
    many(Reg::NtbCrosslink, "ntp_info[].xlink_enabled", 0x20, 4, 48, 0x10, ReadOnly, "0: no crosslink"),
    many(Reg::NtbTargetLow, "ntp_info[].target_part_low", 0x24, 4, 48, 0x10, ReadOnly,
         "Target partitions 0..31"),
    many(Reg::NtbTargetHigh, "ntp_info[].target_part_high", 0x28, 4, 48, 0x10, ReadOnly,
         "Target partitions 32..47"),
};
constexpr RegisterInfo kNtbControl[] = {
    one(Reg::NtbPartitionStatus, "partition_status", 0x00, 4, ReadOnly,
        "[15:0] state as the reader's partition sees it, [23:16] lock owner (ours: 0 if none), [31:24] this "
        "block's partition"),
    one(Reg::NtbPartitionOp, "partition_op", 0x04, 4, Command,
        "1 LOCK, 2 CONFIGURE, 3 RESET; ours: when byte 0 is written; reads 0"),
    one(Reg::NtbPartitionCtrl, "partition_ctrl", 0x08, 4, Staged, "Bit 0: requester-ID protection off"),
    one(Reg::NtbBarSetup, "bar_setup", 0x0C, 4, ReadOnly, "Ours: 0"),
    one(Reg::NtbBarError, "bar_error", 0x10, 4, ReadOnly, "Of the last CONFIGURE: code << 16 | BAR"),
    one(Reg::NtbLutEntries, "lut_table_entries", 0x14, 2, ReadOnly, "LUT entries that exist"),
    one(Reg::NtbLutOffset, "lut_table_offset", 0x16, 2, ReadOnly, "Ours: 0x1000"),
    one(Reg::NtbLutError, "lut_error", 0x18, 4, ReadOnly, "Of the last CONFIGURE: code << 16 | entry"),
    one(Reg::NtbRequesterTableSize, "req_id_table_size", 0x1C, 2, ReadOnly, "Entries that exist"),
    one(Reg::NtbRequesterTableOffset, "req_id_table_offset", 0x1E, 2, ReadOnly, "Ours: 0x400"),
    one(Reg::NtbRequesterError, "req_id_error", 0x20, 4, ReadOnly,
        "Of the last CONFIGURE: code << 16 | entry"),
    many(Reg::NtbBarCtl, "bar_entry[].ctl", 0x40, 4, 6, 0x10, Staged,
         "Bit 0 valid (read only), 4 direct window, 5 LUT windows, [13:8] log2 of entry size, [22:14] LUT "
         "entries - 1"),
    many(Reg::NtbBarWindowSize, "bar_entry[].win_size", 0x44, 4, 6, 0x10, Staged,
         "[31:12] size, [5:0] translation position"),
    many(Reg::NtbBarTranslation, "bar_entry[].xlate_addr", 0x48, 8, 6, 0x10, Staged,
         "Bus address, [11:0] target partition"),
    many(Reg::NtbBarWindowSizeExt, "bar_ext_entry[].win_size", 0xA0, 4, 6, 0x10, Staged, "Size [63:32]"),
    many(Reg::NtbRequesterEntry, "req_id_table[]", 0x400, 4, 512, 4, Staged,
         "[31:16] requester ID, [8:1] proxy devfn (read only, there from reset; ours: 8 + entry, at most "
         "0xFF), bit 0 valid"),
    many(Reg::NtbLutEntry, "lut_entry[]", 0x1000, 8, 512, 8, Staged,
         "[63:16] bus address, [15:1] target partition, bit 0 valid"),
};
constexpr RegisterInfo kDoorbells[] = {
    one(Reg::OutDoorbell, "odb", 0x1000, 8, WriteOneSets, "Rings bits at the target partitions; reads 0"),
    one(Reg::OutDoorbellMask, "odb_mask", 0x1008, 8, ReadWrite, "1: the bit may go out"),
    one(Reg::InDoorbell, "idb", 0x1010, 8, WriteOneClears, "Pending doorbells"),
    one(Reg::InDoorbellMask, "idb_mask", 0x1018, 8, ReadWrite, "1: the bit interrupts"),
    many(Reg::InVectorMap, "idb_vec_map[]", 0x1020, 1, 64, 1, ReadWrite,
         "Vector of each doorbell; 60..63: of inbound message 0..3. Power-on: 0xff, none (ours)"),
    one(Reg::MessageMap, "msg_map", 0x1060, 4, ReadWrite,
        "Byte i: where omsg[i] goes, inbound index | partition << 2"),
    many(Reg::OutMessage, "omsg[].msg", 0x1068, 4, 4, 8, Command,
         "Sends; ours: a write of any part sends the whole register"),
    many(Reg::OutMessageStatus, "omsg[].status", 0x106C, 4, 4, 8, ReadOnly,
         "Ours: bit 0 waits for the inbound register to be read and its gap to end, bit 1 was not delivered "
         "(no such target, no host there, or it has set no vector)"),
    many(Reg::InMessage, "imsg[].msg", 0x1088, 4, 4, 8, ReadOnly, "The message"),
    many(Reg::InMessageStatus, "imsg[].status", 0x108C, 1, 4, 8, WriteOneClears,
         "Bit 0: a message is there. Ours: after it was cleared a gap of 100 ms before the next one"),
    many(Reg::InMessageMask, "imsg[].mask", 0x108D, 1, 4, 8, ReadWrite, "Bit 0: it interrupts"),
    many(Reg::InMessageSource, "imsg[].src", 0x108E, 1, 4, 8, ReadOnly, "Partition it came from"),
};
constexpr RegisterInfo kPff[] = {
    one(Reg::PffVendorId, "vendor_id", 0x00, 2, ReadOnly, "0x11F8: mainline counts PFFs by it"),
    one(Reg::PffDeviceId, "device_id", 0x02, 2, ReadOnly, "PCI device ID"),
    one(Reg::PffCommand, "pcicmd", 0x04, 2, ReadOnly, "Memory and bus master of the host's function"),
    one(Reg::PffStatus, "pcists", 0x06, 2, ReadOnly, "Capability list"),
    one(Reg::PffClass, "pci_class", 0x08, 4, ReadOnly, "0x060400 upstream port, 0x068000 virtual endpoint"),
    one(Reg::PffOptions, "pci_opts", 0x0C, 4, ReadOnly, "Header type"),
    many(Reg::PffBar, "pci_bar[]", 0x10, 4, 6, 4, ReadOnly, "Ours: type bits, address 0"),
    one(Reg::PffSubsystem, "pci_subsystem_id", 0x2C, 4, ReadOnly, "As vendor and device"),
    one(Reg::PffCapPointer, "pci_cap_ptr", 0x34, 4, ReadOnly, "0x40"),
    one(Reg::PffInterrupt, "pci_irq", 0x3C, 4, ReadOnly, "0: no INTx"),
    many(Reg::PffCapability, "pci_cap_region[]", 0x40, 4, 48, 4, ReadOnly,
         "MSI 0x40, MSI-X 0x50, PM 0x5C, PCIe 0x64 with link status 0x74 (speed, width; 0 while no host is "
         "attached)"),
    one(Reg::PffSummary, "pff_event_summary", 0xC00, 4, ReadOnly, "Bit per event that occurred"),
    many(Reg::PffEvent, "*_hdr", 0xC10, 4, kPffEvents, 0x18, Mixed, "Event header", kPffEventNames),
};

constexpr std::array kMap = {
    BlockInfo{Region::Mrpc, "mrpc", 0x000000, 0x1000, 1, kMrpc},
    BlockInfo{Region::SwitchEvents, "sw_event", 0x001800, 0x800, 1, kSwitchEvents},
    BlockInfo{Region::SysInfo, "sys_info", 0x002000, 0x200, 1, kSysInfo},
    BlockInfo{Region::FlashInfo, "flash_info", 0x002200, 0x1E00, 1, kFlashInfo},
    BlockInfo{Region::PartConfig, "part_cfg", 0x004000, 0x400, 48, kPartConfig},
    BlockInfo{Region::NtbInfo, "ntb_info", 0x010000, 0x4000, 1, kNtbInfo},
    BlockInfo{Region::NtbControl, "ntb_ctrl", 0x014000, 0x2000, 48, kNtbControl},
    BlockInfo{Region::Doorbells, "ntb_dbmsg", 0x074000, 0x4000, 48, kDoorbells},
    BlockInfo{Region::Pff, "pff_csr", 0x134000, 0x1000, 255, kPff},
};

const BlockInfo* block_at(std::uint32_t offset) {
    for (const BlockInfo& block : kMap) {
        if (offset >= block.base && offset < block.base + block.stride * block.count) return &block;
    }
    return nullptr;
}

std::string indexed(std::string name, unsigned index, const char* const* indices) {
    const std::string_view mark = indices ? "*" : "[]";
    const auto at = name.find(mark);
    if (at != std::string::npos)
        name.replace(at, mark.size(), indices ? indices[index] : fmt::format("[{}]", index));
    return name;
}

}  // namespace

std::span<const BlockInfo> register_map() {
    return kMap;
}

std::optional<Location> locate(std::uint32_t offset) {
    const BlockInfo* block = block_at(offset);
    if (!block) return std::nullopt;
    const unsigned block_index = (offset - block->base) / block->stride;
    const std::uint32_t block_start = block->base + block_index * block->stride;
    const std::uint32_t inside = offset - block_start;
    for (const RegisterInfo& reg : block->registers) {
        if (inside < reg.offset) continue;
        const unsigned index = (inside - reg.offset) / reg.stride;
        const unsigned byte = (inside - reg.offset) % reg.stride;
        if (index < reg.count && byte < reg.size)
            return Location{block, &reg, block_index, index, offset - byte};
    }
    return std::nullopt;
}

std::uint32_t offset_of(Reg id, unsigned block_index, unsigned index) {
    for (const BlockInfo& block : kMap) {
        for (const RegisterInfo& reg : block.registers) {
            if (reg.id != id) continue;
            if (block_index >= block.count || index >= reg.count) {
                throw std::out_of_range(
                    fmt::format("register {}[{}].{} has no index {}: it has {} blocks of {}", block.name,
                                block_index, reg.name, index, block.count, reg.count));
            }
            return block.base + block_index * block.stride + reg.offset + index * reg.stride;
        }
    }
    throw std::out_of_range(fmt::format("register {} is not in the map", static_cast<int>(id)));
}

const char* register_name(std::uint32_t offset, std::span<char> buffer) {
    const BlockInfo* block = block_at(offset);
    std::string name = block ? block->name : "gas";
    std::uint32_t distance = offset;
    if (block) {
        const unsigned block_index = (offset - block->base) / block->stride;
        distance = (offset - block->base) % block->stride;
        if (block->count > 1) name += fmt::format("[{}]", block_index);
        if (const auto at = locate(offset)) {
            name += "." + indexed(at->reg->name, at->index, at->reg->indices);
            distance = offset - at->start;
        }
    }
    if (distance != 0 || !block) name += fmt::format("+{:#x}", distance);
    const std::size_t length = std::min(name.size(), buffer.size() - 1);
    name.copy(buffer.data(), length);
    buffer[length] = '\0';
    return buffer.data();
}

}  // namespace switchtec
