/*
 * DMA engine of an emulated Switchtec switch: what it reads and writes
 *
 * RAM, and windows over a peer's RAM, are copied by the channel's thread, from
 * one to the other, without the BQL. Whatever may need the BQL (devices,
 * windows that are not mapped, translation by an IOMMU, interrupts) is done in
 * the main loop, for which the thread waits; it gives up waiting when its work
 * is cancelled, as whoever cancels may hold the BQL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "hw/pci/msix.h"
#include "pci-function.h"
#include "switchtec-dma.h"
#include "trace.h"

/* A chunk of a copy in pages of 4 KiB, at any alignment. */
#define MAX_PIECES          (NTB_DMA_CHUNK / 4096 + 1)
/* So much of what is no memory is accessed in one turn of the main loop. */
#define MAX_SLOW_BYTES      128

typedef enum PieceKind {
    PIECE_RAM,          /* `host` */
    PIECE_SLOW,         /* by the main loop */
    PIECE_REFUSED,      /* does not pass the NT endpoint */
} PieceKind;

/* A part of a range of bus addresses. */
typedef struct Piece {
    PieceKind kind;
    hwaddr size;
    uint8_t *host;      /* has a reference of its memory region */
} Piece;

/* A range, or its beginning. */
typedef struct BusRange {
    dma_addr_t address;
    hwaddr size;        /* of all pieces */
    bool write;
    unsigned count;
    Piece pieces[MAX_PIECES];
} BusRange;

typedef struct SwitchtecDmaChannel SwitchtecDmaChannel;
typedef void Errand(SwitchtecDmaChannel *c);

/* What the thread of a channel has the main loop do, while it waits. */
struct SwitchtecDmaChannel {
    SwitchtecDma *dma;
    unsigned number;
    QEMUBH *bh;
    QemuMutex lock;
    QemuCond changed;
    Errand *errand;     /* NULL: none, or it is done */
    BusRange *ranges[2];
    /* Of an access */
    dma_addr_t address;
    uint8_t bytes[MAX_SLOW_BYTES];
    size_t size;
    bool write;
    MemTxResult result;
};

/* ---- Bus addresses ---- */

/* True: an NT endpoint does not let the request pass. */
static bool is_refused(SwitchtecDma *s, MemoryRegion *mr, hwaddr offset,
                       hwaddr size, bool write)
{
    PCIDevice *dev = PCI_DEVICE(s);
    uint16_t control = pci_get_word(dev->config + CAP_EXP + PCI_EXP_DEVCTL);
    unsigned payload = 128 << ((control & PCI_EXP_DEVCTL_PAYLOAD) >> 5);
    SwitchtecNtb *ntb = (SwitchtecNtb *)object_dynamic_cast(
        memory_region_owner(mr), TYPE_SWITCHTEC_NTB);

    if (!ntb) {
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(ntb->window_bars); i++) {
        if (mr == &ntb->window_bars[i].memory) {
            return !ntb_endpoint_admit(ntb->endpoint, pci_requester_id(dev),
                                       ntb->window_bars[i].bar, offset, size,
                                       write, payload);
        }
    }
    return false;
}

/* Under RCU; under the BQL if an IOMMU may have to translate. */
static void range_resolve(SwitchtecDma *s, BusRange *range, dma_addr_t address,
                          hwaddr size, bool write)
{
    AddressSpace *as = pci_get_address_space(PCI_DEVICE(s));
    MemTxAttrs attrs = {
        .requester_id = pci_requester_id(PCI_DEVICE(s)),
    };

    range->address = address;
    range->write = write;
    range->size = 0;
    range->count = 0;
    while (range->size < size && range->count < MAX_PIECES) {
        Piece *piece = &range->pieces[range->count++];
        hwaddr offset, length = size - range->size;
        MemoryRegion *mr = address_space_translate(as, address + range->size,
                                                   &offset, &length, write,
                                                   attrs);

        piece->host = NULL;
        if (!memory_access_is_direct(mr, write, attrs)) {
            piece->kind = PIECE_SLOW;
            length = MIN(length, MAX_SLOW_BYTES);
        } else if (is_refused(s, mr, offset, length, write)) {
            piece->kind = PIECE_REFUSED;
        } else {
            piece->kind = PIECE_RAM;
            piece->host = qemu_map_ram_ptr(mr->ram_block, offset);
            memory_region_ref(mr);
        }
        piece->size = length;
        range->size += length;
    }
}

