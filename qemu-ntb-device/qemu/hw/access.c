/*
 * NT endpoint of an emulated Switchtec switch: peers' accesses to this host
 *
 * What a peer's window shows and its QEMU cannot map, this QEMU accesses for
 * it, as a device at the NT endpoint's bus whose devfn is the peer's proxy ID:
 * devices, and what is behind an IOMMU until it has been seen to be RAM. Not
 * the endpoint itself: a request does not go back to the port it came from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/rcu.h"
#include "hw/pci/pci.h"
#include "switchtec-ntb.h"
#include "trace.h"

static bool leads_to_itself(SwitchtecNtb *s, AddressSpace *as,
                            const NtbAccess *access, MemTxAttrs attrs)
{
    hwaddr offset, size = access->size;

    RCU_READ_LOCK_GUARD();
    return memory_region_owner(address_space_translate(
               as, access->address, &offset, &size, access->write,
               attrs)) == OBJECT(s);
}

bool switchtec_ntb_access(void *opaque, const NtbAccess *access,
                          uint64_t *value)
{
    SwitchtecNtb *s = opaque;
    SwitchtecNtbView *view = switchtec_ntb_view(s, access->source,
                                                access->proxy);
    MemTxAttrs attrs = {
        .requester_id = PCI_BUILD_BDF(pci_dev_bus_num(PCI_DEVICE(s)),
                                      access->proxy),
    };
    uint8_t bytes[8];
    MemTxResult result = MEMTX_DECODE_ERROR;

    stq_le_p(bytes, *value);
    if (!leads_to_itself(s, view->as, access, attrs)) {
        result = address_space_rw(view->as, access->address, attrs, bytes,
                                  access->size, access->write);
    }
    if (!access->write) {
        *value = ldn_le_p(bytes, access->size);
    }
    trace_switchtec_ntb_access(switchtec_ntb_name(s), access->source,
                               PCI_SLOT(access->proxy),
                               PCI_FUNC(access->proxy),
                               access->write ? "write" : "read",
                               access->address, access->size, *value, result);
    if (result != MEMTX_OK) {
        return false;
    }
    switchtec_ntb_view_learn(view, access->address, access->write);
    return true;
}
