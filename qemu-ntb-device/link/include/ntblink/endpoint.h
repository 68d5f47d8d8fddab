/* SPDX-License-Identifier: MIT */
/**
 * One host's end of a cluster: what a virtual machine monitor needs to show an NT endpoint to its guest. C,
 * no QEMU in it.
 *
 * @code
 * NtbEndpointConfig config = {.fabric_socket = "/run/x/fabric.sock", .switch_name = "sw0", .partition = 0};
 * char error[NTB_ERROR_SIZE];
 * NtbEndpoint* ep = ntb_endpoint_open(&config, error);
 * if (!ep) fprintf(stderr, "%s", error), exit(1);
 * uint64_t partitions = ntb_endpoint_gas_read(ep, 0x10000, 1);
 * ntb_endpoint_close(ep);
 * @endcode
 *
 * Threads: any thread may call any function but open and close; ntb_endpoint_set_ops only while no other
 * function runs. What waits for peers (the host events, set_ram, close, accesses to what is not mapped) waits
 * as long as they take, at most 10 s, and meanwhile services all endpoints of the process, whose ops it
 * calls.
 */
#ifndef NTBLINK_ENDPOINT_H
#define NTBLINK_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NTB_ENDPOINT_API_VERSION 4 /* the library's soname ends in it */
#define NTB_ERROR_SIZE 512
/* After the guest has read a message, or set the vector for messages, it has this much of its own time before
 * the next one comes. */
#define NTB_MESSAGE_GAP_MS 100
/* After it goes on from what was saved it has this much before its windows are back: ntb_transport of
 * Linux 6.12 takes 0.3 s to clean up when a link goes down, and loses the windows of one that comes back
 * meanwhile. */
#define NTB_LINK_GAP_MS 1000

typedef struct NtbEndpoint NtbEndpoint;

typedef struct NtbEndpointConfig {
    const char* fabric_socket; /* path of the cluster's ntb-fabric socket */
    const char* switch_name;   /* as in the topology */
    unsigned partition;
    /* What this host's device says instead of the topology; 0 leaves the topology's. Sizes in bytes, powers
     * of two. */
    uint64_t bar2_size, bar4_size;
    uint8_t vectors; /* MSI-X table entries, 4..32 */
} NtbEndpointConfig;

/* What the topology says the endpoint is. Sizes in bytes, 0: no such BAR. */
typedef struct NtbEndpointInfo {
    uint16_t vendor_id, device_id;
    uint32_t class_code; /* 0x068000, an NT endpoint; 0x058000, a management endpoint */
    uint8_t revision;
    uint8_t link_generation; /* 1..5 */
    uint8_t link_width;
    uint8_t vectors;                             /* MSI-X table entries */
    uint32_t msix_table_offset, msix_pba_offset; /* in BAR0 */
    uint64_t bar0_size, bar2_size, bar4_size;
} NtbEndpointInfo;

/* A peer's access to this host's bus, through a window that does not show RAM there. */
typedef struct NtbAccess {
    unsigned source; /* the peer's partition */
    /* Devfn on the bus of this host's NT endpoint that the request comes from: the proxy ID of the peer's
     * requester, as an IOMMU has to see it. */
    uint8_t proxy;
    uint64_t address;
    unsigned size; /* 1, 2, 4 or 8 bytes */
    bool write;
} NtbAccess;

