/* SPDX-License-Identifier: Apache-2.0 */
/* manager_internal.h -- the struct of a manager, for its life and for what it serves. */
#ifndef LW_OPERATOR_MANAGER_INTERNAL_H
#define LW_OPERATOR_MANAGER_INTERNAL_H

#include <stdatomic.h>

#include <listwatch/manager.h>

#include "base/sync.h"
#include "operator/health_server.h"
#include "operator/poll_set.h"

enum {
    LW_MANAGER_RECONCILERS_MAX = 256,
    LW_MANAGER_CHECKS_MAX = 64,
};

typedef enum lw_manager_state {
    MANAGER_NEW,
    MANAGER_SYNCING,
    MANAGER_ELECTING,
    MANAGER_RUNNING,
    MANAGER_STOPPING, /* the lease is released, events are written */
    MANAGER_STOPPED,
} lw_manager_state;

typedef struct lw_manager_check {
    char *name;
    bool is_ready_check; /* otherwise a health check */
    lw_check_fn fn;
    void *arg;
} lw_manager_check;

struct lw_manager {
    char *name;
    char *lease; /* name of the Lease; NULL: no election */
    lw_logger logger;
    const lw_clock *clock; /* of all parts; NULL: the system clock */
    int stop_timeout_ms;
    bool handles_signals;
    bool has_signals; /* they are being handled now */

    lw_client *client;
    lw_factory *factory;
    lw_recorder *recorder;
    lw_election *election; /* NULL: none */
    lw_async *async;
    lw_health_server *health, *metrics; /* may be the same; NULL: none */
    lw_poll_set polls;

    /* Only the dispatching thread changes what follows; the mutex guards what others read. */
    bool has_threads; /* reconcilers have workers */
    bool is_leader;
    bool has_lost; /* the lease */
    lw_status result;
    lw_error error;
    atomic_int state; /* lw_manager_state */
    atomic_bool must_stop;

    lw_mutex mu; /* guards what follows */
    lw_reconciler *reconcilers[LW_MANAGER_RECONCILERS_MAX];
    size_t reconciler_count;
    lw_manager_check checks[LW_MANAGER_CHECKS_MAX];
    size_t check_count;
};

/* manager_pages.c: answer a request at either address; |arg| is the manager. */
void lw_manager__serve_health(const lw_health_server_request *request,
                              lw_health_server_reply *reply, void *arg);
void lw_manager__serve_metrics(const lw_health_server_request *request,
                               lw_health_server_reply *reply, void *arg);

/* manager_metrics.c: appends all metrics. */
void lw_manager__write_metrics(const lw_manager *manager, lw_buf *out);

#endif
