/*
 * NT endpoint of an emulated Switchtec switch: the RAM that peers' windows show
 *
 * Without an IOMMU all peers see the same: the RAM of the system's memory map.
 * With one, each peer's requests are translated under its proxy ID. What they
 * see is not known beforehand, but learnt, page by page, from accesses that the
 * IOMMU has let through, as an IOTLB learns; the guest's invalidations take it
 * away before they complete. Peers map what has been learnt.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/range.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "exec/ramblock.h"
#include "hw/boards.h"
#include "hw/i386/intel_iommu.h"
#include "hw/pci/pci_bus.h"
#include "system/system.h"
#include "switchtec-ntb.h"
#include "trace.h"

bool switchtec_ntb_shared_ram(const MemoryRegionSection *section,
                              NtbRamRange *range)
{
    MemoryRegion *mr = section->mr;
    uint64_t address = section->offset_within_address_space;
    uint64_t begin = ROUND_UP(address, 4 * KiB);
    uint64_t end = ROUND_DOWN(address + int128_get64(section->size), 4 * KiB);

    if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr) ||
        memory_region_is_rom(mr) || section->readonly ||
        memory_region_get_fd(mr) < 0 || !qemu_ram_is_shared(mr->ram_block) ||
        begin >= end) {
        return false;
    }
    *range = (NtbRamRange) {
        .address = begin,
        .size = end - begin,
        .fd = memory_region_get_fd(mr),
        .fd_offset = mr->ram_block->fd_offset + section->offset_within_region +
                     (begin - address),
    };
    return true;
}

/* Publishing */

static bool view_publish(SwitchtecNtbView *view, Error **errp)
{
    SwitchtecNtb *s = view->ntb;
    g_autoptr(GArray) all = g_array_new(false, false, sizeof(NtbRamRange));
    char reason[NTB_ERROR_SIZE];

    view->changed = false;
    g_array_append_vals(all, view->ram->data, view->ram->len);
    g_array_append_vals(all, view->translations->data,
                        view->translations->len);
    for (unsigned i = 0; i < all->len; i++) {
        NtbRamRange *range = &g_array_index(all, NtbRamRange, i);

        trace_switchtec_ntb_ram(switchtec_ntb_name(s), view->viewers,
                                range->address, range->size, range->fd,
                                range->fd_offset);
    }
    if (!ntb_endpoint_set_ram(s->endpoint, view->viewers,
                              (const NtbRamRange *)(void *)all->data, all->len,
                              reason)) {
        error_setg(errp, "%s", reason);
        return false;
    }
    return true;
}

static void view_publish_or_warn(SwitchtecNtbView *view)
{
    SwitchtecNtb *s = view->ntb;
    Error *err = NULL;

    if (!s->lost && !view_publish(view, &err)) {
        error_reportf_err(err, "switchtec-ntb %s: the guest's memory map has "
                          "changed and the peers still have the old one: ",
                          switchtec_ntb_name(s));
    }
}

/*
 * Not from the listener itself: the library may wait for peers and change
 * windows, neither of which is good in the middle of a memory transaction.
 */
static void publish_bh(void *opaque)
{
    SwitchtecNtb *s = opaque;

    for (unsigned i = s->views->len; i-- > 0; ) {
        SwitchtecNtbView *view = g_ptr_array_index(s->views, i);

        if (!view->viewers) {
            g_ptr_array_remove_index_fast(s->views, i);
        } else if (view->changed) {
            view_publish_or_warn(view);
        }
    }
}

static void view_schedule(SwitchtecNtbView *view)
{
    view->changed = true;
    if (view->ntb->publish) {
        qemu_bh_schedule(view->ntb->publish);
    }
}

/* The IOMMU's translations */

/* Not so where interrupts are: IOMMUs leave that part of the map to others. */
static bool view_translates(SwitchtecNtbView *view, hwaddr address)
{
    MemoryRegionSection section;
    bool translates;

    if (!view->iommu) {
        return false;
    }
    section = memory_region_find(view->as->root, address, 1);
    translates = section.mr == MEMORY_REGION(view->iommu);
    if (section.mr) {
        memory_region_unref(section.mr);
    }
    return translates;
}

