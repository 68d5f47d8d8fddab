/*
 * NT endpoint of an emulated Switchtec switch: waiting for the peers
 *
 * A thread of its own instead of the main loop, which has other descriptors
 * and timers to look after before it comes to a doorbell.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <poll.h>
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "switchtec-ntb.h"

static void *service_main(void *opaque)
{
    SwitchtecNtb *s = opaque;
    struct pollfd fds[] = {
        { .fd = ntb_endpoint_fd(s->endpoint), .events = POLLIN },
        { .fd = event_notifier_get_fd(&s->service_stop), .events = POLLIN },
    };
    bool done = false;

    rcu_register_thread();
    while (!done) {
        if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR) {
            break;
        }
        bql_lock();
        done = fds[1].revents || s->lost;
        if (!done) {
            ntb_endpoint_service(s->endpoint);
        }
        bql_unlock();
    }
    rcu_unregister_thread();
    return NULL;
}

bool switchtec_ntb_service_start(SwitchtecNtb *s, Error **errp)
{
    int r = event_notifier_init(&s->service_stop, 0);

    if (r < 0) {
        error_setg_errno(errp, -r, "cannot make an event notifier");
        return false;
    }
    qemu_thread_create(&s->service_thread, "switchtec-ntb", service_main, s,
                       QEMU_THREAD_JOINABLE);
    s->service_running = true;
    return true;
}

void switchtec_ntb_service_stop(SwitchtecNtb *s)
{
    if (!s->service_running) {
        return;
    }
    event_notifier_set(&s->service_stop);
    /* It may be waiting for the lock that we hold. */
    bql_unlock();
    qemu_thread_join(&s->service_thread);
    bql_lock();
    event_notifier_cleanup(&s->service_stop);
    s->service_running = false;
}
