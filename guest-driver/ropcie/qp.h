/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue pairs. What sends requests (requester.c) and takes their answers (completer.c) is under sq.lock; what serves a
 * peer's requests (responder.c, datagram.c) is under responder.lock. Both are taken with bottom halves off; sq.lock and
 * responder.lock are never held together, and the state is a word that either side may set to ERR without the other's.
 */
#ifndef ROPCIE_QP_H
#define ROPCIE_QP_H

#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>

#include "cq.h"
#include "device.h"
#include "packet.h"
#include "region.h"
#include "srq.h"

/* What a packet's payload may consist of: an SGE's memory may end in the middle of a page. */
#define ROPCIE_MAX_BVECS	(2 * ROPCIE_MAX_SGE + 2)

/* Requests that are flushed at most before others have their turn. */
#define ROPCIE_FLUSH_BUDGET	256

/* The kernel's own part of a posted work request. */
struct ropcie_request {
	u32 first_psn;
	u32 packets;		/* 0: it sends none */
	u32 length;
	u8 status;		/* enum ib_wc_status */
	bool begun;
	bool complete;
	bool answered;		/* by more than an acknowledgement: READ, atomics */
};

struct ropcie_send_queue {
	spinlock_t lock;
	spinlock_t post_lock;	/* of kernel users' posts */
	struct ropcie_queue queue;
	void *wqes;		/* as many as in queue: copies; of a kernel user's queue, the queue itself */
	struct ropcie_request *requests;
	u32 max_wr;
	u32 max_sge;
	u32 max_inline;
	bool signal_all;

	/* indices of work requests: done <= next <= fetched */
	u32 fetched;
	u32 next;		/* the one whose packets are being sent */
	u32 done;		/* the oldest that has not been completed */

	/* packet sequence numbers: acked <= psn <= sent <= begin */
	u32 psn;		/* of the next packet */
	u32 begin;		/* of the next request that has not begun */
	u32 sent;		/* after the last that has ever been sent */
	u32 acked;		/* the oldest that the peer has not acknowledged */

	u32 answers;		/* READ and atomic requests under way */
	u8 retries;
	u8 rnr_retries;
	bool rnr_wait;
	bool stalled;		/* a request in error is in the way: nothing behind it is sent */
	bool drained_event;	/* SQD: still to be raised */
	unsigned long progress;	/* jiffies */
	struct timer_list timer;
	struct hrtimer rnr_timer;

	struct bio_vec bvecs[ROPCIE_MAX_BVECS];
	struct ropcie_span spans[ROPCIE_MAX_SGE];
	unsigned int span_count;
};

/* What the responder has to send, in this order. */
struct ropcie_response {
	u8 opcode;		/* ACKNOWLEDGE, READ_RESPONSE, ATOMIC_RESPONSE */
	u8 syndrome;
	u32 psn;
	u32 rkey;
	u32 srq_number;		/* XRC: of the request */
	u32 length;
	u32 sent;
	u64 address;
	u64 value;
};

struct ropcie_atomic_result {
	u32 psn;
	bool valid;
	u64 value;
};

struct ropcie_responder {
	spinlock_t lock;
	struct ropcie_receive_queue rq;
	bool has_rq;

	u32 psn;		/* expected */
	bool nak_sent;		/* packets are dropped until that one comes again */
	bool established;
	bool in_message;
	u8 message_opcode;
	u32 received;		/* bytes of the message */
	bool has_receive;
	struct ropcie_receive receive;
	struct ropcie_srq *receive_srq;	/* XRC: whose completion queue it completes on; has a reference */

	struct ropcie_response *responses;
	u32 response_mask;
	u32 response_head;
	u32 response_tail;
	struct ropcie_atomic_result atomics[ROPCIE_MAX_READS];
	u32 next_atomic;
	bool last_wqe_raised;

	struct bio_vec bvecs[ROPCIE_MAX_BVECS];
};

