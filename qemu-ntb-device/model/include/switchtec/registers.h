// SPDX-License-Identifier: MIT
// The register map of the GAS (global address space, BAR0), from the table in registers.def.
//
//     std::uint32_t op = switchtec::offset_of(switchtec::Reg::NtbPartitionOp, /*block=*/1);   // 0x16004
//     char name[switchtec::kRegisterNameSize];
//     std::printf("%s\n", switchtec::register_name(0x17018, name));                           //
//     ntb_ctrl[1].lut_entry[3]
//
// decode.h is the same for C, with fields and values; gas.h has the offsets for C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace switchtec {

inline constexpr std::uint32_t kGasSize = 4U << 20;
inline constexpr std::size_t kRegisterNameSize = 64;

enum class Access : std::uint8_t {
    ReadOnly,
    ReadWrite,
    WriteOneClears,
    WriteOneSets,  ///< Each 1 is an action; reads 0.
    Command,       ///< A write starts something.
    Staged,   ///< NTB control: written only by the holder of the block's lock, in effect after CONFIGURE.
    Mixed,    ///< Event header: bit 0 write 1 clears, bits 1..4 are stored, the rest is read only.
    Outside,  ///< Kept by whoever shows the GAS to a host; the chip reads 0.
};

enum class Reg : std::uint8_t {
#define REGISTER(region, id, ...) id,
#define GEN3_ONLY(region, id, ...) id,
#include "switchtec/registers.def"
};

enum class Region : std::uint8_t {
#define BLOCK(region, ...) region,
#include "switchtec/registers.def"
};

/// Where a switch has its registers. They differ in sys_info and flash_info alone.
enum class Layout : std::uint8_t { Gen3, Gen4 };  ///< Gen5 is as Gen4.

/// One register, or an array of equal ones, of a block.
struct RegisterInfo {
    Region region;
    Reg id;
    Access access;
    bool gen3, gen4;             ///< In these layouts.
    std::uint8_t size;           ///< Bytes of one.
    std::uint16_t offset;        ///< Of the first one in its block.
    std::uint16_t count;         ///< 1: not an array.
    std::uint16_t stride;        ///< Bytes from one to the next.
    const char* name;            ///< "[]" stands for the index; "*" for the index's own name.
    const char* const* indices;  ///< Names of the indices, or null.
    const char* meaning;         ///< For docs; says "ours" where the public record does not say.

    bool in(Layout layout) const { return layout == Layout::Gen3 ? gen3 : gen4; }
};

/// Bits [high:low] of a register.
struct FieldInfo {
    Reg reg;
    std::uint8_t high, low;
    const char* name;
    const char* values;  ///< "1=LOCK 2=CONFIGURE", or empty.
};

/// A region of the GAS: `count` equal blocks.
struct BlockInfo {
    const char* name;
    std::span<const RegisterInfo> registers;  ///< Of all layouts.
    std::uint32_t base;
    std::uint32_t stride;
    std::uint16_t count;
    Region region;
};

/// Every block, by rising base; in each layout, every byte of the GAS belongs to at most one register.
std::span<const BlockInfo> register_map();
/// The fields of `reg`; none for a register that is one number.
std::span<const FieldInfo> fields(Reg reg);

/// The register that a byte of the GAS belongs to.
struct Location {
    const BlockInfo* block;
    const RegisterInfo* reg;
    unsigned block_index;
    unsigned index;
    std::uint32_t start;  ///< GAS offset of the register's first byte.
};
std::optional<Location> locate(std::uint32_t offset, Layout layout = Layout::Gen4);

/// GAS offset of a register: `block` is the partition (PFF for Pff*), `index` the place in an array. Throws
/// std::out_of_range if there is none.
std::uint32_t offset_of(Reg reg, unsigned block = 0, unsigned index = 0, Layout layout = Layout::Gen4);

/// Writes the name of what is at `offset` ("ntb_ctrl[1].lut_entry[3]", "+4" added inside of a register; the
/// nearest block and a distance, or "gas", where no register is) into `buffer` and returns it.
const char* register_name(std::uint32_t offset, std::span<char> buffer, Layout layout = Layout::Gen4);

// --- Values.

// NTB control: operations and states of ntb_ctrl[].partition_op and [15:0] of partition_status.
inline constexpr std::uint32_t kOpLock = 1, kOpConfigure = 2, kOpReset = 3;
inline constexpr std::uint8_t kNormal = 1, kLocked = 2, kLocking = 3, kConfiguring = 4, kResetting = 5;
inline constexpr std::uint32_t kCtrlProtectionOff = 1U << 0;
inline constexpr std::uint32_t kBarValid = 1U << 0, kBarDirect = 1U << 4, kBarLut = 1U << 5;
inline constexpr unsigned kBarLutSizeShift = 8, kBarLutCountShift = 14;
inline constexpr std::uint32_t kBarLutSizeMask = 0x3F, kBarLutCountMask = 0x1FF;
inline constexpr unsigned kLutLog2 = 16;  ///< LUT windows are 64 KiB each.
inline constexpr std::uint64_t kLutBytes = 1ULL << kLutLog2;
inline constexpr std::uint32_t kRequesterValid = 1U << 0;
inline constexpr std::uint64_t kLutValid = 1;

// bar_error: code << 16 | PCI BAR number. 3 and 6 are known from field reports (switchtec-kernel issue 109,
// pull 9), the rest is our choice. lut_error, req_id_error: code << 16 | entry, our choice.
enum class BarError : std::uint16_t {
    NotAWindow = 1,  ///< Ours: a window enabled in a BAR that is none.
    LutNotHere = 2,  ///< Ours: LUT windows enabled in a BAR other than the first window BAR.
    LutExceedsBar = 3,
    LutEntrySize = 4,  ///< Ours: an entry size other than 64 KiB.
    DirectTarget = 5,  ///< Ours: the target is no partition that this one reaches.
    DirectSize = 6,    ///< Below 4 KiB, beyond the BAR (less its LUT region); ours: 2^(pos+1) or more.
};
enum class LutError : std::uint16_t { TooManyEntries = 1, Target = 2 };  // Ours.
enum class RequesterError : std::uint16_t { NoProxy = 1 };  // Ours: no proxy ID exists for the entry.

// Event headers.
inline constexpr std::uint32_t kEventOccurred = 1U << 0, kEventEnableLog = 1U << 1, kEventEnableCli = 1U << 2,
                               kEventEnableIrq = 1U << 3, kEventFatal = 1U << 4;
inline constexpr unsigned kEventCountShift = 5;
inline constexpr std::uint32_t kEventNotSupported = 1U << 31;

// Indices of GlobalEvent, PartEvent, PffEvent; also the bit in the summary register.
inline constexpr unsigned kGlobalEvents = 14, kPartEvents = 5, kPffEvents = 13;
inline constexpr unsigned kPartEventReset = 0, kPartEventMrpcComp = 1;
inline constexpr unsigned kPffEventThreshold = 7, kPffEventLinkState = 12;
inline constexpr unsigned kGlobalEventGfms = 13;  ///< Of a PAX alone.

// MRPC: status register, and of the header in the host's memory.
inline constexpr std::uint32_t kMrpcInProgress = 1, kMrpcDone = 2, kMrpcError = 0xFF;
inline constexpr std::uint8_t kMrpcDmaVector = 3;

// idb_vec_map[] after power-on: no interrupt. Ours.
inline constexpr std::uint8_t kNoVector = 0xFF;
// omsg[].status. Ours.
inline constexpr std::uint32_t kMessageWaiting = 1U << 0, kMessageUndelivered = 1U << 1;

}  // namespace switchtec
