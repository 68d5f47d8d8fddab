/*
 * What the PCI functions of an emulated Switchtec switch have alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "pci-function.h"

/* PCIe device control after reset: as PCIe 5.0 7.5.3.4 has the defaults. */
#define DEVCTL_DEFAULT (PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN | \
                        PCI_EXP_DEVCTL_EXT_TAG | PCI_EXP_DEVCTL_READRQ_512B)
#define DEVCTL_WRITABLE (PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_PAYLOAD | \
                         PCI_EXP_DEVCTL_EXT_TAG | PCI_EXP_DEVCTL_NOSNOOP_EN | \
                         PCI_EXP_DEVCTL_READRQ)
#define DEVCAP_PAYLOAD_512 2

bool switchtec_pm_init(PCIDevice *dev, Error **errp)
{
    if (pci_pm_init(dev, CAP_PM, errp) < 0) {
        return false;
    }
    pci_set_word(dev->config + CAP_PM + PCI_PM_PMC, 3);
    pci_set_word(dev->config + CAP_PM + PCI_PM_CTRL,
                 PCI_PM_CTRL_NO_SOFT_RESET);
    pci_set_word(dev->wmask + CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
    return true;
}

void switchtec_identity_init(PCIDevice *dev, const NtbEndpointInfo *info,
                             uint32_t class_code)
{
    uint8_t *config = dev->config;

    pci_config_set_vendor_id(config, info->vendor_id);
    pci_config_set_device_id(config, info->device_id);
    pci_config_set_revision(config, info->revision);
    pci_config_set_prog_interface(config, class_code & 0xff);
    pci_config_set_class(config, class_code >> 8);
    pci_set_word(config + PCI_SUBSYSTEM_VENDOR_ID, info->vendor_id);
    pci_set_word(config + PCI_SUBSYSTEM_ID, info->device_id);
}

bool switchtec_express_init(PCIDevice *dev, const NtbEndpointInfo *info,
                            Error **errp)
{
    uint8_t *exp = dev->config + CAP_EXP;

    if (pcie_endpoint_cap_init(dev, CAP_EXP) < 0) {
        error_setg(errp, "cannot add the PCI Express capability");
        return false;
    }
    pci_long_test_and_set_mask(exp + PCI_EXP_DEVCAP,
                               DEVCAP_PAYLOAD_512 | PCI_EXP_DEVCAP_EXT_TAG);
    pci_word_test_and_set_mask(dev->wmask + CAP_EXP + PCI_EXP_DEVCTL,
                               DEVCTL_WRITABLE);
    pcie_cap_deverr_init(dev);
    pcie_cap_lnkctl_init(dev);
    pcie_cap_flr_init(dev);
    pcie_cap_fill_link_ep_usp(dev, info->link_width, info->link_generation);
    if (pcie_aer_init(dev, PCI_ERR_VER, CAP_AER, PCI_ERR_SIZEOF, errp) < 0) {
        return false;
    }
    /* Says that it does not talk to the other functions: PCIe 5.0 6.12.1.2. */
    if (PCI_FUNC(dev->devfn) ||
        (dev->cap_present & QEMU_PCI_CAP_MULTIFUNCTION)) {
        pcie_acs_init(dev, CAP_ACS);
    }
    return true;
}

void switchtec_express_reset(PCIDevice *dev)
{
    pcie_cap_deverr_reset(dev);
    pcie_cap_lnkctl_reset(dev);
    pcie_acs_reset(dev);
    pci_word_test_and_clear_mask(dev->config + CAP_EXP + PCI_EXP_DEVCTL,
                                 DEVCTL_WRITABLE);
    pci_word_test_and_set_mask(dev->config + CAP_EXP + PCI_EXP_DEVCTL,
                               DEVCTL_DEFAULT);
}

void switchtec_express_exit(PCIDevice *dev)
{
    if (dev->exp.aer_cap) {
        pcie_aer_exit(dev);
    }
    if (dev->exp.exp_cap) {
        pcie_cap_exit(dev);
    }
}

bool switchtec_is_bus_master(const PCIDevice *dev)
{
    return (pci_get_word(dev->config + PCI_COMMAND) & PCI_COMMAND_MASTER) &&
           !(pci_get_word(dev->config + dev->pm_cap + PCI_PM_CTRL) &
             PCI_PM_CTRL_STATE_MASK);
}
