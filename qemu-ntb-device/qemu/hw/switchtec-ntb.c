/*
 * NT or management endpoint of an emulated Switchtec switch
 *
 * The PCI function and what the PCI core has to do with it. The chip, shared
 * with the QEMU processes of the other hosts, is behind ntblink/endpoint.h.
 *
 *     -object memory-backend-memfd,id=ram,size=1G,share=on
 *     -machine q35,memory-backend=ram
 *     -device pcie-root-port,id=rp0,chassis=1,slot=1,x-speed=16,x-width=16
 *     -device switchtec-ntb,id=ntb0,bus=rp0,fabric=fabric.sock,switch=sw0,
 *             partition=0
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/host-utils.h"
#include "qemu/module.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "pci-function.h"
#include "switchtec-ntb.h"
#include "trace.h"

#define MSI_MAX_VECTORS 4

const char *switchtec_ntb_name(SwitchtecNtb *s)
{
    return DEVICE(s)->id ?: object_get_typename(OBJECT(s));
}

/* Called by the endpoint library, with the BQL held. */

static void switchtec_ntb_interrupt(void *opaque, unsigned vector)
{
    SwitchtecNtb *s = opaque;
    PCIDevice *dev = PCI_DEVICE(s);

    if (msix_enabled(dev)) {
        trace_switchtec_ntb_interrupt(switchtec_ntb_name(s), vector, "MSI-X");
        msix_notify(dev, vector);
    } else if (msi_enabled(dev) && vector < msi_nr_vectors_allocated(dev)) {
        trace_switchtec_ntb_interrupt(switchtec_ntb_name(s), vector, "MSI");
        msi_notify(dev, vector);
    } else {
        trace_switchtec_ntb_interrupt(switchtec_ntb_name(s), vector, "nothing");
    }
}

static void switchtec_ntb_windows_changed(void *opaque)
{
    switchtec_ntb_windows_update(opaque);
}

static void switchtec_ntb_lost(void *opaque, const char *reason)
{
    SwitchtecNtb *s = opaque;

    if (s->lost) {
        return;
    }
    trace_switchtec_ntb_lost(switchtec_ntb_name(s), reason);
    warn_report("switchtec-ntb %s: %s; its windows are closed until QEMU is "
                "started again", switchtec_ntb_name(s), reason);
    s->lost = true;
    switchtec_ntb_windows_update(s);
}

static void switchtec_ntb_message_gap(void *opaque)
{
    SwitchtecNtb *s = opaque;

    timer_mod(s->message_gap, qemu_clock_get_ms(QEMU_CLOCK_VIRTUAL) +
                              NTB_MESSAGE_GAP_MS);
}

static void switchtec_ntb_message_gap_over(void *opaque)
{
    SwitchtecNtb *s = opaque;

    ntb_endpoint_end_message_gap(s->endpoint);
}

/* A posted write: what the guest has no memory for is dropped. */
static void switchtec_ntb_dma_write(void *opaque, uint64_t address,
                                    const void *data, size_t size)
{
    SwitchtecNtb *s = opaque;
    MemTxResult result = pci_dma_write(PCI_DEVICE(s), address, data, size);

    trace_switchtec_ntb_dma_write(switchtec_ntb_name(s), address, size, result);
}

static const NtbEndpointOps endpoint_ops = {
    .interrupt = switchtec_ntb_interrupt,
    .windows_changed = switchtec_ntb_windows_changed,
    .lost = switchtec_ntb_lost,
    .message_gap = switchtec_ntb_message_gap,
    .dma_write = switchtec_ntb_dma_write,
    .access = switchtec_ntb_access,
};

void switchtec_ntb_update_bus_master(SwitchtecNtb *s)
{
    bool enabled = switchtec_is_bus_master(PCI_DEVICE(s));

    if (enabled == s->bus_master) {
        return;
    }
    s->bus_master = enabled;
    trace_switchtec_ntb_bus_master(switchtec_ntb_name(s), enabled);
    ntb_endpoint_set_bus_master(s->endpoint, enabled);
}

static void switchtec_ntb_write_config(PCIDevice *dev, uint32_t address,
                                       uint32_t value, int len)
{
    SwitchtecNtb *s = SWITCHTEC_NTB(dev);

    pci_default_write_config(dev, address, value, len);
    pcie_cap_flr_write_config(dev, address, value, len);
    pcie_aer_write_config(dev, address, value, len);
    switchtec_ntb_update_requester_id(s);
    switchtec_ntb_update_bus_master(s);
}

/* Power-on, reset of the host, of the bus (secondary bus reset) and FLR. */
static void switchtec_ntb_reset_hold(Object *obj, ResetType type)
{
    SwitchtecNtb *s = SWITCHTEC_NTB(obj);

    trace_switchtec_ntb_reset(switchtec_ntb_name(s));
    s->bus_master = false;
    timer_del(s->message_gap);
    timer_del(s->link_gap);
    switchtec_express_reset(PCI_DEVICE(obj));
    ntb_endpoint_reset(s->endpoint);
}

