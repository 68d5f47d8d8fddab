/* SPDX-License-Identifier: GPL-2.0-only */
/* The half of a queue pair that sends requests, and completes them. All of it under sq.lock, bottom halves off. */
#ifndef ROPCIE_REQUESTER_H
#define ROPCIE_REQUESTER_H

#include "qp.h"

/* Packets that a requester sends at most before others have their turn. */
#define ROPCIE_REQUESTER_BUDGET	64

static inline bool ropcie_wr_is_send(u32 opcode)
{
	return opcode == ROPCIE_WR_SEND || opcode == ROPCIE_WR_SEND_WITH_IMM ||
	       opcode == ROPCIE_WR_SEND_WITH_INVALIDATE;
}

static inline bool ropcie_wr_is_write(u32 opcode)
{
	return opcode == ROPCIE_WR_WRITE || opcode == ROPCIE_WR_WRITE_WITH_IMM;
}

static inline bool ropcie_wr_is_read(u32 opcode)
{
	return opcode == ROPCIE_WR_READ || opcode == ROPCIE_WR_READ_WITH_INVALIDATE;
}

static inline bool ropcie_wr_is_atomic(u32 opcode)
{
	return opcode == ROPCIE_WR_COMPARE_SWAP || opcode == ROPCIE_WR_FETCH_ADD;
}

/* send_queue.c: copies what has been posted. false: there is nothing; a process has to wake the kernel next time. */
bool ropcie_send_queue_fetch(struct ropcie_qp *qp);
/* What is posted ends with IB_WC_WR_FLUSH_ERR. true: there may be more than ROPCIE_FLUSH_BUDGET; once more, later. */
bool ropcie_send_queue_flush(struct ropcie_qp *qp);
void ropcie_send_queue_reset(struct ropcie_qp *qp);

/*
 * requester_packet.c: sends the packet sq->psn of the request. -EAGAIN: no room. -EACCES: the memory is not the work
 * request's. -EINVAL: nor is the address handle.
 */
int ropcie_requester_send(struct ropcie_qp *qp, const struct ropcie_request *request,
			  const struct ropcie_send_wqe *wqe);

/* requester.c: true: the budget is used up, there is more to do. */
bool ropcie_requester_run(struct ropcie_qp *qp, unsigned int budget);
/* Takes the lock, and runs or, in an error state, flushes: what a post does. */
void ropcie_requester_kick(struct ropcie_qp *qp);
/* Sends again, from this packet on. */
void ropcie_requester_rewind(struct ropcie_qp *qp, u32 psn);
/* requester_timers.c */
unsigned long ropcie_requester_patience(const struct ropcie_qp *qp);	/* jiffies */
void ropcie_requester_timeout(struct timer_list *timer);
enum hrtimer_restart ropcie_requester_rnr_over(struct hrtimer *timer);

/* completer.c */
/* Puts completions of what is complete, in order. */
void ropcie_completer_retire(struct ropcie_qp *qp);
/* The oldest request that is not complete ends so, and the queue pair is in error. */
void ropcie_completer_fail(struct ropcie_qp *qp, enum ib_wc_status status);
/* An ACKNOWLEDGE or a response. Takes the lock itself. */
void ropcie_completer_receive(struct ropcie_qp *qp, const struct ropcie_header *header,
			      const void *payload, size_t length);

/* gather.c: the SGEs' bytes from @offset on, as sq->bvecs. Returns how many, or -EACCES. Then release. */
int ropcie_gather(struct ropcie_qp *qp, const struct ropcie_send_wqe *wqe, u32 offset, u32 length);
void ropcie_gather_release(struct ropcie_qp *qp);
/* Copies to SGEs, from their byte @offset on. -EMSGSIZE, -EACCES. */
int ropcie_scatter(struct ropcie_qp *qp, const struct ropcie_accessor *who,
		   const struct ropcie_sge *sges, u32 count, u32 offset, const void *data,
		   u32 length);

#endif
