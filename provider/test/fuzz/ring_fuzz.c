// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ropcie-ring-fuzz: a process that writes what it likes into its mapped rings, and wakes the kernel.
 *
 *	ropcie-ring-fuzz [-d device] [-g gid index] [-t seconds] [-s seed]
 *
 * Two queue pairs are connected to each other, so that what is sent is received. Rings are found in /proc/self/maps. Nothing is
 * expected of the completions; the kernel must survive, and a well-behaved process beside this must not notice.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#define RINGS	64

static struct { uint8_t *start, *end; } rings[RINGS];
static int ring_count;
static uint64_t state;

static uint32_t below(uint32_t bound)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % bound;
}

static void find_rings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];

	ring_count = 0;
	while (maps && fgets(line, sizeof(line), maps) && ring_count < RINGS) {
		if (!strstr(line, "/uverbs") || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		rings[ring_count].start = (uint8_t *)start;
		rings[ring_count++].end = (uint8_t *)end;
	}
	if (maps)
		fclose(maps);
}

static void scribble(void)
{
	int ring = below(ring_count);
	uint32_t *words = (uint32_t *)rings[ring].start;
	uint32_t count = (rings[ring].end - rings[ring].start) / 4, i;

	switch (below(5)) {
	case 0:		/* an index runs ahead, or back */
		words[0] += below(8);
		break;
	case 1:
		words[below(2) * 16] = below(3) ? below(64) : state;
		break;
	case 2:		/* flags and arm */
		words[32 + below(2)] = below(4);
		break;
	default:	/* requests, mostly of small numbers: opcodes, counts, flags */
		for (i = 0; i < 200; i++)
			words[64 + below(count - 64)] = below(4) ? below(34) : state;
		words[0]++;
		break;
	}
}

static void wake(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr header;
		struct ib_uverbs_post_send command;
	} cmd = {
		.header = { .command = IB_USER_VERBS_CMD_POST_SEND, .in_words = sizeof(cmd) / 4,
			    .out_words = sizeof(resp) / 4 },
		.command = { .response = (uintptr_t)&resp, .qp_handle = qp->handle,
			     .wqe_size = sizeof(struct ib_uverbs_send_wr) },
	};

	if (write(qp->context->cmd_fd, &cmd, sizeof(cmd)) < 0)
		return;
}

static void to(struct ibv_qp *qp, uint32_t peer, const union ibv_gid *gid, int gid_index)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RESET, .port_num = 1, .qp_access_flags = 15, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer, .max_dest_rd_atomic = 4, .max_rd_atomic = 4, .min_rnr_timer = 1,
		.timeout = 8, .retry_cnt = 1, .rnr_retry = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = *gid, .hop_limit = 1, .sgid_index = gid_index } },
	};

	ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_INIT;
	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	attr.qp_state = IBV_QPS_RTR;
	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	attr.qp_state = IBV_QPS_RTS;
	ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void round_of(struct ibv_context *context, struct ibv_pd *pd, const union ibv_gid *gid,
		     int gid_index)
{
	struct ibv_cq *cq = ibv_create_cq(context, 64, NULL, NULL, 0);
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 16, .max_sge = 4 } };
	struct ibv_srq *srq = ibv_create_srq(pd, &srq_init);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 4, .max_recv_sge = 4,
			 .max_inline_data = 64 },
	};
	struct ibv_qp *qps[2];
	int i;

	qps[0] = ibv_create_qp(pd, &init);
	init.srq = srq;
	qps[1] = ibv_create_qp(pd, &init);
	if (!cq || !srq || !qps[0] || !qps[1]) {
		fprintf(stderr, "objects: %s\n", strerror(errno));
		exit(1);
	}
	find_rings();
	for (i = 0; i < 400; i++) {
		if (!(i % 40)) {
			to(qps[0], qps[1]->qp_num, gid, gid_index);
			to(qps[1], qps[0]->qp_num, gid, gid_index);
		}
		scribble();
		wake(qps[below(2)]);
	}
	ibv_destroy_qp(qps[0]);
	ibv_destroy_qp(qps[1]);
	ibv_destroy_srq(srq);
	ibv_destroy_cq(cq);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char *name = NULL;
	struct ibv_context *context = NULL;
	int c, gid_index = 1, seconds = 10, i;
	union ibv_gid gid;
	struct ibv_pd *pd;
	unsigned long rounds = 0;
	void *memory = calloc(1, 1 << 16);
	time_t end;

	setlinebuf(stdout);
	state = time(NULL);
	while ((c = getopt(argc, argv, "d:g:t:s:")) != -1) {
		switch (c) {
		case 'd': name = optarg; break;
		case 'g': gid_index = atoi(optarg); break;
		case 't': seconds = atoi(optarg); break;
		case 's': state = strtoull(optarg, NULL, 0); break;
		default: return 2;
		}
	}
	printf("seed %llu\n", (unsigned long long)state);
	for (i = 0; list && list[i] && !context; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	pd = context ? ibv_alloc_pd(context) : NULL;
	if (!pd || ibv_query_gid(context, 1, gid_index, &gid) ||
	    !ibv_reg_mr(pd, memory, 1 << 16, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						     IBV_ACCESS_REMOTE_READ)) {
		fprintf(stderr, "device: %s\n", strerror(errno));
		return 1;
	}
	for (end = time(NULL) + seconds; time(NULL) < end; rounds++)
		round_of(context, pd, &gid, gid_index);
	printf("ok: %lu rounds\n", rounds);
	return 0;
}
