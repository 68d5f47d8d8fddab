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

/*
 * The bus of this host as requests of some peers see it: through the IOMMU, if
 * there is one, by the proxy ID under which they come.
 */
typedef struct SwitchtecNtbView {
    SwitchtecNtb *ntb;
    uint64_t viewers;               /* partitions */
    uint8_t proxy;                  /* devfn */
    AddressSpace *as;
    MemoryListener listener;
    GArray *ram;                    /* NtbRamRange, not behind the IOMMU */
    GArray *ram_update;             /* the same, while the memory map changes */
    IOMMUMemoryRegion *iommu;       /* NULL: it does not translate now */
    IOMMUMemoryRegion *iommu_update;
    IOMMUNotifier unmap;
    GArray *translations;           /* NtbRamRange, seen in accesses so far */
    bool changed;                   /* ... and not yet published */
} SwitchtecNtbView;

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

    MemoryRegion gas;
    QEMUTimer *message_gap;
    SwitchtecNtbWindowBar window_bars[2];
    GPtrArray *windows;     /* SwitchtecNtbWindow, mapped */

    GPtrArray *views;       /* SwitchtecNtbView; one for all without IOMMU */
    QEMUBH *publish;
    Notifier machine_done;

    QemuThread service_thread;
    EventNotifier service_stop;
    bool service_running;
    bool lost;

    /* While the machine's state is saved or loaded: ntb_endpoint_save() */
    uint8_t *saved;
    uint32_t saved_size;
    VMChangeStateEntry *run_state;
    bool quiesced;          /* peers are kept out until the machine runs */
    QEMUTimer *link_gap;    /* from loading it to the windows' coming back */
};

/* In traces and messages. */
const char *switchtec_ntb_name(SwitchtecNtb *s);

/* Tells the chip what the guest's configuration of the function says. */
void switchtec_ntb_update_bus_master(SwitchtecNtb *s);

/* The function, and what the chip keeps for it. */
extern const VMStateDescription switchtec_ntb_vmstate;
void switchtec_ntb_state_init(SwitchtecNtb *s);
void switchtec_ntb_state_cleanup(SwitchtecNtb *s);

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
 * What peers may be given of the guest's RAM, published whenever it changes.
 * init fails if there is RAM that peers cannot be given.
 */
bool switchtec_ntb_views_init(SwitchtecNtb *s, Error **errp);
void switchtec_ntb_views_cleanup(SwitchtecNtb *s);
/* How requests of a peer under a proxy ID see this host's bus. */
SwitchtecNtbView *switchtec_ntb_view(SwitchtecNtb *s, unsigned source,
                                     uint8_t proxy);
/* After an access: if an IOMMU translated it, peers may map what is there. */
void switchtec_ntb_view_learn(SwitchtecNtbView *view, hwaddr address,
                              bool write);
/*
 * The part of a section of the memory map that peers can map; `range->address`
 * is where it is in the section's address space. False: none.
 */
bool switchtec_ntb_shared_ram(const MemoryRegionSection *section,
                              NtbRamRange *range);

/* Peers' accesses to this host's bus; NtbEndpointOps::access. */
bool switchtec_ntb_access(void *opaque, const NtbAccess *access,
                          uint64_t *value);

/* The thread that waits for the peers. */
bool switchtec_ntb_service_start(SwitchtecNtb *s, Error **errp);
void switchtec_ntb_service_stop(SwitchtecNtb *s);

#endif
