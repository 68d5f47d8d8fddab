/*
 * What the PCI functions of an emulated Switchtec switch have alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "pci-function.h"

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