/* Translated code and dirty pages see to what has been written. */
static void range_release(SwitchtecDma *s, BusRange *range)
{
    AddressSpace *as = pci_get_address_space(PCI_DEVICE(s));

    for (unsigned i = 0; i < range->count; i++) {
        Piece *piece = &range->pieces[i];

        if (piece->kind == PIECE_RAM) {
            address_space_unmap(as, piece->host, piece->size, range->write,
                                piece->size);
        }
    }
    range->count = 0;
}

/* ---- Errands ---- */

/* In the main loop. */
static void run_errand(void *opaque)
{
    SwitchtecDmaChannel *c = opaque;

    QEMU_LOCK_GUARD(&c->lock);
    if (c->errand) {
        c->errand(c);
        c->errand = NULL;
        qemu_cond_signal(&c->changed);
    }
}

/*
 * In the channel's thread; false: its work has been cancelled, and nothing is
 * done any more. Who cancels in the main loop or with the BQL does not do so
 * in the midst of an errand.
 */
static bool send_on_errand(SwitchtecDmaChannel *c, Errand *errand)
{
    QEMU_LOCK_GUARD(&c->lock);
    c->errand = errand;
    qemu_bh_schedule(c->bh);
    while (c->errand) {
        if (ntb_dma_cancelled(c->dma->engine, c->number)) {
            c->errand = NULL;
            return false;
        }
        qemu_cond_wait(&c->changed, &c->lock);
    }
    return true;
}

static void resolve_errand(SwitchtecDmaChannel *c)
{
    RCU_READ_LOCK_GUARD();
    for (unsigned i = 0; i < ARRAY_SIZE(c->ranges) && c->ranges[i]; i++) {
        BusRange *range = c->ranges[i];

        range_resolve(c->dma, range, range->address, range->size, range->write);
    }
}

static void access_errand(SwitchtecDmaChannel *c)
{
    c->result = dma_memory_rw(pci_get_address_space(PCI_DEVICE(c->dma)),
                              c->address, c->bytes, c->size,
                              c->write ? DMA_DIRECTION_FROM_DEVICE :
                                         DMA_DIRECTION_TO_DEVICE,
                              (MemTxAttrs) {
                                  .requester_id =
                                      pci_requester_id(PCI_DEVICE(c->dma)),
                              });
}

/* Their addresses, sizes and directions are set. NULL: there is but one. */
static bool resolve(SwitchtecDmaChannel *c, BusRange *first, BusRange *second)
{
    if (c->dma->translated) {
        c->ranges[0] = first;
        c->ranges[1] = second;
        return send_on_errand(c, resolve_errand);
    }
    RCU_READ_LOCK_GUARD();
    range_resolve(c->dma, first, first->address, first->size, first->write);
    if (second) {
        range_resolve(c->dma, second, second->address, second->size,
                      second->write);
    }
    return true;
}

static NtbDmaStatus slow_access(SwitchtecDmaChannel *c, dma_addr_t address,
                                void *data, size_t size, bool write)
{
    c->address = address;
    c->size = size;
    c->write = write;
    if (write) {
        memcpy(c->bytes, data, size);
    }
    if (!send_on_errand(c, access_errand)) {
        return NTB_DMA_CANCELLED;
    }
    if (c->result != MEMTX_OK) {
        return write ? NTB_DMA_DESTINATION_FAILED : NTB_DMA_SOURCE_FAILED;
    }
    if (!write) {
        memcpy(data, c->bytes, size);
    }
    return NTB_DMA_OK;
}

