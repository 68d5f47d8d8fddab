/*
 * NT endpoint of an emulated Switchtec switch: the RAM that peers' windows show
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "exec/ramblock.h"
#include "hw/boards.h"
#include "switchtec-ntb.h"
#include "trace.h"

static bool ram_equal(GArray *a, GArray *b)
{
    return a->len == b->len &&
           (!a->len || !memcmp(a->data, b->data, a->len * sizeof(NtbRamRange)));
}

static bool ram_publish(SwitchtecNtb *s, Error **errp)
{
    char reason[NTB_ERROR_SIZE];

    for (unsigned i = 0; i < s->ram->len; i++) {
        NtbRamRange *range = &g_array_index(s->ram, NtbRamRange, i);

        trace_switchtec_ntb_ram(switchtec_ntb_name(s), range->address,
                                range->size, range->fd, range->fd_offset);
    }
    if (!ntb_endpoint_set_ram(s->endpoint,
                              (const NtbRamRange *)(void *)s->ram->data,
                              s->ram->len, reason)) {
        error_setg(errp, "%s", reason);
        return false;
    }
    return true;
}

/*
 * Not from the listener itself: the library may wait for peers and change
 * windows, neither of which is good in the middle of a memory transaction.
 */
static void ram_publish_bh(void *opaque)
{
    SwitchtecNtb *s = opaque;
    Error *err = NULL;

    if (!s->lost && !ram_publish(s, &err)) {
        error_reportf_err(err, "switchtec-ntb %s: the guest's memory map has "
                          "changed and the peers still have the old one: ",
                          switchtec_ntb_name(s));
    }
}

static void ram_begin(MemoryListener *listener)
{
    SwitchtecNtb *s = container_of(listener, SwitchtecNtb, ram_listener);

    g_array_set_size(s->ram_update, 0);
}

/*
 * Sections come in the order of their addresses. What has no descriptor is
 * left out: devices, and the windows of this and other NT endpoints.
 */
static void ram_section(MemoryListener *listener, MemoryRegionSection *section)
{
    SwitchtecNtb *s = container_of(listener, SwitchtecNtb, ram_listener);
    MemoryRegion *mr = section->mr;
    uint64_t address = section->offset_within_address_space;
    uint64_t begin = ROUND_UP(address, 4 * KiB);
    uint64_t end = ROUND_DOWN(address + int128_get64(section->size), 4 * KiB);
    NtbRamRange range, *last;

    if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr) ||
        memory_region_is_rom(mr) || section->readonly ||
        memory_region_get_fd(mr) < 0 || !qemu_ram_is_shared(mr->ram_block) ||
        begin >= end) {
        return;
    }

    memset(&range, 0, sizeof(range));
    range.address = begin;
    range.size = end - begin;
    range.fd = memory_region_get_fd(mr);
    range.fd_offset = mr->ram_block->fd_offset +
                      section->offset_within_region + (begin - address);
    if (s->ram_update->len) {
        last = &g_array_index(s->ram_update, NtbRamRange,
                              s->ram_update->len - 1);
        if (last->fd == range.fd && last->address + last->size == begin &&
            last->fd_offset + last->size == range.fd_offset) {
            last->size += range.size;
            return;
        }
    }
    g_array_append_val(s->ram_update, range);
}

static void ram_commit(MemoryListener *listener)
{
    SwitchtecNtb *s = container_of(listener, SwitchtecNtb, ram_listener);
    GArray *swap = s->ram;

    if (ram_equal(s->ram, s->ram_update)) {
        return;
    }
    s->ram = s->ram_update;
    s->ram_update = swap;
    if (s->ram_publish) {
        qemu_bh_schedule(s->ram_publish);
    }
}

/* Everything but the little below 1 MiB that firmware makes read-only. */
static bool ram_check(SwitchtecNtb *s, Error **errp)
{
    uint64_t shared = 0, total = current_machine->ram_size;
    g_autofree char *shared_text = NULL, *total_text = NULL;

    for (unsigned i = 0; i < s->ram->len; i++) {
        shared += g_array_index(s->ram, NtbRamRange, i).size;
    }
    if (shared + 1 * MiB >= total) {
        return true;
    }
    shared_text = size_to_str(shared);
    total_text = size_to_str(total);
    error_setg(errp, "guest RAM is not shared: peers can be given %s of %s",
               shared_text, total_text);
    error_append_hint(errp, "Use -object memory-backend-memfd,id=ram,size=%"
                      PRIu64 "M,share=on -machine memory-backend=ram.\n",
                      total / MiB);
    return false;
}

bool switchtec_ntb_ram_init(SwitchtecNtb *s, Error **errp)
{
    s->ram = g_array_new(false, true, sizeof(NtbRamRange));
    s->ram_update = g_array_new(false, true, sizeof(NtbRamRange));
    s->ram_listener = (MemoryListener) {
        .name = "switchtec-ntb",
        .begin = ram_begin,
        .region_add = ram_section,
        .region_nop = ram_section,
        .commit = ram_commit,
    };
    memory_listener_register(&s->ram_listener, &address_space_memory);
    if (!ram_check(s, errp) || !ram_publish(s, errp)) {
        switchtec_ntb_ram_cleanup(s);
        return false;
    }
    s->ram_publish = qemu_bh_new(ram_publish_bh, s);
    return true;
}

void switchtec_ntb_ram_cleanup(SwitchtecNtb *s)
{
    if (!s->ram) {
        return;
    }
    memory_listener_unregister(&s->ram_listener);
    g_clear_pointer(&s->ram_publish, qemu_bh_delete);
    g_clear_pointer(&s->ram, g_array_unref);
    g_clear_pointer(&s->ram_update, g_array_unref);
}
