/*
 * DMA engine of an emulated Switchtec switch: what its parts share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_MISC_SWITCHTEC_DMA_H
#define HW_MISC_SWITCHTEC_DMA_H

#include "qemu/bitops.h"
#include "hw/pci/pci_device.h"
#include "qom/object.h"
#include "switchtec-dma/engine.h"
#include "switchtec-ntb.h"
#include "system/runstate.h"

#define TYPE_SWITCHTEC_DMA "switchtec-dma"
OBJECT_DECLARE_SIMPLE_TYPE(SwitchtecDma, SWITCHTEC_DMA)

struct SwitchtecDma {
    /*< private >*/
    PCIDevice parent_obj;
    /*< public >*/

    /* Properties */
    SwitchtecNtb *ntb;
    uint16_t channels;

    NtbDma *engine;
    MemoryRegion bar;
    bool translated;            /* by an IOMMU */
    bool bus_master;            /* as the engine knows it */
    struct SwitchtecDmaChannel *channel;    /* of each, what its thread asks for */
    DECLARE_BITMAP(interrupts, NTB_DMA_MAX_VECTORS);    /* to be sent */
    QEMUBH *interrupt_bh;

    /* While the machine's state is saved or loaded: ntb_dma_save() */
    uint8_t *saved;
    uint32_t saved_size;
    VMChangeStateEntry *run_state;
};

/* In traces and messages. */
const char *switchtec_dma_name(SwitchtecDma *s);

/* What the engine asks of the machine; `opaque` is the SwitchtecDma. */
extern const NtbDmaOps switchtec_dma_ops;
/* Once the engine is there; cleanup when it is at rest for good. */
void switchtec_dma_bus_init(SwitchtecDma *s);
void switchtec_dma_bus_cleanup(SwitchtecDma *s);
/* Those that the engine has asked for, at once. Under the BQL. */
void switchtec_dma_send_interrupts(SwitchtecDma *s);

#endif