void switchtec_ntb_view_learn(SwitchtecNtbView *view, hwaddr address,
                              bool write)
{
    IOMMUMemoryRegionClass *class;
    IOMMUTLBEntry entry;
    MemoryRegionSection section;
    NtbRamRange range;

    if (!view_translates(view, address)) {
        return;
    }
    /* Others may not tell when a translation ends: nothing is learnt then. */
    if (!object_dynamic_cast(OBJECT(view->iommu),
                             TYPE_INTEL_IOMMU_MEMORY_REGION)) {
        return;
    }
    class = memory_region_get_iommu_class_nocheck(view->iommu);
    entry = class->translate(view->iommu, address,
                             write ? IOMMU_WO : IOMMU_RO, 0);
    /* A window's memory can be read and written, or is not mapped. */
    if (entry.perm != IOMMU_RW) {
        return;
    }
    section = memory_region_find(get_system_memory(), entry.translated_addr,
                                 entry.addr_mask + 1);
    if (!section.mr) {
        return;
    }
    if (switchtec_ntb_shared_ram(&section, &range)) {
        range.address += entry.iova - entry.translated_addr;
        for (unsigned i = 0; i < view->translations->len; i++) {
            NtbRamRange *known =
                &g_array_index(view->translations, NtbRamRange, i);

            if (ranges_overlap(known->address, known->size, range.address,
                               range.size)) {
                /* Learnt already; the peer has yet to map it. */
                memory_region_unref(section.mr);
                return;
            }
        }
        if (view->translations->len + view->ram->len >= NTB_MAX_RAM_RANGES) {
            g_array_set_size(view->translations, 0);
        }
        g_array_append_val(view->translations, range);
        view_schedule(view);
    }
    memory_region_unref(section.mr);
}

/* In the guest's invalidation, which completes when peers have unmapped. */
static void view_unmapped(IOMMUNotifier *notifier, IOMMUTLBEntry *entry)
{
    SwitchtecNtbView *view = container_of(notifier, SwitchtecNtbView, unmap);
    bool taken = false;
    unsigned kept = 0;

    trace_switchtec_ntb_iommu_unmap(switchtec_ntb_name(view->ntb),
                                    view->viewers, entry->iova,
                                    entry->iova + entry->addr_mask);
    for (unsigned i = 0; i < view->translations->len; i++) {
        NtbRamRange range = g_array_index(view->translations, NtbRamRange, i);

        if (range.address <= entry->iova + entry->addr_mask &&
            entry->iova <= range.address + range.size - 1) {
            taken = true;
        } else {
            g_array_index(view->translations, NtbRamRange, kept++) = range;
        }
    }
    g_array_set_size(view->translations, kept);
    /* What has been forgotten otherwise may still be published. */
    if (taken || view->changed) {
        view_publish_or_warn(view);
    }
}

static void view_set_iommu(SwitchtecNtbView *view, IOMMUMemoryRegion *iommu)
{
    if (iommu == view->iommu) {
        return;
    }
    trace_switchtec_ntb_iommu(switchtec_ntb_name(view->ntb), view->viewers,
                              iommu != NULL);
    if (view->iommu) {
        memory_region_unregister_iommu_notifier(MEMORY_REGION(view->iommu),
                                                &view->unmap);
    }
    view->iommu = iommu;
    if (iommu) {
        iommu_notifier_init(&view->unmap, view_unmapped, IOMMU_NOTIFIER_UNMAP,
                            0, HWADDR_MAX, 0);
        memory_region_register_iommu_notifier(MEMORY_REGION(iommu),
                                              &view->unmap, &error_fatal);
    }
    if (view->translations->len) {
        g_array_set_size(view->translations, 0);
        view_schedule(view);
    }
}

/* The memory map */

static void view_begin(MemoryListener *listener)
{
    SwitchtecNtbView *view = container_of(listener, SwitchtecNtbView, listener);

    g_array_set_size(view->ram_update, 0);
    view->iommu_update = NULL;
}

/*
 * Sections come in the order of their addresses. What has no descriptor is
 * left out: devices, and the windows of this and other NT endpoints.
 */
static void view_section(MemoryListener *listener, MemoryRegionSection *section)
{
    SwitchtecNtbView *view = container_of(listener, SwitchtecNtbView, listener);
    NtbRamRange range, *last;

    if (memory_region_is_iommu(section->mr)) {
        view->iommu_update = IOMMU_MEMORY_REGION(section->mr);
        return;
    }
    if (!switchtec_ntb_shared_ram(section, &range)) {
        return;
    }
    if (view->ram_update->len) {
        last = &g_array_index(view->ram_update, NtbRamRange,
                              view->ram_update->len - 1);
        if (last->fd == range.fd &&
            last->address + last->size == range.address &&
            last->fd_offset + last->size == range.fd_offset) {
            last->size += range.size;
            return;
        }
    }
    g_array_append_val(view->ram_update, range);
}

static bool ram_equal(GArray *a, GArray *b)
{
    return a->len == b->len &&
           (!a->len || !memcmp(a->data, b->data, a->len * sizeof(NtbRamRange)));
}

static void view_commit(MemoryListener *listener)
{
    SwitchtecNtbView *view = container_of(listener, SwitchtecNtbView, listener);
    GArray *swap = view->ram;

    view_set_iommu(view, view->iommu_update);
    if (!ram_equal(view->ram, view->ram_update)) {
        view->ram = view->ram_update;
        view->ram_update = swap;
        view_schedule(view);
    }
}

