/* SPDX-License-Identifier: MIT */
/**
 * Says what an access to the GAS (BAR0) is, for traces: region, partition, register, fields, from the
 * register table.
 *
 * @code
 * char text[SWITCHTEC_TEXT_SIZE];
 * switchtec_describe(4, 0x16004, 4, 1, text, sizeof(text));   // "ntb_ctrl[1].partition_op = 0x1 (op=LOCK)"
 * @endcode
 *
 * `generation` is the switch's: 3, 4 or 5. Any number other than 3 has the layout of Gen4.
 */
#ifndef SWITCHTEC_DECODE_H
#define SWITCHTEC_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SWITCHTEC_NAME_SIZE 48
#define SWITCHTEC_TEXT_SIZE 512 /* enough for any access */

/* The register at an offset. The strings live for ever. */
typedef struct SwitchtecRegister {
    const char* region;             /* "ntb_ctrl" */
    int block;                      /* partition, or number of the image; -1: the region is not an array */
    char name[SWITCHTEC_NAME_SIZE]; /* "lut_entry[3]"; "*" and "[]" replaced by the index */
    unsigned size;                  /* bytes of the register */
    unsigned byte;                  /* of the register, that the offset is */
    const char* access;             /* "RO", "RW", "W1C", "W1S", "command", "staged", "event", "outside" */
    const char* meaning;            /* a sentence */
} SwitchtecRegister;

/* false: no register is there. */
bool switchtec_decode(unsigned generation, uint32_t offset, SwitchtecRegister* reg);

/* Writes what an access of `size` bytes (1, 2, 4, 8) with `value` is, cut to `capacity` bytes with the zero,
 * and returns `text`: each register that it touches with its part of the value and, if all of the register is
 * there, its fields. "gas+0x1010 = 0x0" where there is no register. */
char* switchtec_describe(unsigned generation, uint32_t offset, unsigned size, uint64_t value, char* text,
                         size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
