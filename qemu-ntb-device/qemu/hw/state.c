/*
 * NT endpoint of an emulated Switchtec switch: saved with the machine
 *
 * For a machine that is saved to a file, ends, and goes on from it later. What
 * the chip keeps for this host is part of it. The windows between it and peers
 * that have not been reset meanwhile come back a little after it runs again. A
 * machine cannot move while it runs: source and destination would need the
 * partition at once, and the second is refused it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/boards.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie_aer.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "switchtec-ntb.h"

static int switchtec_ntb_pre_save(void *opaque)
{
    SwitchtecNtb *s = opaque;
    g_autofree char *reason = g_malloc(NTB_ERROR_SIZE);
    size_t size;
    void *saved = ntb_endpoint_save(s->endpoint, &size, reason);

    if (!saved) {
        error_report("switchtec-ntb %s: %s", switchtec_ntb_name(s), reason);
        return -EBUSY;
    }
    s->saved = g_memdup2(saved, size);
    s->saved_size = size;
    free(saved);
    return 0;
}

static int switchtec_ntb_post_save(void *opaque)
{
    SwitchtecNtb *s = opaque;

    g_clear_pointer(&s->saved, g_free);
    return 0;
}

static void switchtec_ntb_load_windows(void *opaque)
{
    SwitchtecNtb *s = opaque;
    g_autofree char *reason = g_malloc(NTB_ERROR_SIZE);

    switch (ntb_endpoint_load_windows(s->endpoint, reason)) {
    case NTB_LOADED:
        break;
    case NTB_AGAIN:
        timer_mod(s->link_gap, qemu_clock_get_ms(QEMU_CLOCK_VIRTUAL) +
                               NTB_LINK_GAP_MS);
        break;
    case NTB_FAILED:
        warn_report("switchtec-ntb %s: %s", switchtec_ntb_name(s), reason);
        break;
    }
}

/*
 * Peers write to the guest's memory past QEMU, which does not know what has
 * changed since it was saved. Before the last pass over the memory they lose
 * it, and that pass takes all of it.
 */
static void switchtec_ntb_run_state(void *opaque, bool running, RunState state)
{
    SwitchtecNtb *s = opaque;

    if (state == RUN_STATE_FINISH_MIGRATE) {
        s->quiesced = true;
        ntb_endpoint_set_bus_master(s->endpoint, false);
        memory_region_set_dirty(current_machine->ram, 0,
                                current_machine->ram_size);
    } else if (running && s->quiesced) {
        s->quiesced = false;
        ntb_endpoint_set_bus_master(s->endpoint, s->bus_master);
    }
}

void switchtec_ntb_state_init(SwitchtecNtb *s)
{
    s->run_state = qemu_add_vm_change_state_handler(switchtec_ntb_run_state, s);
    s->link_gap = timer_new_ms(QEMU_CLOCK_VIRTUAL, switchtec_ntb_load_windows,
                               s);
}

void switchtec_ntb_state_cleanup(SwitchtecNtb *s)
{
    g_clear_pointer(&s->run_state, qemu_del_vm_change_state_handler);
    g_clear_pointer(&s->link_gap, timer_free);
}

static int switchtec_ntb_post_load(void *opaque, int version_id)
{
    SwitchtecNtb *s = opaque;
    g_autofree char *reason = g_malloc(NTB_ERROR_SIZE);
    bool loaded = ntb_endpoint_load(s->endpoint, s->saved, s->saved_size,
                                    reason);

    g_clear_pointer(&s->saved, g_free);
    if (!loaded) {
        error_report("switchtec-ntb %s: %s", switchtec_ntb_name(s), reason);
        return -EINVAL;
    }
    switchtec_ntb_update_requester_id(s);
    switchtec_ntb_update_bus_master(s);
    /* At once when the machine runs: interrupts before could get lost. */
    timer_mod(s->link_gap, qemu_clock_get_ms(QEMU_CLOCK_VIRTUAL));
    return 0;
}

const VMStateDescription switchtec_ntb_vmstate = {
    .name = TYPE_SWITCHTEC_NTB,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = switchtec_ntb_pre_save,
    .post_save = switchtec_ntb_post_save,
    .post_load = switchtec_ntb_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, SwitchtecNtb),
        VMSTATE_MSIX(parent_obj, SwitchtecNtb),
        VMSTATE_STRUCT(parent_obj.exp.aer_log, SwitchtecNtb, 0,
                       vmstate_pcie_aer_log, PCIEAERLog),
        VMSTATE_UINT32(saved_size, SwitchtecNtb),
        VMSTATE_VBUFFER_ALLOC_UINT32(saved, SwitchtecNtb, 0, NULL, saved_size),
        VMSTATE_END_OF_LIST()
    },
};