static SwitchtecNtbView *view_new(SwitchtecNtb *s, uint64_t viewers,
                                  uint8_t proxy, AddressSpace *as)
{
    SwitchtecNtbView *view = g_new0(SwitchtecNtbView, 1);

    view->ntb = s;
    view->viewers = viewers;
    view->proxy = proxy;
    view->as = as;
    view->ram = g_array_new(false, true, sizeof(NtbRamRange));
    view->ram_update = g_array_new(false, true, sizeof(NtbRamRange));
    view->translations = g_array_new(false, true, sizeof(NtbRamRange));
    view->listener = (MemoryListener) {
        .name = "switchtec-ntb",
        .begin = view_begin,
        .region_add = view_section,
        .region_nop = view_section,
        .commit = view_commit,
    };
    memory_listener_register(&view->listener, as);
    return view;
}

static void view_free(void *opaque)
{
    SwitchtecNtbView *view = opaque;

    memory_listener_unregister(&view->listener);
    view_set_iommu(view, NULL);
    g_array_unref(view->ram);
    g_array_unref(view->ram_update);
    g_array_unref(view->translations);
    g_free(view);
}

/* The root bus has an IOMMU, whether or not the guest has enabled it. */
static PCIBus *iommu_bus(SwitchtecNtb *s)
{
    PCIBus *bus = pci_get_bus(PCI_DEVICE(s));

    while (!pci_bus_is_root(bus)) {
        bus = pci_get_bus(bus->parent_dev);
    }
    return bus->iommu_ops && !pci_bus_bypass_iommu(bus) ? bus : NULL;
}

SwitchtecNtbView *switchtec_ntb_view(SwitchtecNtb *s, unsigned source,
                                     uint8_t proxy)
{
    uint64_t viewers = 1ULL << source;
    PCIBus *root = iommu_bus(s);
    SwitchtecNtbView *view;

    for (unsigned i = 0; i < s->views->len; i++) {
        view = g_ptr_array_index(s->views, i);
        if (view->viewers == UINT64_MAX ||
            (view->viewers == viewers && view->proxy == proxy)) {
            return view;
        }
        if (view->viewers == viewers) {
            /*
             * Its requests come under another ID now. Not freed here, as this
             * may be called while the view is in use, waiting for peers.
             */
            view->viewers = 0;
        }
    }
    view = view_new(s, viewers, proxy,
                    root->iommu_ops->get_address_space(
                        pci_get_bus(PCI_DEVICE(s)), root->iommu_opaque,
                        proxy));
    g_ptr_array_add(s->views, view);
    view_schedule(view);
    return view;
}

/* Everything but the little below 1 MiB that firmware makes read-only. */
static bool views_check_ram(const SwitchtecNtbView *view, Error **errp)
{
    uint64_t shared = 0, total = current_machine->ram_size;
    g_autofree char *shared_text = NULL, *total_text = NULL;

    for (unsigned i = 0; i < view->ram->len; i++) {
        shared += g_array_index(view->ram, NtbRamRange, i).size;
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

/* All devices of the command line are there. */
static void views_machine_done(Notifier *notifier, void *data)
{
    SwitchtecNtb *s = container_of(notifier, SwitchtecNtb, machine_done);
    bool one_for_all = s->views->len &&
        ((SwitchtecNtbView *)g_ptr_array_index(s->views, 0))->viewers ==
            UINT64_MAX;

    if (one_for_all && iommu_bus(s)) {
        error_report("switchtec-ntb %s: the IOMMU was added after it, and "
                     "would not be asked: put the IOMMU's -device before it",
                     switchtec_ntb_name(s));
        exit(EXIT_FAILURE);
    }
}

bool switchtec_ntb_views_init(SwitchtecNtb *s, Error **errp)
{
    SwitchtecNtbView *all;

    s->views = g_ptr_array_new_with_free_func(view_free);
    all = view_new(s, UINT64_MAX, 0, &address_space_memory);
    g_ptr_array_add(s->views, all);
    if (!views_check_ram(all, errp)) {
        switchtec_ntb_views_cleanup(s);
        return false;
    }
    if (iommu_bus(s)) {
        /* Each peer sees it in its own way, as will be seen. */
        g_ptr_array_remove(s->views, all);
    } else if (!view_publish(all, errp)) {
        switchtec_ntb_views_cleanup(s);
        return false;
    }
    s->publish = qemu_bh_new(publish_bh, s);
    s->machine_done.notify = views_machine_done;
    qemu_add_machine_init_done_notifier(&s->machine_done);
    return true;
}

void switchtec_ntb_views_cleanup(SwitchtecNtb *s)
{
    if (s->machine_done.notify) {
        qemu_remove_machine_init_done_notifier(&s->machine_done);
        s->machine_done.notify = NULL;
    }
    g_clear_pointer(&s->publish, qemu_bh_delete);
    g_clear_pointer(&s->views, g_ptr_array_unref);
}
