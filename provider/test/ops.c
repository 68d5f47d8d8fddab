// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random requests, and what they must have done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

#define QKEY		0x11223344
#define HEADER_BYTES	16

static const char *const names[OP_KINDS] = {
	"WRITE", "WRITE_IMM", "READ", "COMPARE_SWAP", "FETCH_ADD", "SEND", "SEND_IMM",
	"WRITE by a window", "ATOMIC_WRITE", "FLUSH", "BIND_MW and LOCAL_INV",
};

/* Cuts memory from @at on into pieces of odd sizes. */
static int cut(struct end *end, struct ibv_sge *pieces, uint8_t *at, uint32_t length)
{
	int count = 1 + random_below(PIECES), i;

	for (i = 0; i < count; i++) {
		uint32_t piece = i == count - 1 ? length : random_below(length + 1);

		pieces[i] = (struct ibv_sge){ (uintptr_t)at, piece, end->mr->lkey };
		at += piece;
		length -= piece;
	}
	return count;
}

/* Pieces anywhere in the source. */
static int scatter_source(struct end *end, struct ibv_sge *pieces, uint32_t length)
{
	int count = 1 + random_below(PIECES), i;

	for (i = 0; i < count; i++) {
		uint32_t piece = i == count - 1 ? length : random_below(length + 1);

		pieces[i] = (struct ibv_sge){
			(uintptr_t)end->source + random_below(TARGET_BYTES - piece + 1), piece,
			end->mr->lkey };
		length -= piece;
	}
	return count;
}

static void gather(const struct ibv_sge *pieces, int count, uint32_t skip, uint32_t length,
		   uint8_t *to)
{
	int i;

	for (i = 0; i < count && length; i++) {
		uint32_t piece = pieces[i].length, from = skip < piece ? skip : piece;

		skip -= from;
		piece -= from;
		if (piece > length)
			piece = length;
		memcpy(to, (uint8_t *)(uintptr_t)pieces[i].addr + from, piece);
		to += piece;
		length -= piece;
	}
}

static void post(struct end *end, struct ibv_send_wr *wr, enum op_kind kind)
{
	struct ibv_send_wr *bad;
	int err = ibv_post_send(end->qp, wr, &bad);

	if (err)
		die("post %s: %s", names[kind], strerror(err));
}

static void prepare_write(struct end *end, struct op *op, struct ibv_send_wr *wr)
{
	uint32_t at;

	op->length = random_length(SLOT_BYTES);
	at = random_below(TARGET_BYTES - op->length + 1);
	wr->opcode = op->kind == OP_WRITE_IMM ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
	wr->imm_data = op->length;
	wr->num_sge = scatter_source(end, op->pieces, op->length);
	wr->wr.rdma.remote_addr = end->peer.target + at;
	wr->wr.rdma.rkey = op->kind == OP_WINDOW_WRITE ? end->peer.window_rkey : end->peer.rkey;
	if (op->length <= 512 && random_below(2))
		wr->send_flags |= IBV_SEND_INLINE;
	gather(op->pieces, wr->num_sge, 0, op->length, end->model + at);
}

static void prepare_read(struct end *end, struct op *op, struct ibv_send_wr *wr, uint8_t *slot)
{
	uint32_t at;

	op->length = random_length(SLOT_BYTES);
	at = random_below(TARGET_BYTES - op->length + 1);
	wr->opcode = IBV_WR_RDMA_READ;
	wr->num_sge = op->piece_count = cut(end, op->pieces, slot, op->length);
	wr->wr.rdma.remote_addr = end->peer.target + at;
	wr->wr.rdma.rkey = end->peer.rkey;
	op->expected = malloc(op->length + 1);
	memcpy(op->expected, end->model + at, op->length);
	memset(slot, 0xee, op->length);
	end->reads_under_way++;
}

