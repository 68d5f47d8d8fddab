/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs as the port sees them. */
#ifndef ROPCIE_TRANSPORT_H
#define ROPCIE_TRANSPORT_H

#include "qp.h"

/* The peer of a reliable connection is gone: what is under way ends with RETRY_EXC, the rest is flushed. */
void ropcie_qp_lost_peer(struct ropcie_qp *qp);

#endif