/* Called from ntb_endpoint_service (and from functions that say so), in the caller's thread. */
typedef struct NtbEndpointOps {
    /* Send the MSI-X message of `vector`. Calls come in the order of the interrupts' causes. */
    void (*interrupt)(void* opaque, unsigned vector);
    /* ntb_endpoint_windows may return something else now; when this returns, the new windows must be in
     * effect. */
    void (*windows_changed)(void* opaque);
    /* The fabric is gone: every window has been cleared, nothing will come any more. `reason` is a sentence.
     */
    void (*lost)(void* opaque, const char* reason);
    /* From ntb_endpoint_gas_write and _load: the guest has read a message or set its vector. Call
     * ntb_endpoint_end_message_gap when NTB_MESSAGE_GAP_MS of the guest's time have passed; if this is called
     * again meanwhile, count anew. NULL: no gaps. */
    void (*message_gap)(void* opaque);
    /* From ntb_endpoint_gas_write: write `size` bytes of `data` to bus address `address` of this host, as the
     * endpoint's own posted write; calls and interrupts keep their order. What cannot be written is dropped.
     * NULL: everything is. */
    void (*dma_write)(void* opaque, uint64_t address, const void* data, size_t size);
    /* Make the access; `*value` is little endian. False: an unsupported request. NULL: all are. */
    bool (*access)(void* opaque, const NtbAccess* access, uint64_t* value);
} NtbEndpointOps;

/* Classes of TLPs, as flow control and counters have them. */
typedef enum NtbTlp { NTB_TLP_POSTED, NTB_TLP_NON_POSTED, NTB_TLP_COMPLETION } NtbTlp;

/* Mapped memory of a peer, page aligned, as one piece of a window BAR: it is at `offset` of
 * ntb_endpoint_window_memory. */
typedef struct NtbMappedWindow {
    unsigned bar;    /* 2 or 4 */
    unsigned target; /* partition, for traces */
    uint64_t offset; /* in the BAR */
    uint64_t size;
    uint64_t address; /* bus address at the target, for traces */
} NtbMappedWindow;

/* At most this many ranges at a time. */
#define NTB_MAX_RAM_RANGES 4096
/* RAM of this host that peers may be given: `size` bytes at bus address `address` are at `fd_offset` of `fd`.
 */
typedef struct NtbRamRange {
    uint64_t address, size;
    int fd; /* borrowed for the call */
    uint64_t fd_offset;
} NtbRamRange;

/* Connects and attaches. NULL: `error` (NTB_ERROR_SIZE bytes) says why: no fabric there, another protocol
 * version, no such switch or partition, partition already attached (by which pid), a size or count out of
 * range. */
NtbEndpoint* ntb_endpoint_open(const NtbEndpointConfig* config, char* error);
void ntb_endpoint_close(NtbEndpoint* ep);
void ntb_endpoint_info(const NtbEndpoint* ep, NtbEndpointInfo* info);
void ntb_endpoint_set_ops(NtbEndpoint* ep, const NtbEndpointOps* ops, void* opaque);

/* Readable when ntb_endpoint_service has something to do. One descriptor for the endpoint's life. */
int ntb_endpoint_fd(const NtbEndpoint* ep);
void ntb_endpoint_service(NtbEndpoint* ep);

/* GAS, BAR0. size: 1, 2, 4, 8. A write may call ops (own interrupts) before it returns. */
uint64_t ntb_endpoint_gas_read(NtbEndpoint* ep, uint32_t offset, unsigned size);
void ntb_endpoint_gas_write(NtbEndpoint* ep, uint32_t offset, uint64_t value, unsigned size);

/* Address space of the BAR's size (page aligned, reserved at open, there until close; NULL: no such BAR) in
 * which every window shows the peer's RAM at the window's offset. New windows are mapped into it before
 * windows_changed is called. After windows_changed has returned, windows that are gone are replaced (mmap
 * MAP_FIXED) by private memory that nobody reads, and only then is the chip told that the windows are in
 * effect: so a stale TLB entry of another vCPU, or a device's DMA under way, can neither reach the peer any
 * more nor fault, however late it comes. */
void* ntb_endpoint_window_memory(NtbEndpoint* ep, unsigned bar);
/* Windows that are mapped memory now, sorted by (bar, offset), never overlapping. Writes at most `capacity`,
 * returns the count there is. */
size_t ntb_endpoint_windows(NtbEndpoint* ep, NtbMappedWindow* windows, size_t capacity);
/* What is at `offset` of the GAS, for traces: "sys_info.device_id", "ntb_ctrl[1].lut_entry[3]"; a region and
 * a distance where no register is. Writes to `buffer` (always terminated) and returns it. `ep` says where its
 * switch has its registers; NULL: as Gen4. */
