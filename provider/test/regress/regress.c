// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ropcie-regress: what has once gone wrong, a function for each. One node, by its loopback; says "ok" or what is wrong.
 *
 *	ropcie-regress [gid index]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#define BYTES	65536
#define QKEY	0x11

#define CHECK(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "ropcie-regress: %s: %s (errno: %s)\n", __func__, #condition, \
			strerror(errno)); \
		exit(1); \
	} \
} while (0)

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static uint8_t *memory;
static union ibv_gid gid;
static int gid_index = 1;

static struct ibv_sge piece(size_t at, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)memory + at, length, mr->lkey };
}

/* One whose key is nobody's. */
static struct ibv_sge bad_piece(uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)memory, length, mr->lkey ^ 0x12300 };
}

/* The next completion, which comes within 5 s. */
static struct ibv_wc completion(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int tries = 50000, count;

	while (!(count = ibv_poll_cq(cq, 1, &wc)) && tries--)
		usleep(100);
	CHECK(count == 1);
	return wc;
}

static struct ibv_ah_attr way(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 1 },
	};
}

/* Without a timeout: what is lost stays lost. Sequence numbers are about to begin anew. */
static void connect_to(struct ibv_qp *qp, uint32_t number)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.path_mtu = IBV_MTU_1024, .dest_qp_num = number, .rq_psn = 0xfffffe, .sq_psn = 0xfffffe,
		.max_dest_rd_atomic = 4, .max_rd_atomic = 4, .min_rnr_timer = 12, .retry_cnt = 7,
		.rnr_retry = 7, .ah_attr = way(),
	};

	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	if (qp->qp_type == IBV_QPT_XRC_RECV)
		return;
	attr.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
					IBV_QP_MAX_QP_RD_ATOMIC));
}

static struct ibv_qp *make(struct ibv_cq *cq, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .cap = { 16, 16, 4, 4, 64 }, .qp_type = type,
		.sq_sig_all = 1,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	CHECK(qp);
	return qp;
}

/* A request in error behind one that finds no receive request: the first is sent again, and arrives. */
static void request_before_an_error_is_sent_again(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_cq *peer_cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make(cq, IBV_QPT_RC), *peer = make(peer_cq, IBV_QPT_RC);
	struct ibv_sge good = piece(0, 100), bad = bad_piece(100), target = piece(4096, 100);
	struct ibv_send_wr second = { .wr_id = 2, .sg_list = &bad, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr first = { .wr_id = 1, .next = &second, .sg_list = &good, .num_sge = 1,
				     .opcode = IBV_WR_SEND };
	struct ibv_recv_wr receive = { .sg_list = &target, .num_sge = 1 }, *bad_receive;
	struct ibv_send_wr *bad_send;
	struct ibv_wc wc;

	connect_to(qp, peer->qp_num);
	connect_to(peer, qp->qp_num);
	CHECK(!ibv_post_send(qp, &first, &bad_send));
	usleep(50000);
	CHECK(!ibv_post_recv(peer, &receive, &bad_receive));
	wc = completion(cq);
	CHECK(wc.wr_id == 1 && wc.status == IBV_WC_SUCCESS);
	wc = completion(cq);
	CHECK(wc.wr_id == 2 && wc.status == IBV_WC_LOC_PROT_ERR);
	CHECK(completion(peer_cq).status == IBV_WC_SUCCESS);
	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer));
	CHECK(!ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq));
}

