/* SPDX-License-Identifier: Apache-2.0 */
/* client.h -- what a client is made of, for its sessions and its calls.
 *
 * Threads: everything but the pool and the cache of resources is fixed when the client is made. */
#ifndef LW_CLIENT_CLIENT_H
#define LW_CLIENT_CLIENT_H

#include <listwatch/client.h>
#include <listwatch/sys/clock.h>

#include "base/cancel.h"
#include "base/dlist.h"
#include "base/ref.h"
#include "base/sync.h"
#include "client/resource_cache.h"
#include "client/session.h"

enum {
    LW_CLIENT_TIMEOUT_S = 60,
    LW_CLIENT_IDLE_SESSIONS =
        8, /* kept for the next call; more threads than this at once connect anew */
    LW_CLIENT_PRODUCT_MAX = 128, /* bytes of a field manager: the API server's bound */
};

struct lw_client {
    lw_ref refs;
    lw_config *config;
    lw_client_options options; /* with the defaults filled in; user_agent is ours */
    char *user_agent;
    const lw_clock *clock;
    lw_resource_cache resources;
    lw_cancel closed; /* fired: no call goes on */
    lw_mutex mu;      /* the two below */
    lw_dlist idle_sessions;
    size_t idle_count;
};

/* A session that nobody else uses, and back.  After a failure of the session itself free it
 * instead.  LW_ERR_STOPPED: the client is closed, or whoever runs the calling thread is stopped. */
lw_status lw_client__take_session(lw_client *client, lw_session **out, lw_error *err);
void lw_client__return_session(lw_client *client, lw_session *session);

#endif
