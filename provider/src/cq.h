/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef ROPCIE_CQ_H
#define ROPCIE_CQ_H

#include "provider.h"

/* enum ibv_wc_flags of a completion. */
unsigned int ropcie_cqe_wc_flags(const struct ropcie_cqe *cqe);

/* Takes out what it has of this queue pair. */
void ropcie_cq_clean(struct ropcie_cq *cq, uint32_t qp_number);

#endif
