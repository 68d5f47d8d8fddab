/*
 * DMA engine of an emulated Switchtec switch
 *
 * A PCI function beside the NT endpoint. The engine, with its registers and
 * its threads, is behind switchtec-dma/engine.h; what it asks of the machine is
 * in dma-bus.c.
 *
 *     -device switchtec-ntb,id=ntb0,bus=rp0,addr=0.0,multifunction=on,...
 *     -device switchtec-dma,bus=rp0,addr=0.1,ntb=ntb0
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "pci-function.h"
#include "switchtec-dma.h"
#include "trace.h"

#define DMA_CLASS           0x0880

/* In BAR0, behind the engine's registers; ours. */
#define DMA_MSIX_TABLE      0x1c0000
#define DMA_MSIX_PBA        0x1e0000

const char *switchtec_dma_name(SwitchtecDma *s)
{
    return DEVICE(s)->id ?: object_get_typename(OBJECT(s));
}

/* ---- BAR0 ---- */

static uint64_t bar_read(void *opaque, hwaddr offset, unsigned size)
{
    SwitchtecDma *s = opaque;
    uint64_t value = ntb_dma_read(s->engine, offset, size);
    char name[64];

    if (trace_event_get_state_backends(TRACE_SWITCHTEC_DMA_BAR_READ)) {
        trace_switchtec_dma_bar_read(switchtec_dma_name(s), offset,
                                     ntb_dma_register_name(offset, name,
                                                           sizeof(name)),
                                     size, value);
    }
    return value;
}

static void bar_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    SwitchtecDma *s = opaque;
    char name[64];

    if (trace_event_get_state_backends(TRACE_SWITCHTEC_DMA_BAR_WRITE)) {
        trace_switchtec_dma_bar_write(switchtec_dma_name(s), offset,
                                      ntb_dma_register_name(offset, name,
                                                            sizeof(name)),
                                      size, value);
    }
    ntb_dma_write(s->engine, offset, value, size);
}

