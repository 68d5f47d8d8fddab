/* SPDX-License-Identifier: MIT */
/**
 * The DMA function of a Switchtec PFX or PSX (class 0x088000) as a virtual machine monitor needs it: its
 * registers, and an engine that works through the rings which a driver has in the guest's memory. C, no QEMU
 * in it.
 *
 * @code
 * static const NtbDmaOps ops = {.read = my_read, .write = my_write, .copy = my_copy, .interrupt = my_irq};
 * NtbDmaConfig config = {.channels = 4, .ops = &ops, .opaque = device};
 * char error[NTB_DMA_ERROR_SIZE];
 * NtbDma* dma = ntb_dma_open(&config, error);
 * if (!dma) fprintf(stderr, "%s", error), exit(1);
 * ntb_dma_set_bus_master(dma, true);
 * ntb_dma_write(dma, offset, value, size);        // what the guest writes to BAR0
 * ntb_dma_close(dma);
 * @endcode
 *
 * Threads. A channel that has work has a thread of its own, from which its ops are called, one at a time and
 * with no lock of the engine held; so an op that blocks holds up its own channel and no other, and no
 * register access. The thread sleeps when the channel has nothing to do and ends when the channel is
 * disabled. Any thread may call any function but open and close; functions that wait must not be called from
 * an op.
 *
 * Cancelling. What takes work away from channels makes ntb_dma_cancelled true for each whose op is running
 * and calls the op `cancel`, so that an op that waits for something can give up. Functions that say "waits"
 * return when no op of that work runs any more; from then on none will be begun, and nothing is written to
 * guest memory. They wait as long as the running ops take: an op must not wait, without heeding the
 * cancellation, for a lock that the caller of such a function holds. Where that cannot be helped call
 * ntb_dma_stop_begin, release the lock, and then call the function.
 *
 * Registers, opcodes and what happens on errors: the README beside this folder, and docs/registers.md.
 */
#ifndef SWITCHTEC_DMA_ENGINE_H
#define SWITCHTEC_DMA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NTB_DMA_ERROR_SIZE 512
#define NTB_DMA_BAR_SIZE 0x200000 /* of BAR0, in bytes */
#define NTB_DMA_MAX_CHANNELS 64
#define NTB_DMA_MAX_VECTORS (NTB_DMA_MAX_CHANNELS + 1)
/* The engine copies at most this many bytes by one call of `copy`, and looks for cancellation in between. */
#define NTB_DMA_CHUNK 0x40000

typedef struct NtbDma NtbDma;

/* How a copy ended. In the completion entry: 0, UR, CA, D_RD_CTO of switchtec_dma.c. */
typedef enum NtbDmaStatus {
    NTB_DMA_OK,
    NTB_DMA_SOURCE_FAILED,      /* an unsupported request at the source */
    NTB_DMA_DESTINATION_FAILED, /* the destination cannot be written: no memory there, the window is closed */
    NTB_DMA_SOURCE_TIMED_OUT,   /* the source has not answered */
    NTB_DMA_CANCELLED           /* given up because ntb_dma_cancelled; anything may have been written */
} NtbDmaStatus;

/* A descriptor that has been completed, for traces. */
typedef struct NtbDmaDescriptor {
    unsigned channel;
    uint8_t opcode, control; /* as in the submission entry */
    uint16_t id;
    uint32_t count;               /* bytes, as in the submission entry */
    uint64_t source, destination; /* bus addresses; of a write immediate, `source` is the data */
    uint32_t completed;           /* bytes moved */
    uint32_t status;              /* as in the completion entry; 0 if all went well */
} NtbDmaDescriptor;

/* Called from the channels' threads, but for `cancel`. Addresses are bus addresses as the DMA function's own
 * requests carry them. */
typedef struct NtbDmaOps {
    /* Read `size` bytes, up to 64 submission entries of 32 or immediate data of 1 to 8. False: an unsupported
     * request, or given up because ntb_dma_cancelled. */
    bool (*read)(void* opaque, unsigned channel, uint64_t address, void* data, size_t size);
    /* Write `size` bytes, immediate data of 1 to 8 or a completion entry, which comes in two writes: the
     * first 28 bytes, then the last 4 (id and phase tag), at a multiple of 4. These must be seen at once, and
     * not before what was written or copied earlier: a store with release semantics. False: as of `read`. */
    bool (*write)(void* opaque, unsigned channel, uint64_t address, const void* data, size_t size);
    /* Copy 1 to NTB_DMA_CHUNK bytes, of any alignment; the ranges may overlap, and then anything may come of
     * it. When this returns NTB_DMA_OK, whoever sees anything that is written later sees the data, too. */
    NtbDmaStatus (*copy)(void* opaque, unsigned channel, uint64_t destination, uint64_t source, size_t size);
    /* Send the MSI-X message of `vector`. Its cause is in memory, or in the registers. */
    void (*interrupt)(void* opaque, unsigned channel, unsigned vector);
    /* A wake-up for the channel's running op: ntb_dma_cancelled has become true, so it is to return soon,
     * whatever it waits for. Called in the thread that cancels, with no lock of the engine held; possibly
     * when that op has just returned and another runs. NULL: nothing that an op waits for can be called off.
     */
    void (*cancel)(void* opaque, unsigned channel);
    /* A descriptor's completion entry has been written. NULL: nobody wants to know. */
    void (*descriptor)(void* opaque, const NtbDmaDescriptor* descriptor);
    /* First and last thing that a channel's thread does (QEMU: rcu_register_thread). NULL: nothing. */
    void (*thread_begin)(void* opaque, unsigned channel);
    void (*thread_end)(void* opaque, unsigned channel);
} NtbDmaOps;

