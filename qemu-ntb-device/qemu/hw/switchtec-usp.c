/*
 * Upstream port of an emulated Switchtec switch
 *
 * Function 0 of the device of which the NT or management endpoint is function
 * 1, as boards show it. It has no downstream ports. Its registers in the GAS
 * are those of the chip, behind the endpoint.
 *
 *     -device pcie-root-port,id=rp0,chassis=1,slot=1,x-speed=16,x-width=16
 *     -device switchtec-usp,bus=rp0,addr=0.0,multifunction=on,vendor-id=0x11f8,
 *             device-id=0x4052,link-generation=4,link-width=16
 *     -device switchtec-ntb,id=ntb0,bus=rp0,addr=0.1,fabric=fabric.sock,
 *             switch=sw0,partition=0
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "hw/pci/msi.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_port.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "pci-function.h"

#define TYPE_SWITCHTEC_USP "switchtec-usp"
OBJECT_DECLARE_SIMPLE_TYPE(SwitchtecUsp, SWITCHTEC_USP)

/* Behind the others. */
#define CAP_SSVID   0xa0

struct SwitchtecUsp {
    /*< private >*/
    PCIEPort parent_obj;
    /*< public >*/

    /* Properties */
    uint16_t vendor_id;
    uint16_t device_id;
    uint8_t link_generation;    /* 1..5 */
    uint8_t link_width;         /* lanes */
};

static void switchtec_usp_write_config(PCIDevice *dev, uint32_t address,
                                       uint32_t value, int len)
{
    pci_bridge_write_config(dev, address, value, len);
    pcie_aer_write_config(dev, address, value, len);
}

static void switchtec_usp_reset_hold(Object *obj, ResetType type)
{
    PCIDevice *dev = PCI_DEVICE(obj);

    pci_bridge_reset(DEVICE(obj));
    pcie_cap_deverr_reset(dev);
    pcie_acs_reset(dev);
}

static bool switchtec_usp_check(SwitchtecUsp *s, Error **errp)
{
    PCIDevice *dev = PCI_DEVICE(s);

    if (PCI_FUNC(dev->devfn) != 0 ||
        !(dev->cap_present & QEMU_PCI_CAP_MULTIFUNCTION)) {
        error_setg(errp, "an upstream port is function 0 of a device that has "
                   "more: use addr=0.0,multifunction=on");
        return false;
    }
    if (s->link_generation < 1 || s->link_generation > 5) {
        error_setg(errp, "link-generation is %u: use 1 to 5",
                   s->link_generation);
        return false;
    }
    if (!is_power_of_2(s->link_width) || s->link_width > 16) {
        error_setg(errp, "link-width is %u: use 1, 2, 4, 8 or 16",
                   s->link_width);
        return false;
    }
    return true;
}

static void switchtec_usp_exit(PCIDevice *dev)
{
    if (dev->exp.aer_cap) {
        pcie_aer_exit(dev);
    }
    if (dev->exp.exp_cap) {
        pcie_cap_exit(dev);
    }
    if (msi_present(dev)) {
        msi_uninit(dev);
    }
    pci_bridge_exitfn(dev);
}

/* Added from the last to the first: each becomes the head of the list. */
static bool switchtec_usp_init_capabilities(SwitchtecUsp *s, Error **errp)
{
    PCIDevice *dev = PCI_DEVICE(s);

    if (pci_bridge_ssvid_init(dev, CAP_SSVID, s->vendor_id, s->device_id,
                              errp) < 0 ||
        pcie_cap_init(dev, CAP_EXP, PCI_EXP_TYPE_UPSTREAM,
                      PCIE_PORT(dev)->port, errp) < 0) {
        return false;
    }
    pcie_cap_deverr_init(dev);
    pcie_cap_fill_link_ep_usp(dev, s->link_width, s->link_generation);
    if (!switchtec_pm_init(dev, errp) ||
        msi_init(dev, CAP_MSI, 1, true, false, errp) < 0 ||
        pcie_aer_init(dev, PCI_ERR_VER, CAP_AER, PCI_ERR_SIZEOF, errp) < 0) {
        return false;
    }
    pcie_acs_init(dev, CAP_ACS);
    return true;
}

static void switchtec_usp_realize(PCIDevice *dev, Error **errp)
{
    SwitchtecUsp *s = SWITCHTEC_USP(dev);

    if (!switchtec_usp_check(s, errp)) {
        return;
    }
    pci_bridge_initfn(dev, TYPE_PCIE_BUS);
    pcie_port_init_reg(dev);
    pci_config_set_vendor_id(dev->config, s->vendor_id);
    pci_config_set_device_id(dev->config, s->device_id);
    if (!switchtec_usp_init_capabilities(s, errp)) {
        switchtec_usp_exit(dev);
    }
}

static const VMStateDescription switchtec_usp_vmstate = {
    .name = TYPE_SWITCHTEC_USP,
    .priority = MIG_PRI_PCI_BUS,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj.parent_obj.parent_obj, SwitchtecUsp),
        VMSTATE_STRUCT(parent_obj.parent_obj.parent_obj.exp.aer_log,
                       SwitchtecUsp, 0, vmstate_pcie_aer_log, PCIEAERLog),
        VMSTATE_END_OF_LIST()
    },
};

static const Property switchtec_usp_properties[] = {
    DEFINE_PROP_UINT16("vendor-id", SwitchtecUsp, vendor_id, 0x11f8),
    DEFINE_PROP_UINT16("device-id", SwitchtecUsp, device_id, 0x4052),
    DEFINE_PROP_UINT8("link-generation", SwitchtecUsp, link_generation, 4),
    DEFINE_PROP_UINT8("link-width", SwitchtecUsp, link_width, 16),
};

static void switchtec_usp_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Upstream port of an emulated Switchtec PCIe switch";
    dc->vmsd = &switchtec_usp_vmstate;
    device_class_set_props(dc, switchtec_usp_properties);
    set_bit(DEVICE_CATEGORY_BRIDGE, dc->categories);
    rc->phases.hold = switchtec_usp_reset_hold;
    k->realize = switchtec_usp_realize;
    k->exit = switchtec_usp_exit;
    k->config_write = switchtec_usp_write_config;
}

static const TypeInfo switchtec_usp_type = {
    .name = TYPE_SWITCHTEC_USP,
    .parent = TYPE_PCIE_PORT,
    .instance_size = sizeof(SwitchtecUsp),
    .class_init = switchtec_usp_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { },
    },
};

static void switchtec_usp_register_types(void)
{
    type_register_static(&switchtec_usp_type);
}

type_init(switchtec_usp_register_types)
