/* SPDX-License-Identifier: GPL-2.0-only */
/* The half of a queue pair that serves its peer's requests. All of it under responder.lock, bottom halves off. */
#ifndef ROPCIE_RESPONDER_H
#define ROPCIE_RESPONDER_H

#include "qp.h"

/* Response packets at most before others have their turn. */
#define ROPCIE_RESPONDER_BUDGET	64

/* A request of one packet, with what serving it found out. */
struct ropcie_serve {
	const struct ropcie_header *header;
	const void *payload;
	u32 length;
	u32 psn;
	struct ropcie_accessor who;
	struct ropcie_srq *srq;		/* of the queue pair; of XRC, of the packet */
};

/* How it went. */
enum ropcie_served {
	ROPCIE_SERVED,			/* to be acknowledged, if it asks for that */
	ROPCIE_SERVED_ANSWERED,		/* its answer is on its way */
	ROPCIE_NOT_READY,		/* no receive request: RNR */
	ROPCIE_REFUSE_INVALID,
	ROPCIE_REFUSE_ACCESS,
	ROPCIE_REFUSE_OPERATION,
	ROPCIE_DROP,
};

/* responder.c: a request of RC, UC or XRC. Takes the lock itself. */
void ropcie_responder_receive(struct ropcie_qp *qp, const struct ropcie_header *header,
			      const void *payload, size_t length);
/*
 * Receive requests end with IB_WC_WR_FLUSH_ERR; those of a shared queue stay. true: there may be more than
 * ROPCIE_FLUSH_BUDGET; once more, later.
 */
bool ropcie_responder_flush(struct ropcie_qp *qp);
void ropcie_responder_reset(struct ropcie_qp *qp);

/* serve.c */
enum ropcie_served ropcie_serve(struct ropcie_qp *qp, struct ropcie_serve *serve);
/* A READ or an atomic request that has been served before. */
void ropcie_serve_again(struct ropcie_qp *qp, struct ropcie_serve *serve);

/* receive_wqe.c: the receive request of the message under way. -EAGAIN: there is none. */
int ropcie_receive_begin(struct ropcie_qp *qp, struct ropcie_srq *srq);
void ropcie_receive_complete(struct ropcie_qp *qp, struct ropcie_cqe *cqe);
/* XRC: the queue is going, and nobody finds it any more. The rest of a message that is under way into it is refused. */
void ropcie_receive_abandon(struct ropcie_srq *srq);

/* responses.c: queues one, if there is room. */
void ropcie_respond(struct ropcie_qp *qp, const struct ropcie_response *response);
void ropcie_respond_acknowledge(struct ropcie_qp *qp, u32 psn, u8 syndrome);
/* Sends what is queued; true: the budget is used up, there is more. */
bool ropcie_responses_send(struct ropcie_qp *qp, unsigned int budget);

/* datagram.c: UD. Takes the lock itself. */
void ropcie_datagram_receive(struct ropcie_qp *qp, const struct ropcie_header *header,
			     const void *payload, size_t length);

#endif
