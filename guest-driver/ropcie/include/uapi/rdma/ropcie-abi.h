/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * What the module ropcie and its libibverbs provider share: the rings that are mapped into a process, and the
 * driver's part of the commands. Numbers are in the host's byte order.
 *
 * A ring is one mapping: a struct ropcie_queue_control, then entry_count entries of entry_size bytes, from byte
 * ROPCIE_RING_ENTRIES on. Indices run freely modulo 2^32; entry_count is a power of two.
 *
 *	send, receive, shared receive queue		completion queue
 *	producer: the process writes it			the kernel
 *	consumer: the kernel				the process
 *
 * The kernel trusts nothing in a ring: it copies a work request once, then checks the copy.
 */
#ifndef ROPCIE_ABI_H
#define ROPCIE_ABI_H

#include <linux/types.h>

#define ROPCIE_ABI_VERSION	1

#define ROPCIE_RING_ENTRIES	256
#define ROPCIE_MAX_SGE		32
#define ROPCIE_MAX_INLINE	512

/* ropcie_queue_control.flags of a send or receive queue, by the kernel: it sleeps; ring (POST_SEND, no request). */
#define ROPCIE_NEED_WAKEUP	1u

/* ropcie_queue_control.arm of a completion queue, by the process; the kernel sets it back to NONE as it notifies. */
enum ropcie_arm {
	ROPCIE_ARM_NONE		= 0,
	ROPCIE_ARM_SOLICITED	= 1,
	ROPCIE_ARM_ANY		= 2,
};

/* ropcie_send_wqe.rdma of a FLUSH: those of enum ib_placement_type and ib_selectivity_level. */
#define ROPCIE_PLACEMENT_GLOBAL		1
#define ROPCIE_PLACEMENT_PERSISTENT	2
#define ROPCIE_SELECT_RANGE		0
#define ROPCIE_SELECT_MR		1

struct ropcie_queue_control {
	__u32 producer;
	__u32 reserved0[15];
	__u32 consumer;
	__u32 reserved1[15];
	__u32 flags;
	__u32 arm;
	__u32 reserved2[14];
};

struct ropcie_sge {
	__aligned_u64 address;
	__u32 length;
	__u32 lkey;
};

/* ropcie_send_wqe.opcode: those of enum ib_uverbs_wr_opcode. */
enum ropcie_wr_opcode {
	ROPCIE_WR_WRITE			= 0,
	ROPCIE_WR_WRITE_WITH_IMM	= 1,
	ROPCIE_WR_SEND			= 2,
	ROPCIE_WR_SEND_WITH_IMM		= 3,
	ROPCIE_WR_READ			= 4,
	ROPCIE_WR_COMPARE_SWAP		= 5,
	ROPCIE_WR_FETCH_ADD		= 6,
	ROPCIE_WR_LOCAL_INVALIDATE	= 7,
	ROPCIE_WR_BIND_MW		= 8,
	ROPCIE_WR_SEND_WITH_INVALIDATE	= 9,
	ROPCIE_WR_READ_WITH_INVALIDATE	= 11,	/* kernel users */
	ROPCIE_WR_FLUSH			= 14,
	ROPCIE_WR_ATOMIC_WRITE		= 15,
	ROPCIE_WR_REGISTER_MR		= 32,	/* kernel users */
};

/* ropcie_send_wqe.flags: those of enum ibv_send_flags. */
enum ropcie_wr_flag {
	ROPCIE_WR_FENCE		= 1 << 0,
	ROPCIE_WR_SIGNALED	= 1 << 1,
	ROPCIE_WR_SOLICITED	= 1 << 2,
	ROPCIE_WR_INLINE	= 1 << 3,
};

/* A send work request; its SGEs, or with ROPCIE_WR_INLINE its data, come right behind it. */
struct ropcie_send_wqe {
	__aligned_u64 wr_id;
	__u32 opcode;
	__u32 flags;
	__u32 sge_count;
	__u32 inline_length;
	__u32 immediate;	/* big endian; or the rkey to invalidate, host order */
	__u32 srq_number;	/* XRC */
	union {
		struct {
			__aligned_u64 address;
			__u32 rkey;
			__u32 length;		/* FLUSH */
			__u32 placement;	/* FLUSH: enum ib_placement_type */
			__u32 selectivity;	/* FLUSH: enum ib_selectivity_level */
			__u32 reserved[2];
		} rdma;
		struct {
			__aligned_u64 address;
			__u32 rkey;
			__u32 reserved;
			__aligned_u64 compare_add;
			__aligned_u64 swap;
		} atomic;
		struct {
			__u32 ah;
			__u32 qp_number;
			__u32 qkey;
			__u32 reserved[5];
		} datagram;
		struct {
			__aligned_u64 address;
			__aligned_u64 length;
			__u32 mr_lkey;
			__u32 mw_rkey;
			__u32 new_rkey;
			__u32 access;
		} bind;
		struct {			/* REGISTER_MR; never from a mapped ring */
			__aligned_u64 mr;
			__u32 key;
			__u32 access;
			__aligned_u64 reserved[2];
		} reg;
	};
};

/* A receive work request; its SGEs come right behind it. */
struct ropcie_receive_wqe {
	__aligned_u64 wr_id;
	__u32 sge_count;
	__u32 reserved;
};

/* ropcie_cqe.opcode: those of enum ibv_wc_opcode; here are the ones that headers before Linux 6.2 lack. */
#define ROPCIE_WC_FLUSH		8
#define ROPCIE_WC_ATOMIC_WRITE	9

/* ropcie_cqe.flags */
enum ropcie_cqe_flag {
	ROPCIE_CQE_GRH			= 1 << 0,
	ROPCIE_CQE_WITH_IMMEDIATE	= 1 << 1,
	ROPCIE_CQE_WITH_INVALIDATE	= 1 << 2,
};

struct ropcie_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 timestamp;	/* CLOCK_REALTIME, ns */
	__u32 byte_count;
	__u32 immediate;		/* big endian; or the rkey that was invalidated, host order */
	__u32 qp_number;
	__u32 source_qp;
	__u8 status;			/* enum ibv_wc_status */
	__u8 opcode;			/* enum ibv_wc_opcode */
	__u8 flags;
	__u8 solicited;
	__u32 vendor_error;
	__aligned_u64 qp;		/* the kernel's own; 0 in what is mapped */
	__aligned_u64 reserved[2];
};

/* Where a ring is mapped: mmap(NULL, size, ..., context->cmd_fd, offset); size 0: there is none. */
struct ropcie_mapping {
	__aligned_u64 offset;
	__aligned_u64 size;
	__u32 entry_size;
	__u32 entry_count;
};

/* Answers to commands, the driver's part. */

struct ropcie_alloc_ucontext_resp {
	__u32 abi_version;
	__u32 max_inline;
};

struct ropcie_create_cq_resp {
	struct ropcie_mapping ring;
};

struct ropcie_resize_cq_resp {
	struct ropcie_mapping ring;
};

struct ropcie_create_qp_resp {
	struct ropcie_mapping send;
	struct ropcie_mapping receive;
};

struct ropcie_create_srq_resp {
	struct ropcie_mapping ring;
	__u32 srq_number;
	__u32 reserved;
};

/* MODIFY_SRQ has no answer of its own: where the kernel is to write the new ring's struct ropcie_mapping, or 0. */
struct ropcie_modify_srq_req {
	__aligned_u64 response;
};

struct ropcie_create_ah_resp {
	__u32 ah_number;
	__u32 reserved;
};

#endif
