/*
 * NT endpoint of an emulated Switchtec switch: BAR0, the global address space
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "switchtec-ntb.h"
#include "switchtec/gas.h"
#include "trace.h"

static void gas_trace_write(SwitchtecNtb *s, uint32_t offset, unsigned size,
                            uint64_t value)
{
    char name[64];
    uint32_t reg;

    if (trace_event_get_state_backends(TRACE_SWITCHTEC_NTB_GAS_WRITE)) {
        trace_switchtec_ntb_gas_write(
            switchtec_ntb_name(s), offset,
            ntb_endpoint_register_name(s->endpoint, offset, name,
                                       sizeof(name)),
            size, value);
    }
    /* A host can use its own block only. */
    if (offset < SwitchtecDoorbellsBase ||
        (offset - SwitchtecDoorbellsBase) / SwitchtecDoorbellsStride !=
        s->partition) {
        return;
    }
    reg = (offset - SwitchtecDoorbellsBase) % SwitchtecDoorbellsStride;
    if (reg >= SwitchtecOutDoorbell && reg < SwitchtecOutDoorbell + 8) {
        trace_switchtec_ntb_doorbell(
            switchtec_ntb_name(s),
            value << (8 * (reg - SwitchtecOutDoorbell)));
    } else if (reg >= SwitchtecOutMessage && reg < SwitchtecInMessage &&
               reg % 8 == SwitchtecOutMessage % 8) {
        trace_switchtec_ntb_message(switchtec_ntb_name(s),
                                    (reg - SwitchtecOutMessage) / 8, value);
    }
}

static uint64_t gas_read(void *opaque, hwaddr offset, unsigned size)
{
    SwitchtecNtb *s = opaque;
    uint64_t value;
    char name[64];

    switchtec_ntb_update_requester_id(s);
    value = ntb_endpoint_gas_read(s->endpoint, offset, size);
    if (trace_event_get_state_backends(TRACE_SWITCHTEC_NTB_GAS_READ)) {
        trace_switchtec_ntb_gas_read(
            switchtec_ntb_name(s), offset,
            ntb_endpoint_register_name(s->endpoint, offset, name,
                                       sizeof(name)),
            size, value);
    }
    return value;
}

static void gas_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    SwitchtecNtb *s = opaque;

    switchtec_ntb_update_requester_id(s);
    gas_trace_write(s, offset, size, value);
    ntb_endpoint_gas_write(s->endpoint, offset, value, size);
}

/*
 * Any size at any offset: Linux reads the 64-bit endpoint map at 0x10004.
 * (TCG splits that into two aligned halves, KVM does not.)
 */
static const MemoryRegionOps gas_ops = {
    .read = gas_read,
    .write = gas_write,
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

void switchtec_ntb_update_requester_id(SwitchtecNtb *s)
{
    uint16_t id = pci_requester_id(PCI_DEVICE(s));

    if (id == s->requester_id) {
        return;
    }
    s->requester_id = id;
    trace_switchtec_ntb_requester_id(switchtec_ntb_name(s), PCI_BUS_NUM(id),
                                     PCI_SLOT(id & 0xff), PCI_FUNC(id & 0xff));
    ntb_endpoint_set_requester_id(s->endpoint, id);
}

void switchtec_ntb_gas_init(SwitchtecNtb *s)
{
    memory_region_init_io(&s->gas, OBJECT(s), &gas_ops, s, "switchtec-ntb.gas",
                          s->info.bar0_size);
    pci_register_bar(PCI_DEVICE(s), 0,
                     PCI_BASE_ADDRESS_MEM_PREFETCH |
                     PCI_BASE_ADDRESS_MEM_TYPE_64, &s->gas);
}
