/* SPDX-License-Identifier: Apache-2.0 */
/* client.h -- the struct of a client, for its sessions and calls.
 *
 * Threads: all members except the pool and the resource cache are set when the client is made. */
#ifndef LW_CLIENT_CLIENT_H
#define LW_CLIENT_CLIENT_H

#include <stdatomic.h>

#include <listwatch/client.h>
#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "base/clock.h"
#include "base/dlist.h"
#include "base/ref.h"
#include "base/sync.h"
#include "client/rate_limit.h"
#include "client/request_counts.h"
#include "client/resource_cache.h"
#include "client/session.h"

enum {
    LW_CLIENT_TIMEOUT_S = 60,
    LW_CLIENT_RETRIES = 10,
    LW_CLIENT_RETRY_WAIT_S = 60,
    LW_CLIENT_QPS_MAX = 1000000,
    LW_CLIENT_IDLE_SESSIONS =
        32, /* idle sessions in the pool; more threads at the same time open new connections */
    LW_CLIENT_PRODUCT_MAX = 128, /* bytes of a field manager: the limit of the API server */
};

struct lw_client {
    lw_ref refs;
    lw_config *config;
    lw_client_options options; /* with defaults; the client owns its strings */
    char *user_agent;
    char *proxy_url;
    const lw_clock *clock;
    lw_rate_limit rate_limit;
    lw_request_counts requests;
    lw_logger logger;
    lw_resource_cache resources;
    atomic_bool is_closed;
    lw_mutex mu; /* guards the members below */
    lw_dlist idle_sessions;
    size_t idle_count;
    lw_dlist active_sessions; /* in use by a blocking call, or of an lw_async */
};

/* Returns the timeout of a call: |timeout_ms|, or that of the client if it is 0. */
int64_t lw_client__timeout_ms(const lw_client *client, int timeout_ms);

/* Add a session to those that lw_client_cancel_all cancels, and remove it; it is not cancelled
 * afterwards. */
void lw_client__activate(lw_client *client, lw_session *session);
void lw_client__deactivate(lw_client *client, lw_session *session);

/* Take a session for exclusive use, and return it.  After a failure of the session itself, free it
 * instead.  LW_ERR_STOPPED: the client is closed, or the reconciler or factory that runs the
 * calling thread is stopped. */
lw_status lw_client__take_session(lw_client *client, lw_session **out, lw_error *err);
void lw_client__return_session(lw_client *client, lw_session *session);

#endif