/* ---- What the engine asks for, in a channel's thread ---- */

/* Words that others wait for are seen whole. */
static void copy_bytes(void *to, const void *from, size_t size)
{
    if (size == 4 && QEMU_PTR_IS_ALIGNED(to, 4)) {
        qatomic_store_release((uint32_t *)to, ldl_he_p(from));
    } else {
        memcpy(to, from, size);
    }
}

/* One piece of either end; `*done` bytes. */
static NtbDmaStatus move(SwitchtecDmaChannel *c, const Piece *to,
                         dma_addr_t to_address, uint8_t *to_host,
                         const Piece *from, dma_addr_t from_address,
                         const uint8_t *from_host, hwaddr size)
{
    uint8_t bytes[MAX_SLOW_BYTES];
    NtbDmaStatus status;

    if (from->kind == PIECE_REFUSED) {
        return NTB_DMA_SOURCE_FAILED;
    }
    if (from->kind == PIECE_SLOW) {
        status = slow_access(c, from_address, bytes, size, false);
        if (status != NTB_DMA_OK) {
            return status;
        }
        from_host = bytes;
    }
    switch (to->kind) {
    case PIECE_RAM:
        copy_bytes(to_host, from_host, size);
        return NTB_DMA_OK;
    case PIECE_SLOW:
        return slow_access(c, to_address, (void *)from_host, size, true);
    case PIECE_REFUSED:     /* a posted write: nobody tells the engine */
        return NTB_DMA_OK;
    }
    g_assert_not_reached();
}

static NtbDmaStatus move_range(SwitchtecDmaChannel *c, const BusRange *to,
                               const BusRange *from, hwaddr size)
{
    const Piece *t = to->pieces, *f = from->pieces;
    hwaddr t_done = 0, f_done = 0;

    for (hwaddr done = 0; done < size;) {
        hwaddr step = MIN(MIN(t->size - t_done, f->size - f_done), size - done);
        NtbDmaStatus status;

        if (t->kind == PIECE_SLOW || f->kind == PIECE_SLOW) {
            step = MIN(step, MAX_SLOW_BYTES);
        }
        status = move(c, t, to->address + done, t->host + t_done, f,
                      from->address + done, f->host + f_done, step);
        if (status != NTB_DMA_OK) {
            return status;
        }
        done += step;
        t_done += step;
        f_done += step;
        if (t_done == t->size) {
            t++;
            t_done = 0;
        }
        if (f_done == f->size) {
            f++;
            f_done = 0;
        }
    }
    return NTB_DMA_OK;
}

static NtbDmaStatus dma_copy(void *opaque, unsigned channel,
                             uint64_t destination, uint64_t source, size_t size)
{
    SwitchtecDma *s = opaque;
    SwitchtecDmaChannel *c = &s->channel[channel];
    NtbDmaStatus status = NTB_DMA_OK;

    for (size_t done = 0; done < size && status == NTB_DMA_OK;) {
        BusRange from = {
            .address = source + done,
            .size = size - done,
        };
        BusRange to = {
            .address = destination + done,
            .size = size - done,
            .write = true,
        };
        hwaddr step;

        if (ntb_dma_cancelled(s->engine, channel) || !resolve(c, &from, &to)) {
            return NTB_DMA_CANCELLED;
        }
        step = MIN(from.size, to.size);
        status = move_range(c, &to, &from, step);
        range_release(s, &from);
        range_release(s, &to);
        done += step;
    }
    return status;
}

/* Between the bus and memory of ours. */
static bool transfer(SwitchtecDma *s, unsigned channel, uint64_t address,
                     uint8_t *data, size_t size, bool write)
{
    SwitchtecDmaChannel *c = &s->channel[channel];
    NtbDmaStatus status = NTB_DMA_OK;

    for (size_t done = 0; done < size && status == NTB_DMA_OK;) {
        BusRange bus = {
            .address = address + done,
            .size = size - done,
            .write = write,
        };
        BusRange own = {
            .count = 1,
            .pieces[0] = { PIECE_RAM, size - done, data + done },
        };

        if (!resolve(c, &bus, NULL)) {
            return false;
        }
        status = write ? move_range(c, &bus, &own, bus.size) :
                         move_range(c, &own, &bus, bus.size);
        range_release(s, &bus);
        done += bus.size;
    }
    return status == NTB_DMA_OK;
}

