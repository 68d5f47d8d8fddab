/*
 * NT endpoint of an emulated Switchtec switch: what its parts share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_MISC_SWITCHTEC_NTB_H
#define HW_MISC_SWITCHTEC_NTB_H

#include "exec/memory.h"
#include "hw/pci/pci_device.h"
#include "ntblink/endpoint.h"
#include "qemu/event_notifier.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"

#define TYPE_SWITCHTEC_NTB "switchtec-ntb"
OBJECT_DECLARE_SIMPLE_TYPE(SwitchtecNtb, SWITCHTEC_NTB)

/* BAR2 or BAR4: mapped memory of peers where windows are, elsewhere nothing. */
typedef struct SwitchtecNtbWindowBar {
    SwitchtecNtb *ntb;
    unsigned bar;
    MemoryRegion region;    /* the BAR: what is no window */
    MemoryRegion memory;    /* all of ntb_endpoint_window_memory() */
} SwitchtecNtbWindowBar;

struct SwitchtecNtb {
    /*< private >*/
    PCIDevice parent_obj;
    /*< public >*/

    /* Properties */
    char *fabric;
    char *switch_name;
    uint32_t partition;
    uint64_t bar2_size;
    uint64_t bar4_size;
    uint8_t vectors;

    NtbEndpoint *endpoint;
    NtbEndpointInfo info;
    bool bus_master;        /* as the endpoint knows it */
    uint16_t requester_id;
    Error *migration_blocker;

    MemoryRegion gas;
    QEMUTimer *message_gap;
    SwitchtecNtbWindowBar window_bars[2];
    GPtrArray *windows;     /* SwitchtecNtbWindow, mapped */

    MemoryListener ram_listener;
    GArray *ram;            /* NtbRamRange, as published or about to be */
    GArray *ram_update;     /* NtbRamRange, while the memory map changes */
    QEMUBH *ram_publish;

    QemuThread service_thread;
    EventNotifier service_stop;
    bool service_running;
    bool lost;
};

/* In traces and messages. */
const char *switchtec_ntb_name(SwitchtecNtb *s);

/* BAR0 as the fabric's chip has it. */
void switchtec_ntb_gas_init(SwitchtecNtb *s);
/* Tells the chip our requester ID if the guest gave our bus another number. */
void switchtec_ntb_update_requester_id(SwitchtecNtb *s);

/* BAR2 and BAR4. */
void switchtec_ntb_windows_init(SwitchtecNtb *s);
/* Maps what ntb_endpoint_windows() says; windows that stay are not touched. */
void switchtec_ntb_windows_update(SwitchtecNtb *s);
void switchtec_ntb_windows_cleanup(SwitchtecNtb *s);

/*
 * The guest's RAM, published to the peers whenever the memory map has changed.
 * init fails if there is RAM that peers cannot be given.
 */
bool switchtec_ntb_ram_init(SwitchtecNtb *s, Error **errp);
void switchtec_ntb_ram_cleanup(SwitchtecNtb *s);

/* The thread that waits for the peers. */
bool switchtec_ntb_service_start(SwitchtecNtb *s, Error **errp);
void switchtec_ntb_service_stop(SwitchtecNtb *s);

#endif
