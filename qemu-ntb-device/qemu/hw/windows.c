/*
 * NT endpoint of an emulated Switchtec switch: BAR2 and BAR4, the windows
 *
 * A window over a peer's RAM is plain RAM to the rest of QEMU: vCPUs and
 * devices reach it without an exit or a copy. Each BAR has one RAM region, as
 * large as the BAR, over address space of the endpoint library, which maps the
 * peers' pages into it; windows are aliases of its parts. What a window shows
 * that is not RAM, or is behind an IOMMU that has yet to translate it, is
 * accessed by the peer's QEMU, while this one waits. Aliases may come and
 * go at any time (docs/devel/memory.rst), and the region beneath lives as long
 * as the device, so that an address_space_map() or a TLB entry of a window that
 * is gone never points to unmapped memory: the library puts memory of nobody
 * there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "switchtec-ntb.h"
#include "trace.h"

typedef struct SwitchtecNtbWindow {
    NtbMappedWindow at;
    MemoryRegion alias;
} SwitchtecNtbWindow;

/* Where no RAM is mapped. If there is a window its target makes the access. */
static MemTxResult unmapped_read(void *opaque, hwaddr offset, uint64_t *value,
                                 unsigned size, MemTxAttrs attrs)
{
    SwitchtecNtbWindowBar *bar = opaque;

    trace_switchtec_ntb_window_access(switchtec_ntb_name(bar->ntb), "read",
                                      bar->bar, offset, size);
    *value = ntb_endpoint_window_read(bar->ntb->endpoint, attrs.requester_id,
                                      bar->bar, offset, size);
    return MEMTX_OK;
}

static MemTxResult unmapped_write(void *opaque, hwaddr offset, uint64_t value,
                                  unsigned size, MemTxAttrs attrs)
{
    SwitchtecNtbWindowBar *bar = opaque;

    trace_switchtec_ntb_window_access(switchtec_ntb_name(bar->ntb), "write",
                                      bar->bar, offset, size);
    ntb_endpoint_window_write(bar->ntb->endpoint, attrs.requester_id, bar->bar,
                              offset, value, size);
    return MEMTX_OK;
}

static const MemoryRegionOps unmapped_ops = {
    .read_with_attrs = unmapped_read,
    .write_with_attrs = unmapped_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {
        .min_access_size = 1,
        .max_access_size = 8,
        .unaligned = true,
    },
    .impl = {
        .min_access_size = 1,
        .max_access_size = 8,
        .unaligned = true,
    },
};

static SwitchtecNtbWindowBar *window_bar(SwitchtecNtb *s, unsigned bar)
{
    assert(bar == 2 || bar == 4);
    return &s->window_bars[bar / 2 - 1];
}

static void window_bar_init(SwitchtecNtb *s, unsigned index, uint64_t size)
{
    SwitchtecNtbWindowBar *bar = window_bar(s, index);
    g_autofree char *name = g_strdup_printf("switchtec-ntb.bar%u", index);
    g_autofree char *memory_name = g_strdup_printf("%s.windows", name);
    void *memory = ntb_endpoint_window_memory(s->endpoint, index);

    if (!memory) {
        return;
    }
    bar->ntb = s;
    bar->bar = index;
    memory_region_init_io(&bar->region, OBJECT(s), &unmapped_ops, bar, name,
                          size);
    memory_region_init_ram_ptr(&bar->memory, OBJECT(s), memory_name, size,
                               memory);
    pci_register_bar(PCI_DEVICE(s), index,
                     PCI_BASE_ADDRESS_MEM_PREFETCH |
                     PCI_BASE_ADDRESS_MEM_TYPE_64, &bar->region);
}

static void window_trace(SwitchtecNtb *s, const NtbMappedWindow *at, bool map)
{
    if (map) {
        trace_switchtec_ntb_window_map(switchtec_ntb_name(s), at->bar,
                                       at->offset, at->size, at->target,
                                       at->address);
    } else {
        trace_switchtec_ntb_window_unmap(switchtec_ntb_name(s), at->bar,
                                         at->offset, at->size, at->target,
                                         at->address);
    }
}