static const MemoryRegionOps bar_ops = {
    .read = bar_read,
    .write = bar_write,
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

/* ---- The function ---- */

static void switchtec_dma_update_bus_master(SwitchtecDma *s)
{
    bool enabled = switchtec_is_bus_master(PCI_DEVICE(s));

    if (enabled != s->bus_master) {
        s->bus_master = enabled;
        ntb_dma_set_bus_master(s->engine, enabled);
    }
}

static void switchtec_dma_write_config(PCIDevice *dev, uint32_t address,
                                       uint32_t value, int len)
{
    SwitchtecDma *s = SWITCHTEC_DMA(dev);

    pci_default_write_config(dev, address, value, len);
    pcie_cap_flr_write_config(dev, address, value, len);
    pcie_aer_write_config(dev, address, value, len);
    switchtec_dma_update_bus_master(s);
}

static void switchtec_dma_reset_hold(Object *obj, ResetType type)
{
    SwitchtecDma *s = SWITCHTEC_DMA(obj);

    trace_switchtec_dma_reset(switchtec_dma_name(s));
    switchtec_express_reset(PCI_DEVICE(obj));
    s->bus_master = false;
    ntb_dma_reset(s->engine);
    bitmap_zero(s->interrupts, NTB_DMA_MAX_VECTORS);
}

static void switchtec_dma_run_state(void *opaque, bool running, RunState state)
{
    SwitchtecDma *s = opaque;

    if (running) {
        ntb_dma_go_on(s->engine);
    } else {
        ntb_dma_stop(s->engine);
        /* What is saved has had the interrupts of what it has done. */
        switchtec_dma_send_interrupts(s);
    }
}

static bool switchtec_dma_open(SwitchtecDma *s, Error **errp)
{
    NtbDmaConfig config = {
        .channels = s->channels,
        .ops = &switchtec_dma_ops,
        .opaque = s,
    };
    char reason[NTB_DMA_ERROR_SIZE];

    if (!s->ntb) {
        error_setg(errp, "property 'ntb' is missing: the id of the "
                   "switchtec-ntb beside which it is");
        return false;
    }
    s->engine = ntb_dma_open(&config, reason);
    if (!s->engine) {
        error_setg(errp, "%s", reason);
        return false;
    }
    return true;
}

static void switchtec_dma_exit(PCIDevice *dev)
{
    SwitchtecDma *s = SWITCHTEC_DMA(dev);

    g_clear_pointer(&s->run_state, qemu_del_vm_change_state_handler);
    if (s->engine) {
        ntb_dma_reset(s->engine);
    }
    switchtec_dma_bus_cleanup(s);
    g_clear_pointer(&s->saved, g_free);
    if (msix_present(dev)) {
        msix_uninit(dev, &s->bar, &s->bar);
    }
    switchtec_express_exit(dev);
}

static void switchtec_dma_realize(PCIDevice *dev, Error **errp)
{
    SwitchtecDma *s = SWITCHTEC_DMA(dev);
    unsigned vectors;

    if (!switchtec_dma_open(s, errp)) {
        return;
    }
    switchtec_dma_bus_init(s);
    s->translated = pci_device_iommu_address_space(dev) !=
                    &address_space_memory;
    switchtec_identity_init(dev, &s->ntb->info, DMA_CLASS << 8);
    memory_region_init_io(&s->bar, OBJECT(s), &bar_ops, s, "switchtec-dma.bar",
                          NTB_DMA_BAR_SIZE);
    pci_register_bar(dev, 0, PCI_BASE_ADDRESS_MEM_PREFETCH |
                     PCI_BASE_ADDRESS_MEM_TYPE_64, &s->bar);
    vectors = ntb_dma_vectors(s->engine);
    /* Added from the last to the first: each becomes the head of the list. */
    if (!switchtec_express_init(dev, &s->ntb->info, errp) ||
        !switchtec_pm_init(dev, errp) ||
        msix_init(dev, vectors, &s->bar, 0, DMA_MSIX_TABLE, &s->bar, 0,
                  DMA_MSIX_PBA, CAP_MSIX, errp) < 0) {
        switchtec_dma_exit(dev);
        return;
    }
    for (unsigned i = 0; i < vectors; i++) {
        msix_vector_use(dev, i);
    }
    s->run_state = qdev_add_vm_change_state_handler(DEVICE(s),
                                                    switchtec_dma_run_state, s);
    if (!runstate_is_running()) {
        ntb_dma_stop(s->engine);
    }
}

/* Late, when no vCPU can be about to access BAR0 any more. */
static void switchtec_dma_finalize(Object *obj)
{
    g_clear_pointer(&SWITCHTEC_DMA(obj)->engine, ntb_dma_close);
}

/* ---- Saved with the machine ---- */

static int switchtec_dma_pre_save(void *opaque)
{
    SwitchtecDma *s = opaque;
    g_autofree char *reason = g_malloc(NTB_DMA_ERROR_SIZE);
    size_t size;
    void *saved = ntb_dma_save(s->engine, &size, reason);

    if (!saved) {
        error_report("switchtec-dma %s: %s", switchtec_dma_name(s), reason);
        return -EBUSY;
    }
    s->saved = g_memdup2(saved, size);
    s->saved_size = size;
    free(saved);
    return 0;
}

static int switchtec_dma_post_save(void *opaque)
{
    SwitchtecDma *s = opaque;

    g_clear_pointer(&s->saved, g_free);
    return 0;
}

static int switchtec_dma_post_load(void *opaque, int version_id)
{
    SwitchtecDma *s = opaque;
    g_autofree char *reason = g_malloc(NTB_DMA_ERROR_SIZE);
    bool loaded = ntb_dma_load(s->engine, s->saved, s->saved_size, reason);

    g_clear_pointer(&s->saved, g_free);
    if (!loaded) {
        error_report("switchtec-dma %s: %s", switchtec_dma_name(s), reason);
        return -EINVAL;
    }
    s->bus_master = switchtec_is_bus_master(PCI_DEVICE(s));
    return 0;
}

static const VMStateDescription switchtec_dma_vmstate = {
    .name = TYPE_SWITCHTEC_DMA,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = switchtec_dma_pre_save,
    .post_save = switchtec_dma_post_save,
    .post_load = switchtec_dma_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, SwitchtecDma),
        VMSTATE_MSIX(parent_obj, SwitchtecDma),
        VMSTATE_STRUCT(parent_obj.exp.aer_log, SwitchtecDma, 0,
                       vmstate_pcie_aer_log, PCIEAERLog),
        VMSTATE_UINT32(saved_size, SwitchtecDma),
        VMSTATE_VBUFFER_ALLOC_UINT32(saved, SwitchtecDma, 0, NULL, saved_size),
        VMSTATE_END_OF_LIST()
    },
};

static const Property switchtec_dma_properties[] = {
    DEFINE_PROP_LINK("ntb", SwitchtecDma, ntb, TYPE_SWITCHTEC_NTB,
                     SwitchtecNtb *),
    DEFINE_PROP_UINT16("channels", SwitchtecDma, channels, 4),
};

static void switchtec_dma_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "DMA engine of an emulated Switchtec PCIe switch";
    device_class_set_props(dc, switchtec_dma_properties);
    dc->vmsd = &switchtec_dma_vmstate;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    rc->phases.hold = switchtec_dma_reset_hold;
    k->realize = switchtec_dma_realize;
    k->exit = switchtec_dma_exit;
    k->config_write = switchtec_dma_write_config;
    k->class_id = DMA_CLASS;
}

static const TypeInfo switchtec_dma_type = {
    .name = TYPE_SWITCHTEC_DMA,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(SwitchtecDma),
    .instance_finalize = switchtec_dma_finalize,
    .class_init = switchtec_dma_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { },
    },
};

static void switchtec_dma_register_types(void)
{
    type_register_static(&switchtec_dma_type);
}

type_init(switchtec_dma_register_types)
