/*
 * What the PCI functions of an emulated Switchtec switch have alike
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_MISC_SWITCHTEC_PCI_FUNCTION_H
#define HW_MISC_SWITCHTEC_PCI_FUNCTION_H

#include "hw/pci/pci_device.h"
#include "hw/pci/pcie_regs.h"
#include "ntblink/endpoint.h"

/* Capabilities where Switchtec firmware puts them. */
#define CAP_MSI     0x40
#define CAP_MSIX    0x50
#define CAP_PM      0x5c
#define CAP_EXP     0x64
#define CAP_AER     0x100
#define CAP_ACS     (CAP_AER + PCI_ERR_SIZEOF)

/* The power management capability, version 3. */
bool switchtec_pm_init(PCIDevice *dev, Error **errp);

/* IDs of the switch; the class code is that of this function. */
void switchtec_identity_init(PCIDevice *dev, const NtbEndpointInfo *info,
                             uint32_t class_code);

/*
 * PCI Express with FLR, AER and, where there are more functions, ACS, as an
 * endpoint on the switch's link. `exit` also of what has not been initialised.
 */
bool switchtec_express_init(PCIDevice *dev, const NtbEndpointInfo *info,
                            Error **errp);
void switchtec_express_reset(PCIDevice *dev);
void switchtec_express_exit(PCIDevice *dev);

/* A function in a D-state other than D0 sends no request either. */
bool switchtec_is_bus_master(const PCIDevice *dev);

#endif