static void prepare_atomic(struct end *end, struct op *op, struct ibv_send_wr *wr, uint8_t *slot)
{
	uint32_t at = random_below(TARGET_BYTES / 8) * 8;
	uint64_t after;

	memcpy(&op->before, end->model + at, 8);
	op->pieces[0] = (struct ibv_sge){ (uintptr_t)slot, 8, end->mr->lkey };
	op->piece_count = wr->num_sge = 1;
	op->length = 8;
	wr->wr.atomic.remote_addr = end->peer.target + at;
	wr->wr.atomic.rkey = end->peer.rkey;
	if (op->kind == OP_FETCH_ADD) {
		wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		wr->wr.atomic.compare_add = random_below(1u << 31) * 0x100000001ull;
		after = op->before + wr->wr.atomic.compare_add;
	} else {
		bool hit = random_below(4);

		wr->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		wr->wr.atomic.compare_add = hit ? op->before : ~op->before;
		wr->wr.atomic.swap = random_below(1u << 31) * 0x100000003ull;
		after = hit ? wr->wr.atomic.swap : op->before;
	}
	memcpy(end->model + at, &after, 8);
	end->reads_under_way++;
}

/* Sequence, length and a seed of the rest, if there is room for them. */
static void prepare_send(struct end *end, struct op *op, struct ibv_send_wr *wr, uint8_t *slot)
{
	uint32_t most = end->type == IBV_QPT_UD ? 4096 : RECEIVE_BYTES;
	uint64_t seed = end->send_sequence * 0x9e3779b97f4a7c15u;

	op->length = random_length(most);
	random_fill(seed, slot, op->length);
	if (op->length >= HEADER_BYTES) {
		memcpy(slot, &end->send_sequence, 4);
		memcpy(slot + 4, &op->length, 4);
		memcpy(slot + 8, &seed, 8);
	}
	end->send_sequence++;
	wr->opcode = op->kind == OP_SEND_IMM ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
	wr->imm_data = op->length;
	wr->num_sge = cut(end, op->pieces, slot, op->length);
	if (op->length <= 512 && random_below(2))
		wr->send_flags |= IBV_SEND_INLINE;
	if (random_below(2))
		wr->send_flags |= IBV_SEND_SOLICITED;
	if (end->type == IBV_QPT_UD) {
		wr->wr.ud.ah = end->ah;
		wr->wr.ud.remote_qpn = end->peer.qpn;
		wr->wr.ud.remote_qkey = QKEY;
	}
}

/* By the ibv_wr_* functions: ATOMIC_WRITE, FLUSH. */
static void post_new_api(struct end *end, struct op *op, uint64_t wr_id, bool fence)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(end->qp);
	uint32_t at = random_below(TARGET_BYTES / 8) * 8;
	uint64_t value = random_below(1u << 31) * 0x100000005ull;
	int err;

	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED | (fence ? IBV_SEND_FENCE : 0);
	if (op->kind == OP_ATOMIC_WRITE) {
		ibv_wr_atomic_write(qp, end->peer.rkey, end->peer.target + at, &value);
		memcpy(end->model + at, &value, 8);
	} else {
		ibv_wr_flush(qp, end->peer.rkey, end->peer.target + at, 8, IBV_FLUSH_GLOBAL,
			     random_below(2) ? IBV_FLUSH_RANGE : IBV_FLUSH_MR);
	}
	err = ibv_wr_complete(qp);
	if (err)
		die("%s: %s", names[op->kind], strerror(err));
}

/* Bound, and taken back; the second request is the one that is waited for. */
static void post_window_cycle(struct end *end, uint64_t wr_id)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = end->cycle_window,
			.rkey = ibv_inc_rkey(end->cycle_window->rkey),
			.bind_info = { .mr = end->mr, .addr = (uintptr_t)end->target + random_below(1000),
				       .length = 1 + random_below(100000),
				       .mw_access_flags = IBV_ACCESS_REMOTE_READ },
		},
	};
	struct ibv_send_wr invalidate = {
		.wr_id = wr_id, .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = wr.bind_mw.rkey,
	};

	wr.next = &invalidate;
	post(end, &wr, OP_WINDOW_CYCLE);
	end->cycle_window->rkey = wr.bind_mw.rkey;
}

static enum op_kind choose(const struct end *end)
{
	static const enum op_kind unreliable[] = { OP_WRITE, OP_SEND, OP_SEND_IMM };
	enum op_kind kind;

	if (end->type == IBV_QPT_UD)
		return random_below(2) ? OP_SEND : OP_SEND_IMM;
	if (end->type == IBV_QPT_UC)
		return unreliable[random_below(3)];
	do {
		kind = random_below(OP_KINDS);
	} while (kind == OP_FLUSH && !end->flushes);
	return kind;
}