typedef struct NtbDmaConfig {
    unsigned channels; /* 1 to NTB_DMA_MAX_CHANNELS; 0: 4 */
    /* Entries of the MSI-X table, 1 to NTB_DMA_MAX_VECTORS. Vector 0 tells of channels that paused, those
     * from 1 on of completions; with fewer than channels + 1 channels share them. 0: channels + 1. */
    unsigned vectors;
    /* Registers fw_ver, dma_prot_ver, hw_dmac_ver; no driver looks at them. */
    uint32_t firmware_version, protocol_version, hardware_version;
    const NtbDmaOps* ops; /* copied; read, write, copy and interrupt must be there */
    void* opaque;
} NtbDmaConfig;

/* With the registers as after power-on, bus mastering off, and not stopped. NULL: `error`
 * (NTB_DMA_ERROR_SIZE bytes) says why: a count out of range, an op missing. */
NtbDma* ntb_dma_open(const NtbDmaConfig* config, char* error);
/* Cancels everything, waits, ends the threads. NULL is allowed. */
void ntb_dma_close(NtbDma* dma);
unsigned ntb_dma_channels(const NtbDma* dma);
unsigned ntb_dma_vectors(const NtbDma* dma);

/* BAR0, little endian; size 1 to 8 at any offset. What no register backs reads 0 and ignores writes. Never
 * waits for an op: after a write that halts or resets a channel in the midst of something, status says halted
 * once it has ended, and the channel does nothing else before. */
uint64_t ntb_dma_read(NtbDma* dma, uint32_t offset, unsigned size);
void ntb_dma_write(NtbDma* dma, uint32_t offset, uint64_t value, unsigned size);
/* What is at `offset` of BAR0, for traces: "channel[3].sq_tail"; "dma+0x1010" where no register is. Writes to
 * `buffer` (always terminated) and returns it. */
const char* ntb_dma_register_name(uint32_t offset, char* buffer, size_t size);

/* True when what the channel's running op belongs to has been cancelled. */
bool ntb_dma_cancelled(const NtbDma* dma, unsigned channel);

/* Function-level reset, or the bus's: registers as after power-on, bus mastering off. Waits. */
void ntb_dma_reset(NtbDma* dma);
/* The bit of the command register. Without it no op is called; channels keep their places. Turning it off
 * waits. */
void ntb_dma_set_bus_master(NtbDma* dma, bool enabled);
/* For a machine that is paused or saved: no op is called until ntb_dma_go_on, and what was under way goes on
 * then where it was. `stop` waits; stop_begin does the same without waiting. Not counted: one go_on ends any
 * number of stops. */
void ntb_dma_stop_begin(NtbDma* dma);
void ntb_dma_stop(NtbDma* dma);
void ntb_dma_go_on(NtbDma* dma);

/* For a machine that is saved and goes on later, perhaps elsewhere, with the memory that it had. `save`, of
 * an engine that is stopped, gives all of its state; release it with free(). `load` gives it to an engine
 * with the same counts of channels and vectors; waits; bus mastering is as it was saved, and the engine
 * remains stopped or not as it is. If it refuses, nothing has changed. NULL or false: `error`
 * (NTB_DMA_ERROR_SIZE bytes) says why. */
void* ntb_dma_save(NtbDma* dma, size_t* size, char* error);
bool ntb_dma_load(NtbDma* dma, const void* saved, size_t size, char* error);

/* What a channel is doing, and has done since the engine was opened. */
typedef struct NtbDmaChannelInfo {
    const char* state;        /* "disabled", "reset", "halted", "paused", "busy", "idle"; lives for ever */
    const char* pause_reason; /* a phrase; "" if the engine has not paused it; lives for ever */
    uint64_t descriptors;     /* completed, those with an error included */
    uint64_t errors;          /* of them with an error */
    uint64_t bytes;           /* moved by copies and immediates */
    uint64_t interrupts;      /* sent for completions */
    uint64_t pauses;          /* by the engine, because of an error */
    uint64_t cancelled;       /* steps given up in their midst: halt, reset, stop, bus mastering off */
    uint64_t completion_failures; /* completion entries that could not be written; tried again after resume */
    uint32_t last_error;          /* status of the last completion with an error; 0: none yet */
    uint32_t pending;             /* descriptors submitted and not completed */
} NtbDmaChannelInfo;
/* False: no such channel. */
bool ntb_dma_inspect(NtbDma* dma, unsigned channel, NtbDmaChannelInfo* info);

#ifdef __cplusplus
}
#endif
#endif
