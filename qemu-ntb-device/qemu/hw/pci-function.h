/*
 * What the PCI functions of an emulated Switchtec switch have alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_MISC_SWITCHTEC_PCI_FUNCTION_H
#define HW_MISC_SWITCHTEC_PCI_FUNCTION_H

#include "hw/pci/pci_device.h"
#include "hw/pci/pcie_regs.h"

/* Capabilities where Switchtec firmware puts them. */
#define CAP_MSI     0x40
#define CAP_MSIX    0x50
#define CAP_PM      0x5c
#define CAP_EXP     0x64
#define CAP_AER     0x100
#define CAP_ACS     (CAP_AER + PCI_ERR_SIZEOF)

/* The power management capability, version 3. */
bool switchtec_pm_init(PCIDevice *dev, Error **errp);

#endif
