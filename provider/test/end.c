// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One end of a queue pair: its objects, its memory, its connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

#define QKEY	0x11223344

static void bind_window(struct end *end)
{
	struct ibv_send_wr *bad;
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = end->window,
			.rkey = ibv_inc_rkey(end->window->rkey),
			.bind_info = {
				.mr = end->mr,
				.addr = (uintptr_t)end->target,
				.length = TARGET_BYTES,
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
			},
		},
	};
	struct ibv_wc wc;

	if (ibv_post_send(end->qp, &wr, &bad))
		die("post BIND_MW: %s", strerror(errno));
	while (!ibv_poll_cq(end->send_cq, 1, &wc))
		;
	if (wc.status != IBV_WC_SUCCESS)
		die("BIND_MW: %s", ibv_wc_status_str(wc.status));
	end->own.window_rkey = wr.bind_mw.rkey;
}

void end_create(struct end *end, struct ibv_context *context, struct ibv_pd *pd,
		const struct options *options, enum ibv_qp_type type)
{
	size_t bytes = 2 * TARGET_BYTES + SLOTS * SLOT_BYTES + RECEIVES * RECEIVE_BYTES;
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.cap = { .max_send_wr = 2 * SLOTS, .max_recv_wr = RECEIVES, .max_send_sge = PIECES,
			 .max_recv_sge = PIECES, .max_inline_data = 512 },
	};

	end->type = type;
	/* An odd beginning: nothing is page-aligned. */
	end->memory = aligned_alloc(4096, (bytes + 8192) / 4096 * 4096);
	end->model = calloc(1, TARGET_BYTES);
	end->target = end->memory + 8;
	end->source = end->target + TARGET_BYTES;
	end->slots = end->source + TARGET_BYTES;
	end->receives = end->slots + SLOTS * SLOT_BYTES;
	memset(end->target, 0, TARGET_BYTES);
	random_fill(options->seed, end->source, TARGET_BYTES);

	end->mr = ibv_reg_mr(pd, end->target, bytes,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			     IBV_ACCESS_MW_BIND | IBV_ACCESS_FLUSH_GLOBAL);
	end->send_cq = ibv_create_cq(context, 4 * SLOTS, NULL, NULL, 0);
	end->receive_cq = ibv_create_cq(context, 2 * RECEIVES, NULL, NULL, 0);
	if (!end->mr || !end->send_cq || !end->receive_cq)
		die("objects: %s", strerror(errno));
	init.send_cq = end->send_cq;
	init.recv_cq = end->receive_cq;
	init.send_ops_flags = IBV_QP_EX_WITH_SEND;
	if (type == IBV_QPT_RC)
		init.send_ops_flags |= IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH;
	end->qp = ibv_create_qp_ex(context, &init);
	if (!end->qp && errno == EOPNOTSUPP) {	/* rdma-core before 45 */
		init.send_ops_flags &= ~IBV_QP_EX_WITH_FLUSH;
		end->qp = ibv_create_qp_ex(context, &init);
	}
	end->flushes = init.send_ops_flags & IBV_QP_EX_WITH_FLUSH;
	if (!end->qp)
		die("queue pair: %s", strerror(errno));
	end->window = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	end->cycle_window = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	if (!end->window || !end->cycle_window)
		die("memory window: %s", strerror(errno));

	end->own.qpn = end->qp->qp_num;
	end->own.psn = random_below(1 << 24);
	end->own.rkey = end->mr->rkey;
	end->own.target = (uintptr_t)end->target;
	if (ibv_query_gid(context, 1, options->gid_index, &end->own.gid))
		die("GID %d: %s", options->gid_index, strerror(errno));
	end->idle_receives = (1ull << RECEIVES) - 1;
}

void end_connect(struct end *end, const struct options *options)
{
	bool reliable = end->type == IBV_QPT_RC, datagrams = end->type == IBV_QPT_UD;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   (reliable ? IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC : 0),
		.path_mtu = IBV_MTU_1024, .dest_qp_num = end->peer.qpn, .rq_psn = end->peer.psn,
		.max_dest_rd_atomic = 8, .max_rd_atomic = 8, .min_rnr_timer = 1,
		.sq_psn = end->own.psn, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = end->peer.gid, .hop_limit = 64,
				      .sgid_index = options->gid_index } },
	};
	int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	int rtr = IBV_QP_STATE, rts = IBV_QP_STATE | IBV_QP_SQ_PSN;

	init |= datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	if (!datagrams)
		rtr |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (reliable) {
		rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		rts |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
	}
	if (ibv_modify_qp(end->qp, &attr, init))
		die("to INIT: %s", strerror(errno));
	end_post_receives(end);
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(end->qp, &attr, rtr))
		die("to RTR: %s", strerror(errno));
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(end->qp, &attr, rts))
		die("to RTS: %s", strerror(errno));
	if (datagrams) {
		end->ah = ibv_create_ah(end->qp->pd, &attr.ah_attr);
		if (!end->ah)
			die("address handle: %s", strerror(errno));
	} else {
		bind_window(end);
	}
}

void end_post_receives(struct end *end)
{
	unsigned int i;

	for (i = 0; i < RECEIVES; i++) {
		struct ibv_sge *pieces = end->receive_pieces[i];
		uint8_t *at = end->receives + i * RECEIVE_BYTES;
		uint32_t left = RECEIVE_BYTES;
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = pieces }, *bad;
		int count = 1 + random_below(PIECES), k;

		/* Some come late: the peer has to wait. */
		if (!(end->idle_receives >> i & 1) || !random_below(4))
			continue;
		for (k = 0; k < count; k++) {
			uint32_t length = k == count - 1 ? left : random_below(left / 2 + 1);

			pieces[k] = (struct ibv_sge){ (uintptr_t)at, length, end->mr->lkey };
			at += length;
			left -= length;
		}
		end->receive_piece_count[i] = count;
		wr.num_sge = count;
		if (ibv_post_recv(end->qp, &wr, &bad))
			die("post receive: %s", strerror(errno));
		end->idle_receives &= ~(1ull << i);
	}
}
