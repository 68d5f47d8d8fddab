/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands with the driver's part of their answers. */
#ifndef ROPCIE_PROVIDER_ABI_H
#define ROPCIE_PROVIDER_ABI_H

#include <infiniband/kern-abi.h>
#include <rdma/ropcie-abi.h>
#include <kernel-abi/ropcie-abi.h>

DECLARE_DRV_CMD(ropcie_cmd_alloc_context, IB_USER_VERBS_CMD_GET_CONTEXT, empty,
		ropcie_alloc_ucontext_resp);
DECLARE_DRV_CMD(ropcie_cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH, empty, ropcie_create_ah_resp);
DECLARE_DRV_CMD(ropcie_cmd_create_cq, IB_USER_VERBS_CMD_CREATE_CQ, empty, ropcie_create_cq_resp);
DECLARE_DRV_CMD(ropcie_cmd_create_cq_ex, IB_USER_VERBS_EX_CMD_CREATE_CQ, empty,
		ropcie_create_cq_resp);
DECLARE_DRV_CMD(ropcie_cmd_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ, empty, ropcie_resize_cq_resp);
DECLARE_DRV_CMD(ropcie_cmd_create_qp_ex, IB_USER_VERBS_EX_CMD_CREATE_QP, empty,
		ropcie_create_qp_resp);
DECLARE_DRV_CMD(ropcie_cmd_create_srq_ex, IB_USER_VERBS_CMD_CREATE_XSRQ, empty,
		ropcie_create_srq_resp);
DECLARE_DRV_CMD(ropcie_cmd_modify_srq, IB_USER_VERBS_CMD_MODIFY_SRQ, ropcie_modify_srq_req, empty);

#endif
