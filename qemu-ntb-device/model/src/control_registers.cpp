// SPDX-License-Identifier: MIT
#include "control_registers.h"

#include "control.h"
#include "switchtec/gas.h"
#include "windows.h"

namespace switchtec::control {
namespace {

constexpr std::uint32_t kBarCtlWritable =
    kBarDirect | kBarLut | kBarLutSizeMask << kBarLutSizeShift | kBarLutCountMask << kBarLutCountShift;
constexpr std::uint32_t kRequesterWritable = 0xFFFF0000U | kRequesterValid;

void write_staged(const PartitionConfig& config, NtbSetup& staged, const Location& at, Written w) {
    const unsigned i = at.index;
    switch (at.reg->id) {
        case Reg::NtbPartitionCtrl:
            staged.control = w.over(staged.control) & kCtrlProtectionOff;
            break;
        case Reg::NtbBarCtl:
            staged.bar_ctl[i] = w.over(staged.bar_ctl[i]) & kBarCtlWritable;
            break;
        case Reg::NtbBarWindowSize:
            staged.bar_size[i] = w.over(staged.bar_size[i]);
            break;
        case Reg::NtbBarWindowSizeExt:
            staged.bar_size_ext[i] = w.over(staged.bar_size_ext[i]);
            break;
        case Reg::NtbBarTranslation:
            staged.bar_translation[i] = w.over(staged.bar_translation[i]);
            break;
        case Reg::NtbRequesterEntry:
            if (i < config.requester_ids)
                staged.requester[i] = w.over(staged.requester[i]) & kRequesterWritable;
            break;
        case Reg::NtbLutEntry:
            if (i < config.lut_entries) staged.lut[i] = w.over(staged.lut[i]);
            break;
        default:
            break;
    }
}

void mark_touched(ControlBlock& block, const Location& at) {
    if (at.reg->id == Reg::NtbLutEntry) block.touched_lut[at.index / 64] |= bit(at.index % 64);
    if (at.reg->id == Reg::NtbBarTranslation) block.touched_bars |= bit(at.index);
}

}  // namespace

std::uint64_t read_register(const State& s, unsigned reader, const Location& at) {
    const unsigned block = at.block_index;
    if (block >= s.partition_count) return 0;
    const Partition& p = s.partition[block];
    const NtbSetup& setup = p.control.staged;
    const unsigned i = at.index;
    switch (at.reg->id) {
        case Reg::NtbPartitionStatus:
            return status(s, block, reader);
        case Reg::NtbPartitionCtrl:
            return setup.control;
        case Reg::NtbBarError:
            return p.control.bar_error;
        case Reg::NtbLutEntries:
            return p.config().lut_entries;
        case Reg::NtbLutOffset:
            return SwitchtecNtbLutEntry;
        case Reg::NtbLutError:
            return p.control.lut_error;
        case Reg::NtbRequesterTableSize:
            return p.config().requester_ids;
        case Reg::NtbRequesterTableOffset:
            return SwitchtecNtbRequesterEntry;
        case Reg::NtbRequesterError:
            return p.control.requester_error;
        case Reg::NtbBarCtl:
            return setup.bar_ctl[i] | (bar_size(p.config(), i) != 0 ? kBarValid : 0);
        case Reg::NtbBarWindowSize:
            return setup.bar_size[i];
        case Reg::NtbBarWindowSizeExt:
            return setup.bar_size_ext[i];
        case Reg::NtbBarTranslation:
            return setup.bar_translation[i];
        case Reg::NtbRequesterEntry:
            return i < p.config().requester_ids ? setup.requester[i] | proxy(i) << 1 : 0;
        case Reg::NtbLutEntry:
            return setup.lut[i];
        default:
            return 0;
    }
}

void write_register(State& s, unsigned writer, const Location& at, Written w) {
    const unsigned block = at.block_index;
    if (block >= s.partition_count) return;
    if (at.reg->id == Reg::NtbPartitionOp) {
        if (w.covers_byte_0()) operate(s, block, writer, static_cast<std::uint32_t>(w.bits()));
    } else if (holds_lock(s, block, writer)) {
        Partition& p = s.partition[block];
        mark_touched(p.control, at);
        write_staged(p.config(), p.control.staged, at, w);
    }
}

}  // namespace switchtec::control