static bool dma_read(void *opaque, unsigned channel, uint64_t address,
                     void *data, size_t size)
{
    return transfer(opaque, channel, address, data, size, false);
}

static bool dma_write(void *opaque, unsigned channel, uint64_t address,
                      const void *data, size_t size)
{
    return transfer(opaque, channel, address, (void *)data, size, true);
}

static void dma_interrupt(void *opaque, unsigned channel, unsigned vector)
{
    SwitchtecDma *s = opaque;

    set_bit_atomic(vector, s->interrupts);
    qemu_bh_schedule(s->interrupt_bh);
}

void switchtec_dma_send_interrupts(SwitchtecDma *s)
{
    for (unsigned vector = 0; vector < NTB_DMA_MAX_VECTORS; vector++) {
        if (bitmap_test_and_clear_atomic(s->interrupts, vector, 1)) {
            trace_switchtec_dma_interrupt(switchtec_dma_name(s), vector);
            msix_notify(PCI_DEVICE(s), vector);
        }
    }
}

static void send_interrupts(void *opaque)
{
    switchtec_dma_send_interrupts(opaque);
}

static void dma_cancel(void *opaque, unsigned channel)
{
    SwitchtecDma *s = opaque;
    SwitchtecDmaChannel *c = &s->channel[channel];

    QEMU_LOCK_GUARD(&c->lock);
    qemu_cond_signal(&c->changed);
}

static void dma_descriptor(void *opaque, const NtbDmaDescriptor *d)
{
    SwitchtecDma *s = opaque;

    trace_switchtec_dma_descriptor(switchtec_dma_name(s), d->channel, d->id,
                                   d->opcode, d->control, d->source,
                                   d->destination, d->count, d->completed,
                                   d->status);
}

static void dma_thread_begin(void *opaque, unsigned channel)
{
    rcu_register_thread();
}

static void dma_thread_end(void *opaque, unsigned channel)
{
    rcu_unregister_thread();
}

const NtbDmaOps switchtec_dma_ops = {
    .read = dma_read,
    .write = dma_write,
    .copy = dma_copy,
    .interrupt = dma_interrupt,
    .cancel = dma_cancel,
    .descriptor = dma_descriptor,
    .thread_begin = dma_thread_begin,
    .thread_end = dma_thread_end,
};

void switchtec_dma_bus_init(SwitchtecDma *s)
{
    s->channels = ntb_dma_channels(s->engine);
    s->channel = g_new0(SwitchtecDmaChannel, s->channels);
    for (unsigned i = 0; i < s->channels; i++) {
        SwitchtecDmaChannel *c = &s->channel[i];

        c->dma = s;
        c->number = i;
        c->bh = qemu_bh_new_guarded(run_errand, c,
                                    &DEVICE(s)->mem_reentrancy_guard);
        qemu_mutex_init(&c->lock);
        qemu_cond_init(&c->changed);
    }
    s->interrupt_bh = qemu_bh_new_guarded(send_interrupts, s,
                                          &DEVICE(s)->mem_reentrancy_guard);
}

void switchtec_dma_bus_cleanup(SwitchtecDma *s)
{
    for (unsigned i = 0; s->channel && i < s->channels; i++) {
        qemu_bh_delete(s->channel[i].bh);
        qemu_mutex_destroy(&s->channel[i].lock);
        qemu_cond_destroy(&s->channel[i].changed);
    }
    g_clear_pointer(&s->channel, g_free);
    g_clear_pointer(&s->interrupt_bh, qemu_bh_delete);
}
