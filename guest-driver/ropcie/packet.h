/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header of a transport packet. Little endian; docs/ropcie.md says what each packet means.
 */
#ifndef ROPCIE_PACKET_H
#define ROPCIE_PACKET_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <linux/stddef.h>

enum ropcie_service {
	ROPCIE_SERVICE_RC	= 1,
	ROPCIE_SERVICE_UC	= 2,
	ROPCIE_SERVICE_UD	= 3,
	ROPCIE_SERVICE_XRC	= 4,
};

enum ropcie_opcode {
	/* requests */
	ROPCIE_OP_SEND			= 1,
	ROPCIE_OP_WRITE			= 2,
	ROPCIE_OP_READ			= 3,
	ROPCIE_OP_COMPARE_SWAP		= 4,
	ROPCIE_OP_FETCH_ADD		= 5,
	ROPCIE_OP_ATOMIC_WRITE		= 6,
	ROPCIE_OP_FLUSH			= 7,
	/* responses */
	ROPCIE_OP_ACKNOWLEDGE		= 16,
	ROPCIE_OP_READ_RESPONSE		= 17,
	ROPCIE_OP_ATOMIC_RESPONSE	= 18,
};

enum ropcie_packet_flag {
	ROPCIE_FIRST		= 1 << 0,
	ROPCIE_LAST		= 1 << 1,
	ROPCIE_ACK_REQUEST	= 1 << 2,
	ROPCIE_SOLICITED	= 1 << 3,
	ROPCIE_IMMEDIATE	= 1 << 4,
	ROPCIE_INVALIDATE	= 1 << 5,
};

/* ropcie_header.syndrome of an ACKNOWLEDGE: a kind, and for RNR the timer, for a NAK the code. */
enum ropcie_syndrome {
	ROPCIE_ACK			= 0x00,
	ROPCIE_RNR			= 0x20,	/* | enum ib_rnr_timeout */
	ROPCIE_NAK_SEQUENCE		= 0x60,
	ROPCIE_NAK_INVALID_REQUEST	= 0x61,
	ROPCIE_NAK_REMOTE_ACCESS	= 0x62,
	ROPCIE_NAK_REMOTE_OPERATION	= 0x63,
};

#define ROPCIE_PSN_MASK		0xffffffu
#define ROPCIE_MULTICAST_QPN	0xffffffu

struct ropcie_header {
	u8 opcode;
	u8 flags;
	u8 service;
	u8 syndrome;
	__le32 destination_qp;
	__le32 source_qp;
	__le32 psn;
	__be32 immediate;	/* with ROPCIE_INVALIDATE: the rkey, little endian as all else */
	__le32 qkey;		/* UD; XRC requests: the number of the shared receive queue */
	__le32 rkey;
	__le32 length;		/* of the message, from this packet's address on; UD: not used */
	union {
		struct {
			__le64 address;		/* of this packet's payload */
			__le64 compare_add;	/* ATOMIC_RESPONSE: the value before */
			__le64 swap;
			__le32 placement;	/* FLUSH */
			__le32 selectivity;	/* FLUSH */
		};
		struct {
			u8 source_gid[16];
			u8 destination_gid[16];
		};
	};
};

static_assert(sizeof(struct ropcie_header) == 64);
static_assert(offsetof(struct ropcie_header, source_qp) == 8);
static_assert(offsetof(struct ropcie_header, rkey) == 24);
static_assert(offsetof(struct ropcie_header, address) == 32);
static_assert(offsetof(struct ropcie_header, destination_gid) == 48);

/* a - b of two packet sequence numbers, which have 24 bits. */
static inline s32 ropcie_psn_difference(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 ropcie_psn_add(u32 psn, u32 count)
{
	return (psn + count) & ROPCIE_PSN_MASK;
}

#endif
