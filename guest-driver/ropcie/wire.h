/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What crosses the bridge: docs/ropcie.md is the text of it. Little endian, no implicit
 * padding.
 *
 * Each host gives its peer one memory window. It begins with a struct ropcie_control; then come the
 * slots and the data of each ring (ropcie_ring_layout()). All of it is written by the peer and only
 * read by its owner.
 */
#ifndef ROPCIE_WIRE_H
#define ROPCIE_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>

#define ROPCIE_WIRE_VERSION	1

/* ---- The hello, in scratchpads 0 to 9 of its reader. ---- */

enum ropcie_hello_word {
	ROPCIE_HELLO_MAGIC,
	ROPCIE_HELLO_VERSION,
	ROPCIE_HELLO_SESSION, /* of the writer: random, not 0, new after each loss of the link */
	ROPCIE_HELLO_ECHO, /* the reader's session as the writer has seen it; 0: not yet */
	ROPCIE_HELLO_MAC_LOW, /* bytes 0 to 3 of the writer's node */
	ROPCIE_HELLO_MAC_HIGH, /* bytes 4 and 5 */
	ROPCIE_HELLO_WINDOW, /* bytes of the window that the writer gives to the reader */
	ROPCIE_HELLO_APERTURE, /* bytes of the reader's window that the writer can reach */
	ROPCIE_HELLO_FEATURES, /* those that both have are used; none yet */
	ROPCIE_HELLO_CHECK, /* CRC-32 (IEEE) of the words before, each as four bytes */
	ROPCIE_HELLO_WORDS
};

#define ROPCIE_HELLO_MAGIC_VALUE	0x49506f52	/* "RoPI" */

/* ---- The beginning of a window. ---- */

/*
 * Epoch: CRC-32 (IEEE) of the lesser and the greater of both sessions, 0 replaced by 1. Each word
 * below has it in its upper half; a word with another epoch does not count.
 */
static inline u64 ropcie_word(u32 epoch, u32 value)
{
	return (u64)epoch << 32 | value;
}

#define ROPCIE_READY	0x52454459	/* "YDER" */

enum ropcie_ring {
	ROPCIE_PACKETS,		/* of the transport */
	ROPCIE_FRAMES,		/* of the network device */
	ROPCIE_RINGS
};

struct ropcie_ring_control {
	/* Of the ring by which the window's owner sends: written by the peer, who consumes it. */
	__le64	consumed;	/* how many slots */
	__le64	event;		/* ring when the slot of this index has been published */
	u8	pad0[48];
	/*
	 * Of the ring by which the window's owner receives: written by the peer, who produces it.
	 */
	__le64	room;		/* ring the doorbell when that many slots have been consumed */
	u8	pad1[56];
};

static_assert(sizeof(struct ropcie_ring_control) == 128);

struct ropcie_control {
	__le64	ready;		/* ROPCIE_READY: the peer's rings may be written to */
	__le64	beat;		/* counts up while the peer lives */
	u8	pad[112];
	struct ropcie_ring_control	ring[ROPCIE_RINGS];
};

static_assert(sizeof(struct ropcie_control) == 128 + 128 * ROPCIE_RINGS);

#define ROPCIE_CONTROL_SIZE	4096	/* reserved for it */

/* ---- Rings. ---- */

enum ropcie_kind {
	ROPCIE_KIND_NOTHING,	/* a slot whose producer had nothing to send after all */
	ROPCIE_KIND_FRAME,	/* an Ethernet frame without its FCS */
	ROPCIE_KIND_ADDRESSES,	/* struct ropcie_addresses */
	ROPCIE_KIND_TRANSPORT,	/* struct ropcie_header, then its payload */
	ROPCIE_KIND_TEST,	/* of test/ropcie_port_test.c */
};

#define ROPCIE_SLOT_SIZE	256
#define ROPCIE_SLOT_BODY	232
#define ROPCIE_DATA_ALIGN	64

/* Flags of a slot. */
#define ROPCIE_SLOT_INLINE \
	0x01 /* the payload is in the body, behind the header; else in the data area */
#define ROPCIE_SLOT_CHECKSUM 0x02 /* a frame: detail says where its checksum is still to be made */

struct ropcie_slot {
	__le64	valid;		/* written last: the epoch; the slot's index + 1 */
	__le32	length;		/* of the payload */
	__le32	offset;		/* of the payload in the data area, aligned */
	u8	kind;
	u8	flags;
	__le16	header_length;	/* at the beginning of the body */
	__le32	detail;		/* start of the checksummed part | checksum in it << 16 */
	u8	body[ROPCIE_SLOT_BODY];
};

static_assert(sizeof(struct ropcie_slot) == ROPCIE_SLOT_SIZE);

/*
 * The IP addresses of the sender's network device: ipv4 of 4 bytes each, then ipv6 of 16 bytes
 * each.
 */
struct ropcie_addresses {
	__le16	ipv4;
	__le16	ipv6;
	u8	address[];
};

static_assert(sizeof(struct ropcie_addresses) == 4);

#define ROPCIE_ADDRESSES_MAX	32	/* of each family; more are not told */

#endif