struct ropcie_qp {
	struct ib_qp ib;
	struct ropcie_device *device;
	struct ropcie_object *object;
	enum ropcie_service service;
	bool user;
	bool has_sq;
	bool block_loopback;
	enum ib_qp_state state;
	struct mutex modify_mutex;
	struct ib_qp_attr attr;
	struct ropcie_accessor accessor;
	struct ropcie_cq *send_cq;
	struct ropcie_cq *recv_cq;
	struct ropcie_srq *srq;

	u64 mac;		/* the peer's, as ether_addr_to_u64(); read without a lock */
	struct ropcie_peer *peer;

	struct ropcie_send_queue sq;
	struct ropcie_responder responder;

	struct work_struct work;
	struct list_head blocked;	/* in device->blocked: waits for room */
	struct ropcie_peer *blocked_on;
	unsigned long events;		/* bit numbers: enum ib_event_type */
	struct work_struct event_work;
};

static inline struct ropcie_qp *to_ropcie_qp(struct ib_qp *ib)
{
	return container_of(ib, struct ropcie_qp, ib);
}

static inline bool ropcie_qp_is_reliable(const struct ropcie_qp *qp)
{
	return qp->service == ROPCIE_SERVICE_RC || qp->service == ROPCIE_SERVICE_XRC;
}

/* Does it take requests of its peer, in this state? */
static inline bool ropcie_qp_serves(const struct ropcie_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE;
}

static inline struct ropcie_send_wqe *ropcie_qp_wqe(struct ropcie_qp *qp, u32 index)
{
	struct ropcie_send_queue *sq = &qp->sq;

	return sq->wqes + (size_t)(index & (sq->queue.entry_count - 1)) * sq->queue.entry_size;
}

static inline struct ropcie_request *ropcie_qp_request(struct ropcie_qp *qp, u32 index)
{
	return &qp->sq.requests[index & (qp->sq.queue.entry_count - 1)];
}

/* qp.c */
void ropcie_for_each_qp(struct ropcie_device *device,
			void (*visit)(struct ropcie_qp *qp, void *context), void *context);
/* Process context. Runs what can be run: responses, requests, and in an error state, what is to be flushed. */
void ropcie_qp_run(struct ropcie_qp *qp);
/* Process context, in RESET: no timer and no work of it runs any more. */
void ropcie_qp_quiesce(struct ropcie_qp *qp);
/* Any context from here on. Runs what can be run, later. */
void ropcie_qp_schedule(struct ropcie_qp *qp);
/* The state becomes ERR, and what is posted is flushed, later. */
void ropcie_qp_fail(struct ropcie_qp *qp);
/* After an error of the send queue's own: SQE for UC and UD, ERR for the others. */
void ropcie_qp_fail_send(struct ropcie_qp *qp);
/* The peer of a reliable connection is gone: what is under way ends with RETRY_EXC, the rest is flushed. */
void ropcie_qp_lost_peer(struct ropcie_qp *qp);
void ropcie_qp_event(struct ropcie_qp *qp, enum ib_event_type event);
/*
 * To the queue pair's peer, or to another: by ropcie_peer_send(), under the lock of either half. 0 also if it is lost,
 * as nobody is there. -EAGAIN: no room; the queue pair will be scheduled when there is.
 */
int ropcie_qp_send(struct ropcie_qp *qp, const struct ropcie_header *header,
		   struct iov_iter *payload);
int ropcie_qp_send_to(struct ropcie_qp *qp, struct ropcie_peer *peer,
		      const struct ropcie_header *header, struct iov_iter *payload);
void ropcie_qp_unblock(struct ropcie_qp *qp);
/* All that wait for room at this peer. */
void ropcie_qps_unblock(struct ropcie_device *device, struct ropcie_peer *peer);

/* ib_device_ops */
int ropcie_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata);
int ropcie_destroy_qp(struct ib_qp *ib, struct ib_udata *udata);
int ropcie_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int ropcie_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init);
int ropcie_post_send(struct ib_qp *ib, const struct ib_send_wr *wr, const struct ib_send_wr **bad);
int ropcie_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);

#endif
