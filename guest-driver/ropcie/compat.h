/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that this module is built for (6.1 and 6.12). Only this and compat_rdma.h
 * ask for a version.
 */
#ifndef ROPCIE_COMPAT_H
#define ROPCIE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/ntb.h>
#include <linux/uio.h>
#include <linux/version.h>

/* Named since 6.2. */
#ifndef ITER_SOURCE
#define ITER_SOURCE	WRITE
#define ITER_DEST	READ
#endif

static inline void ropcie_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

/* ntb_get_dma_dev() came in 6.18, and with stable kernels; before, it was always the parent. */
static inline struct device *ropcie_dma_device(struct ntb_dev *ntb)
{
	return ntb->dev.parent;
}

#endif
