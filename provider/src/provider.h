/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The provider's objects, each around one of libibverbs. */
#ifndef ROPCIE_PROVIDER_H
#define ROPCIE_PROVIDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <infiniband/driver.h>

#include "abi.h"

/* A mapped ring: see ropcie-abi.h. The indices are those in it. */
struct ropcie_ring {
	struct ropcie_queue_control *control;
	uint8_t *entries;
	uint32_t entry_size;
	uint32_t entry_count;
	size_t size;
};

/* A spinlock; none for what a thread domain says is one thread's. */
struct ropcie_lock {
	pthread_spinlock_t spinlock;
	bool needed;
};

struct ropcie_context {
	struct verbs_context verbs;
};

struct ropcie_td {
	struct ibv_td ibv;
	unsigned int users;
};

struct ropcie_pd {
	struct ibv_pd ibv;
	struct ropcie_pd *parent_of;	/* NULL: no parent domain */
	struct ropcie_td *td;
	unsigned int users;		/* parent domains of it */
};

struct ropcie_ah {
	struct ibv_ah ibv;
	uint32_t number;
};

struct ropcie_cq {
	struct verbs_cq verbs;
	struct ropcie_lock lock;
	struct ropcie_ring ring;
	const struct ropcie_cqe *current;	/* of an extended poll */
	uint32_t polled;			/* its consumer's index */
};

struct ropcie_srq {
	struct verbs_srq verbs;
	struct ropcie_lock lock;
	struct ropcie_ring ring;
	uint32_t max_sge;
	uint32_t number;
};

struct ropcie_qp {
	struct verbs_qp verbs;
	struct ropcie_lock send_lock;
	struct ropcie_lock receive_lock;
	struct ropcie_ring send;
	struct ropcie_ring receive;
	uint32_t max_send_sge;
	uint32_t max_receive_sge;
	uint32_t max_inline;

	/* ibv_wr_*: between start and complete */
	uint32_t producer;
	struct ropcie_send_wqe *wqe;
	int error;
};

static inline struct ropcie_context *to_context(struct ibv_context *ibv)
{
	return container_of(ibv, struct ropcie_context, verbs.context);
}

static inline struct ropcie_pd *to_pd(struct ibv_pd *ibv)
{
	return container_of(ibv, struct ropcie_pd, ibv);
}

static inline struct ropcie_ah *to_ah(struct ibv_ah *ibv)
{
	return container_of(ibv, struct ropcie_ah, ibv);
}

static inline struct ropcie_cq *to_cq(struct ibv_cq *ibv)
{
	return container_of(ibv, struct ropcie_cq, verbs.cq);
}

static inline struct ropcie_srq *to_srq(struct ibv_srq *ibv)
{
	return container_of(ibv, struct ropcie_srq, verbs.srq);
}

static inline struct ropcie_qp *to_qp(struct ibv_qp *ibv)
{
	return container_of(ibv, struct ropcie_qp, verbs.qp);
}

static inline void ropcie_lock_init(struct ropcie_lock *lock, struct ibv_pd *pd)
{
	lock->needed = !pd || !to_pd(pd)->td;
	pthread_spin_init(&lock->spinlock, PTHREAD_PROCESS_PRIVATE);
}

static inline void ropcie_lock(struct ropcie_lock *lock)
{
	if (lock->needed)
		pthread_spin_lock(&lock->spinlock);
}

static inline void ropcie_unlock(struct ropcie_lock *lock)
{
	if (lock->needed)
		pthread_spin_unlock(&lock->spinlock);
}

#endif