/* What is posted behind a datagram in error is flushed, however soon the queue pair goes on. */
static void request_behind_an_error_is_flushed(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make(cq, IBV_QPT_UD);
	struct ibv_ah_attr attr = way();
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);
	struct ibv_qp_attr state = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	struct ibv_sge good = piece(0, 100), bad = bad_piece(100);
	struct ibv_send_wr second = { .wr_id = 2, .sg_list = &good, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr first = { .wr_id = 1, .next = &second, .sg_list = &bad, .num_sge = 1,
				     .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad_send;
	struct ibv_wc wc;
	int i;

	CHECK(ah);
	first.wr.ud.ah = ah;
	first.wr.ud.remote_qpn = qp->qp_num;
	first.wr.ud.remote_qkey = QKEY;
	second.wr = first.wr;
	CHECK(!ibv_modify_qp(qp, &state, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	state.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(qp, &state, IBV_QP_STATE));
	state.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(qp, &state, IBV_QP_STATE | IBV_QP_SQ_PSN));
	for (i = 0; i < 2000; i++) {
		CHECK(!ibv_post_send(qp, &first, &bad_send));
		while (!ibv_poll_cq(cq, 1, &wc))
			;
		CHECK(wc.wr_id == 1 && wc.status == IBV_WC_LOC_PROT_ERR);
		CHECK(!ibv_modify_qp(qp, &state, IBV_QP_STATE));
		wc = completion(cq);
		CHECK(wc.wr_id == 2 && wc.status == IBV_WC_WR_FLUSH_ERR);
	}
	CHECK(!ibv_destroy_ah(ah) && !ibv_destroy_qp(qp) && !ibv_destroy_cq(cq));
}

/* A shared receive queue goes though a message into it has not come to its end, and never will. */
static void shared_queue_goes_in_the_middle_of_a_message(void)
{
	struct ibv_xrcd_init_attr domain_init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT,
	};
	struct ibv_xrcd *domain = ibv_open_xrcd(context, &domain_init);
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr_ex target_init = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = domain,
	};
	struct ibv_srq_init_attr_ex queue_init = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = pd, .xrcd = domain, .cq = cq,
	};
	struct ibv_qp *target = ibv_create_qp_ex(context, &target_init), *qp = make(cq, IBV_QPT_XRC_SEND);
	struct ibv_srq *queue = ibv_create_srq_ex(context, &queue_init);
	struct ibv_sge pieces[] = { piece(0, 8192), bad_piece(8192) }, room = piece(32768, 32768);
	struct ibv_recv_wr receive = { .sg_list = &room, .num_sge = 1 }, *bad_receive;
	struct ibv_send_wr send = { .sg_list = pieces, .num_sge = 2, .opcode = IBV_WR_SEND }, *bad_send;

	CHECK(domain && cq && target && queue);
	connect_to(target, qp->qp_num);
	connect_to(qp, target->qp_num);
	CHECK(!ibv_post_srq_recv(queue, &receive, &bad_receive));
	CHECK(!ibv_get_srq_num(queue, &send.qp_type.xrc.remote_srqn));
	/* Two of its packets are sent. */
	CHECK(!ibv_post_send(qp, &send, &bad_send));
	CHECK(completion(cq).status == IBV_WC_LOC_PROT_ERR);
	CHECK(!ibv_destroy_srq(queue));
	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_qp(target));
	CHECK(!ibv_close_xrcd(domain) && !ibv_destroy_cq(cq));
}

/* libibverbs finds the ibv_wr_* functions, of whichever version it is. */
static void extended_queue_pair_is_found(void)
{
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq, .recv_cq = cq, .cap = { 16, 16, 4, 4, 64 }, .qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(context, &init);

	CHECK(qp && ibv_qp_to_qp_ex(qp));
	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq));
}

/* A completion queue that is told to ignore it loses what it has no room for, and goes on. */
static void overrun_is_ignored(void)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};
	struct ibv_cq_ex *small = ibv_create_cq_ex(context, &init);
	struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0), *small_cq;
	struct ibv_sge good = piece(0, 8), target = piece(4096, 8);
	struct ibv_recv_wr receive = { .sg_list = &target, .num_sge = 1 }, *bad_receive;
	struct ibv_send_wr send = { .sg_list = &good, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad_send;
	struct ibv_qp *qp, *peer;
	struct ibv_wc wc;
	int count;

	CHECK(small);
	small_cq = ibv_cq_ex_to_cq(small);
	CHECK(small_cq->cqe < 15);
	qp = make(cq, IBV_QPT_RC);
	peer = make(small_cq, IBV_QPT_RC);
	connect_to(qp, peer->qp_num);
	connect_to(peer, qp->qp_num);
	/* A message is acknowledged when its receive request has completed. */
	for (receive.wr_id = 0; receive.wr_id < 16; receive.wr_id++) {
		CHECK(!ibv_post_recv(peer, &receive, &bad_receive));
		CHECK(!ibv_post_send(qp, &send, &bad_send));
		CHECK(completion(cq).status == IBV_WC_SUCCESS);
	}
	for (count = 0; ibv_poll_cq(small_cq, 1, &wc) == 1; count++)
		CHECK(wc.wr_id == (unsigned int)count && wc.status == IBV_WC_SUCCESS);
	CHECK(count == small_cq->cqe);

	CHECK(!ibv_post_recv(peer, &receive, &bad_receive));
	CHECK(!ibv_post_send(qp, &send, &bad_send));
	CHECK(completion(small_cq).wr_id == 16);
	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer));
	CHECK(!ibv_destroy_cq(small_cq) && !ibv_destroy_cq(cq));
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (argc > 1)
		gid_index = atoi(argv[1]);
	CHECK(list && list[0]);
	context = ibv_open_device(list[0]);
	CHECK(context);
	pd = ibv_alloc_pd(context);
	memory = aligned_alloc(4096, BYTES);
	CHECK(pd && memory);
	memset(memory, 0, BYTES);
	mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	CHECK(mr);
	CHECK(!ibv_query_gid(context, 1, gid_index, &gid));

	extended_queue_pair_is_found();
	request_before_an_error_is_sent_again();
	request_behind_an_error_is_flushed();
	shared_queue_goes_in_the_middle_of_a_message();
	overrun_is_ignored();
	printf("ok\n");
	return 0;
}