static SwitchtecNtbWindow *window_map(SwitchtecNtb *s,
                                      const NtbMappedWindow *at)
{
    SwitchtecNtbWindow *window = g_new0(SwitchtecNtbWindow, 1);
    SwitchtecNtbWindowBar *bar = window_bar(s, at->bar);

    window->at = *at;
    window_trace(s, at, true);
    memory_region_init_alias(&window->alias, OBJECT(s), "switchtec-ntb.window",
                             &bar->memory, at->offset, at->size);
    memory_region_add_subregion(&bar->region, at->offset, &window->alias);
    return window;
}

static void window_unmap(SwitchtecNtb *s, SwitchtecNtbWindow *window)
{
    window_trace(s, &window->at, false);
    memory_region_del_subregion(&window_bar(s, window->at.bar)->region,
                                &window->alias);
    object_unparent(OBJECT(&window->alias));
    g_free(window);
}

/* Order of windows: where they begin. */
static int window_compare(const void *left, const void *right)
{
    const NtbMappedWindow *a = left, *b = right;

    if (a->bar != b->bar) {
        return a->bar < b->bar ? -1 : 1;
    }
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void window_retarget(SwitchtecNtb *s, SwitchtecNtbWindow *window,
                            const NtbMappedWindow *at)
{
    if (window->at.target != at->target || window->at.address != at->address) {
        /* The library has the other memory in place already. */
        window_trace(s, &window->at, false);
        window->at = *at;
        window_trace(s, at, true);
    }
}

void switchtec_ntb_windows_update(SwitchtecNtb *s)
{
    g_autofree NtbMappedWindow *now = NULL;
    GPtrArray *old = s->windows;
    GPtrArray *kept = g_ptr_array_new();
    size_t count, capacity = 0;

    while ((count = ntb_endpoint_windows(s->endpoint, now, capacity)) >
           capacity) {
        capacity = count;
        now = g_renew(NtbMappedWindow, now, capacity);
    }

    memory_region_transaction_begin();
    /* What overlaps a new window has to be gone before it is added. */
    for (unsigned i = 0; i < old->len; i++) {
        SwitchtecNtbWindow *window = g_ptr_array_index(old, i);
        const NtbMappedWindow *at =
            bsearch(&window->at, now, count, sizeof(*now), window_compare);

        if (at && at->size == window->at.size) {
            window_retarget(s, window, at);
            g_ptr_array_add(kept, window);
        } else {
            window_unmap(s, window);
        }
    }
    g_ptr_array_set_size(old, 0);
    for (size_t n = 0, k = 0; n < count; n++) {
        SwitchtecNtbWindow *next =
            k < kept->len ? g_ptr_array_index(kept, k) : NULL;

        if (next && window_compare(&next->at, &now[n]) == 0) {
            g_ptr_array_add(old, next);
            k++;
        } else {
            g_ptr_array_add(old, window_map(s, &now[n]));
        }
    }
    memory_region_transaction_commit();
    g_ptr_array_unref(kept);
}

void switchtec_ntb_windows_init(SwitchtecNtb *s)
{
    s->windows = g_ptr_array_new();
    window_bar_init(s, 2, s->info.bar2_size);
    window_bar_init(s, 4, s->info.bar4_size);
}

void switchtec_ntb_windows_cleanup(SwitchtecNtb *s)
{
    if (!s->windows) {
        return;
    }
    memory_region_transaction_begin();
    for (unsigned i = 0; i < s->windows->len; i++) {
        window_unmap(s, g_ptr_array_index(s->windows, i));
    }
    memory_region_transaction_commit();
    g_clear_pointer(&s->windows, g_ptr_array_unref);
}