const char* ntb_endpoint_register_name(const NtbEndpoint* ep, uint32_t offset, char* buffer, size_t size);
/* An access to a window BAR outside of mapped memory, by `requester_id` (bus << 8 | devfn; CPUs: 0, the root
 * complex). If it is in a window the target makes it and this
 * waits for it, servicing this endpoint meanwhile; what is not done (no window; the requester is not
 * admitted; the target's answer) is counted, and reads give all-ones. */
uint64_t ntb_endpoint_window_read(NtbEndpoint* ep, uint16_t requester_id, unsigned bar, uint64_t offset,
                                  unsigned size);
void ntb_endpoint_window_write(NtbEndpoint* ep, uint16_t requester_id, unsigned bar, uint64_t offset,
                               uint64_t value, unsigned size);
/* Who uses the mapped memory of a window, and is no CPU, asks first: whether requests of `requester_id` for
 * `size` bytes at `offset` of a window BAR pass the NT endpoint, and lead somewhere. If so they are counted
 * as forwarded, in TLPs of `payload` bytes; if the requester-ID table does not list the requester (and
 * protection is not off) that is counted and logged. */
bool ntb_endpoint_admit(NtbEndpoint* ep, uint16_t requester_id, unsigned bar, uint64_t offset, size_t size,
                        bool write, unsigned payload);

/* For whoever moves data between hosts one request at a time (a DMA engine, a timing model), so that the
 * switch's counters know: `tlps` TLPs of one class, with `payload` bytes in all, went from this host to that
 * of partition `target`, which the switch has, and took `latency_ns`, or 0 if that was not measured. Register
 * accesses, interrupts and unsupported requests are counted without it; mapped memory that is used directly
 * is not counted at all. */
void ntb_endpoint_forwarded(NtbEndpoint* ep, unsigned target, NtbTlp tlp, uint64_t tlps, uint64_t payload,
                            uint64_t latency_ns);

/* The next messages may come. Calls ops (own interrupts). */
void ntb_endpoint_end_message_gap(NtbEndpoint* ep);

/* What happens to this host. These return when the peers no longer have what they must not have any more
 * (servicing this endpoint meanwhile, so ops may be called). */
void ntb_endpoint_reset(NtbEndpoint* ep);
void ntb_endpoint_set_bus_master(NtbEndpoint* ep, bool enabled);
void ntb_endpoint_set_requester_id(NtbEndpoint* ep, uint16_t requester_id);
/* For a host that is saved, ends and goes on later, in another process, with the memory that it had. `save`
 * gives what the switch keeps for it; release it with free(). `load`, once that process has attached and
 * before it sets bus mastering, gives it back, all but the windows. NULL or false: `error` (NTB_ERROR_SIZE
 * bytes) says why. */
void* ntb_endpoint_save(NtbEndpoint* ep, size_t* size, char* error);
bool ntb_endpoint_load(NtbEndpoint* ep, const void* saved, size_t size, char* error);
/* To be called after `load` when the guest runs, and as long as it gives NTB_AGAIN once more when
 * NTB_LINK_GAP_MS of the guest's time have passed. The guest's driver sees that the link is down, and up
 * again when windows between it and peers that have not been reset meanwhile have been opened. Nothing if the
 * host has been reset since `load`. */
typedef enum NtbLoaded { NTB_LOADED, NTB_AGAIN, NTB_FAILED } NtbLoaded;
NtbLoaded ntb_endpoint_load_windows(NtbEndpoint* ep, char* error);
/* RAM as requests of the peers in `viewers` (bit per partition; UINT64_MAX: all) see it on this host's bus;
 * replaces what was told before. Not an error: `count` 0. */
bool ntb_endpoint_set_ram(NtbEndpoint* ep, uint64_t viewers, const NtbRamRange* ranges, size_t count,
                          char* error);

#ifdef __cplusplus
}
#endif
#endif
