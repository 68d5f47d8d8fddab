/* SPDX-License-Identifier: MIT */
/**
 * Offsets of the GAS (global address space, BAR0) for C, from the register table: the base and stride of each
 * region, and each register's offset in its block (Gen4 layout; what a Gen3 switch has elsewhere is
 * SwitchtecGen3...).
 *
 * @code
 * uint32_t odb = SwitchtecDoorbellsBase + partition * SwitchtecDoorbellsStride + SwitchtecOutDoorbell;
 * @endcode
 */
#ifndef SWITCHTEC_GAS_H
#define SWITCHTEC_GAS_H

enum SwitchtecGas {
#define BLOCK(region, name, base, stride, count)                            \
    Switchtec##region##Base = (base), Switchtec##region##Stride = (stride), \
    Switchtec##region##Count = (count),
#define REGISTER(region, id, layouts, name, offset, ...) Switchtec##id = (offset),
#define GEN3(region, id, name, offset, ...) SwitchtecGen3##id = (offset),
#define GEN3_ONLY GEN3
#include "registers.def"
    SwitchtecGasSize = 4 << 20 /* bytes of BAR0 */
};

#endif