void op_post_random(struct end *end)
{
	struct ibv_send_wr wr = { .send_flags = IBV_SEND_SIGNALED };
	unsigned int index = 0;
	struct op *op;
	uint8_t *slot;
	bool reads;

	while (end->ops[index].used)
		index++;
	op = &end->ops[index];
	slot = end->slots + index * SLOT_BYTES;
	memset(op, 0, sizeof(*op));
	op->used = true;
	op->kind = choose(end);
	wr.wr_id = index;
	wr.sg_list = op->pieces;
	end->under_way++;

	/* What is read may otherwise be what is written after. */
	reads = end->reads_under_way;
	if (reads && op->kind != OP_READ)
		wr.send_flags |= IBV_SEND_FENCE;
	switch (op->kind) {
	case OP_WRITE:
	case OP_WRITE_IMM:
	case OP_WINDOW_WRITE:
		prepare_write(end, op, &wr);
		break;
	case OP_READ:
		prepare_read(end, op, &wr, slot);
		break;
	case OP_COMPARE_SWAP:
	case OP_FETCH_ADD:
		prepare_atomic(end, op, &wr, slot);
		break;
	case OP_SEND:
	case OP_SEND_IMM:
		prepare_send(end, op, &wr, slot);
		break;
	case OP_ATOMIC_WRITE:
	case OP_FLUSH:
		post_new_api(end, op, index, reads);
		return;
	default:
		post_window_cycle(end, index);
		return;
	}
	post(end, &wr, op->kind);
}

static void check_op(struct end *end, const struct ibv_wc *wc)
{
	struct op *op = &end->ops[wc->wr_id];
	uint64_t before;
	uint8_t *got;

	if (wc->status != IBV_WC_SUCCESS)
		die("QP %u, %s of %u bytes: %s", end->own.qpn, names[op->kind], op->length,
		    ibv_wc_status_str(wc->status));
	if (op->kind == OP_READ) {
		uint32_t i = 0;

		got = malloc(op->length + 1);
		gather(op->pieces, op->piece_count, 0, op->length, got);
		while (i < op->length && got[i] == op->expected[i])
			i++;
		if (i < op->length)
			die("QP %u, READ of %u bytes: byte %u is %02x, not %02x", end->own.qpn,
			    op->length, i, got[i], op->expected[i]);
		free(got);
		free(op->expected);
		end->reads_under_way--;
	} else if (op->kind == OP_COMPARE_SWAP || op->kind == OP_FETCH_ADD) {
		memcpy(&before, end->slots + wc->wr_id * SLOT_BYTES, 8);
		if (before != op->before)
			die("QP %u, %s: found %llx, not %llx", end->own.qpn, names[op->kind],
			    (unsigned long long)before, (unsigned long long)op->before);
		end->reads_under_way--;
	}
	op->used = false;
	end->under_way--;
	end->done[op->kind]++;
}

static void check_receive(struct end *end, const struct ibv_wc *wc)
{
	static uint8_t got[RECEIVE_BYTES], expected[RECEIVE_BYTES];
	uint32_t skip = end->type == IBV_QPT_UD ? GRH_BYTES : 0, length, sequence, said;
	uint64_t seed;

	if (wc->status != IBV_WC_SUCCESS)
		die("QP %u, receive: %s", end->own.qpn, ibv_wc_status_str(wc->status));
	end->idle_receives |= 1ull << wc->wr_id;
	end->received++;
	length = wc->byte_len - skip;
	if ((wc->wc_flags & IBV_WC_WITH_IMM) && wc->imm_data != length)
		die("QP %u: %u bytes with immediate %u", end->own.qpn, length, wc->imm_data);
	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		return;
	gather(end->receive_pieces[wc->wr_id], end->receive_piece_count[wc->wr_id], skip, length, got);
	if (length < HEADER_BYTES) {
		end->receive_sequence++;
		return;
	}
	memcpy(&sequence, got, 4);
	memcpy(&said, got + 4, 4);
	memcpy(&seed, got + 8, 8);
	/* Only UC and UD may lose a message. */
	if (end->type == IBV_QPT_RC && sequence != end->receive_sequence)
		die("QP %u: message %u, not %u", end->own.qpn, sequence, end->receive_sequence);
	if (said != length)
		die("QP %u: a message of %u bytes has %u", end->own.qpn, said, length);
	end->receive_sequence = sequence + 1;
	random_fill(seed, expected, length);
	memcpy(expected, got, HEADER_BYTES);
	if (memcmp(got, expected, length))
		die("QP %u: message %u is not what was sent", end->own.qpn, sequence);
}