static bool switchtec_ntb_open(SwitchtecNtb *s, Error **errp)
{
    NtbEndpointConfig config = {
        .fabric_socket = s->fabric,
        .switch_name = s->switch_name,
        .partition = s->partition,
        .bar2_size = s->bar2_size,
        .bar4_size = s->bar4_size,
        .vectors = s->vectors,
    };
    char reason[NTB_ERROR_SIZE];

    if (!s->fabric || !s->switch_name) {
        error_setg(errp, "property '%s' is missing: %s",
                   s->fabric ? "switch" : "fabric",
                   s->fabric ? "a switch of the fabric's topology" :
                               "the socket of the cluster's ntb-fabric");
        return false;
    }
    s->endpoint = ntb_endpoint_open(&config, reason);
    if (!s->endpoint) {
        error_setg(errp, "%s", reason);
        return false;
    }
    s->message_gap = timer_new_ms(QEMU_CLOCK_VIRTUAL,
                                  switchtec_ntb_message_gap_over, s);
    switchtec_ntb_state_init(s);
    ntb_endpoint_set_ops(s->endpoint, &endpoint_ops, s);
    ntb_endpoint_info(s->endpoint, &s->info);
    return true;
}

/* Added from the last to the first: each becomes the head of the list. */
static bool switchtec_ntb_init_capabilities(SwitchtecNtb *s, Error **errp)
{
    PCIDevice *dev = PCI_DEVICE(s);

    if (!switchtec_express_init(dev, &s->info, errp) ||
        !switchtec_pm_init(dev, errp)) {
        return false;
    }
    if (msix_init(dev, s->info.vectors, &s->gas, 0, s->info.msix_table_offset,
                  &s->gas, 0, s->info.msix_pba_offset, CAP_MSIX, errp) < 0) {
        return false;
    }
    for (unsigned i = 0; i < s->info.vectors; i++) {
        msix_vector_use(dev, i);
    }
    return msi_init(dev, CAP_MSI,
                    MIN(pow2floor(s->info.vectors), MSI_MAX_VECTORS),
                    true, false, errp) == 0;
}

static void switchtec_ntb_exit(PCIDevice *dev)
{
    SwitchtecNtb *s = SWITCHTEC_NTB(dev);

    switchtec_ntb_service_stop(s);
    switchtec_ntb_views_cleanup(s);
    switchtec_ntb_windows_cleanup(s);
    if (s->endpoint) {
        /* A vCPU that was about to access BAR0 may still do so. */
        ntb_endpoint_set_ops(s->endpoint, &(NtbEndpointOps){ }, NULL);
    }
    g_clear_pointer(&s->message_gap, timer_free);
    switchtec_ntb_state_cleanup(s);
    if (msi_present(dev)) {
        msi_uninit(dev);
    }
    if (msix_present(dev)) {
        msix_uninit(dev, &s->gas, &s->gas);
    }
    switchtec_express_exit(dev);
}

static void switchtec_ntb_realize(PCIDevice *dev, Error **errp)
{
    SwitchtecNtb *s = SWITCHTEC_NTB(dev);

    if (!pci_bus_is_express(pci_get_bus(dev)) ||
        pci_bus_is_root(pci_get_bus(dev))) {
        error_setg(errp, "not behind a PCI Express port: use -device "
                   "pcie-root-port,id=rp0,chassis=1,slot=1 and bus=rp0");
        return;
    }
    if (!switchtec_ntb_open(s, errp)) {
        switchtec_ntb_exit(dev);
        return;
    }
    switchtec_identity_init(dev, &s->info, s->info.class_code);
    switchtec_ntb_gas_init(s);
    switchtec_ntb_windows_init(s);
    if (!switchtec_ntb_init_capabilities(s, errp) ||
        !switchtec_ntb_views_init(s, errp) ||
        !switchtec_ntb_service_start(s, errp)) {
        switchtec_ntb_exit(dev);
    }
}

/* Late, when no vCPU and no device can have an address in a window any more. */
static void switchtec_ntb_finalize(Object *obj)
{
    g_clear_pointer(&SWITCHTEC_NTB(obj)->endpoint, ntb_endpoint_close);
}

static const Property switchtec_ntb_properties[] = {
    DEFINE_PROP_STRING("fabric", SwitchtecNtb, fabric),
    DEFINE_PROP_STRING("switch", SwitchtecNtb, switch_name),
    DEFINE_PROP_UINT32("partition", SwitchtecNtb, partition, 0),
    /* 0: as the topology says. */
    DEFINE_PROP_SIZE("bar2-size", SwitchtecNtb, bar2_size, 0),
    DEFINE_PROP_SIZE("bar4-size", SwitchtecNtb, bar4_size, 0),
    DEFINE_PROP_UINT8("vectors", SwitchtecNtb, vectors, 0),
};

static void switchtec_ntb_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "NT endpoint of an emulated Switchtec PCIe switch";
    device_class_set_props(dc, switchtec_ntb_properties);
    dc->vmsd = &switchtec_ntb_vmstate;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    rc->phases.hold = switchtec_ntb_reset_hold;
    k->realize = switchtec_ntb_realize;
    k->exit = switchtec_ntb_exit;
    k->config_write = switchtec_ntb_write_config;
    k->class_id = PCI_CLASS_BRIDGE_OTHER;
}

static const TypeInfo switchtec_ntb_type = {
    .name = TYPE_SWITCHTEC_NTB,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(SwitchtecNtb),
    .instance_finalize = switchtec_ntb_finalize,
    .class_init = switchtec_ntb_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { },
    },
};

static void switchtec_ntb_register_types(void)
{
    type_register_static(&switchtec_ntb_type);
}

type_init(switchtec_ntb_register_types)
