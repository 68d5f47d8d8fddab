/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of ropcie-stress share: see main.c. */
#ifndef ROPCIE_STRESS_H
#define ROPCIE_STRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define TARGET_BYTES	(1u << 20)	/* what the peer writes to, per queue pair */
#define SLOTS		32		/* requests under way */
#define SLOT_BYTES	(64u << 10)
#define RECEIVES	48
#define RECEIVE_BYTES	(16u << 10)
#define PIECES		8		/* SGEs of a request at most */
#define GRH_BYTES	40

enum op_kind {
	OP_WRITE, OP_WRITE_IMM, OP_READ, OP_COMPARE_SWAP, OP_FETCH_ADD, OP_SEND, OP_SEND_IMM,
	OP_WINDOW_WRITE, OP_ATOMIC_WRITE, OP_FLUSH, OP_WINDOW_CYCLE, OP_KINDS
};

struct op {
	bool used;
	enum op_kind kind;
	uint32_t length;
	struct ibv_sge pieces[PIECES];	/* READ: where it goes */
	int piece_count;
	uint8_t *expected;		/* READ: what is read */
	uint64_t before;		/* atomics: what is there */
};

/* What the peer has to know of a queue pair. */
struct address {
	uint32_t qpn, psn, rkey, window_rkey;
	uint64_t target;
	union ibv_gid gid;
};

struct end {
	enum ibv_qp_type type;
	bool flushes;			/* libibverbs has FLUSH */
	struct ibv_qp *qp;
	struct ibv_cq *send_cq, *receive_cq;
	struct ibv_mr *mr;
	struct ibv_mw *window, *cycle_window;
	struct ibv_ah *ah;
	struct address own, peer;
	uint8_t *memory;		/* target, source, slots, receives */
	uint8_t *target, *source, *slots, *receives;
	uint8_t *model;			/* the peer's target, as it has to be */
	struct op ops[SLOTS];
	unsigned int under_way, reads_under_way;
	uint32_t send_sequence, receive_sequence;
	struct ibv_sge receive_pieces[RECEIVES][PIECES];
	int receive_piece_count[RECEIVES];
	uint64_t idle_receives;		/* bit: not posted */
	uint64_t done[OP_KINDS];
	uint64_t received;
};

struct options {
	const char *device, *host;
	int gid_index, seconds, queue_pairs, port;
	uint64_t seed;
};

/* random.c: of a seed, the same each time */
uint64_t random_next(uint64_t *state);
uint32_t random_below(uint32_t bound);
void random_seed(uint64_t seed);
void random_fill(uint64_t seed, uint8_t *bytes, size_t length);
/* Mostly small and odd, sometimes large; at most @most. */
uint32_t random_length(uint32_t most);

/* end.c */
void end_create(struct end *end, struct ibv_context *context, struct ibv_pd *pd,
		const struct options *options, enum ibv_qp_type type);
void end_connect(struct end *end, const struct options *options);
void end_post_receives(struct end *end);

/* ops.c */
void op_post_random(struct end *end);
/* Polls both queues, and checks what has completed. */
void end_poll(struct end *end);
/* Reads all of the peer's target. */
void end_verify(struct end *end);
/* An invalidated key is refused, and all that is posted then is flushed. Ends the queue pair. */
void end_check_refusal(struct end *end, bool first);

/* link.c: TCP, beside */
int link_open(const char *host, int port);
void link_exchange(int link, const void *own, void *peer, size_t length);
void link_tell(int link);
bool link_was_told(int link);

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

#endif