void end_poll(struct end *end)
{
	struct ibv_wc wc[8];
	int count, i;

	count = ibv_poll_cq(end->send_cq, 8, wc);
	for (i = 0; i < count; i++)
		check_op(end, &wc[i]);
	count = ibv_poll_cq(end->receive_cq, 8, wc);
	for (i = 0; i < count; i++)
		check_receive(end, &wc[i]);
	end_post_receives(end);
}

void end_verify(struct end *end)
{
	uint32_t at;

	for (at = 0; at < TARGET_BYTES; at += SLOT_BYTES) {
		struct op *op = &end->ops[0];
		struct ibv_send_wr wr = { .send_flags = IBV_SEND_SIGNALED, .opcode = IBV_WR_RDMA_READ,
					  .sg_list = op->pieces, .num_sge = 1 };

		op->used = true;
		op->kind = OP_READ;
		op->length = SLOT_BYTES;
		op->pieces[0] = (struct ibv_sge){ (uintptr_t)end->slots, SLOT_BYTES, end->mr->lkey };
		op->piece_count = 1;
		op->expected = malloc(SLOT_BYTES);
		memcpy(op->expected, end->model + at, SLOT_BYTES);
		wr.wr.rdma.remote_addr = end->peer.target + at;
		wr.wr.rdma.rkey = end->peer.rkey;
		end->under_way++;
		end->reads_under_way++;
		post(end, &wr, OP_READ);
		while (end->under_way)
			end_poll(end);
	}
}

static enum ibv_wc_status wait_send(struct end *end, uint64_t wr_id)
{
	struct ibv_wc wc;

	do {
		while (!ibv_poll_cq(end->send_cq, 1, &wc))
			;
	} while (wc.wr_id != wr_id);
	return wc.status;
}

void end_check_refusal(struct end *end, bool first)
{
	struct ibv_sge sge = { (uintptr_t)end->source, 8, end->mr->lkey };
	struct ibv_send_wr send = { .wr_id = 101, .opcode = IBV_WR_SEND_WITH_INV,
				    .send_flags = IBV_SEND_SIGNALED,
				    .invalidate_rkey = end->peer.window_rkey };
	struct ibv_send_wr write = { .wr_id = 102, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge,
				     .num_sge = 1, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr after = { .wr_id = 103, .opcode = IBV_WR_SEND };
	enum ibv_wc_status status;
	struct ibv_wc wc;

	if (!first) {
		/* The peer's turn: its message says which key is gone; then this end is in error. */
		do {
			while (!ibv_poll_cq(end->receive_cq, 1, &wc))
				;
		} while (wc.status == IBV_WC_SUCCESS && !(wc.wc_flags & IBV_WC_WITH_INV));
		if (wc.status != IBV_WC_SUCCESS || wc.invalidated_rkey != end->own.window_rkey)
			die("QP %u: invalidated %x, not %x: %s", end->own.qpn, wc.invalidated_rkey,
			    end->own.window_rkey, ibv_wc_status_str(wc.status));
		while (!ibv_poll_cq(end->receive_cq, 1, &wc))
			;
		if (wc.status != IBV_WC_WR_FLUSH_ERR)
			die("QP %u: a receive after the refusal: %s", end->own.qpn,
			    ibv_wc_status_str(wc.status));
		return;
	}
	write.wr.rdma.remote_addr = end->peer.target;
	write.wr.rdma.rkey = end->peer.window_rkey;
	post(end, &send, OP_SEND);
	status = wait_send(end, 101);
	if (status != IBV_WC_SUCCESS)
		die("QP %u, SEND_WITH_INV: %s", end->own.qpn, ibv_wc_status_str(status));
	post(end, &write, OP_WINDOW_WRITE);
	post(end, &after, OP_SEND);
	status = wait_send(end, 102);
	if (status != IBV_WC_REM_ACCESS_ERR)
		die("QP %u, WRITE by a key that is gone: %s", end->own.qpn,
		    ibv_wc_status_str(status));
	status = wait_send(end, 103);
	if (status != IBV_WC_WR_FLUSH_ERR)
		die("QP %u, SEND after the refusal: %s", end->own.qpn, ibv_wc_status_str(status));
}
