/* SPDX-License-Identifier: Apache-2.0 */
/* client.h -- internals of a client: its options, its connections, and who waits for one.
 *
 * One connection is the current one: new calls use it.  The client leaves it if it fails or if its
 * member does not respond correctly; calls in progress stay on it until they end.
 *
 *     none ── lw_etcd__enter ──▶ dialling ──▶ up ── lw_etcd__move_on ──▶ left ──▶ freed after
 *      ▲                            └─────────┴── on_down ──▶ freed               the last call
 *      └── after a backoff, if every member has failed */
#ifndef LW_ETCD_CLIENT_H
#define LW_ETCD_CLIENT_H

#include "base/backoff.h"
#include "base/dlist.h"
#include "etcd/endpoints.h"
#include "etcd/etcd.h"
#include "net/h2/h2_client.h"

/* A connection to a member. */
typedef struct lw_etcd_link {
    lw_dlist_node node; /* in etcd->links */
    lw_etcd *etcd;
    lw_h2_client *h2;
    size_t endpoint;   /* index of the member */
    size_t streams;    /* number of calls and watches on it */
    uint64_t activity; /* increases with everything that is received on it */
    bool is_up;
} lw_etcd_link;

/* Waits for a connection or for the token; must be zeroed. */
typedef struct lw_etcd_waiter {
    lw_dlist_node node;
    /* Try again; or, with an error, fail. */
    void (*wake)(struct lw_etcd_waiter *waiter, const lw_error *err);
} lw_etcd_waiter;

struct lw_etcd {
    lw_loop *loop;
    lw_logger logger;
    lw_etcd_endpoints endpoints;
    lw_tls_context *tls;
    lw_random random;
    int request_timeout_ms, connect_timeout_ms, keepalive_ms, keepalive_timeout_ms;

    lw_dlist links;
    lw_etcd_link *current; /* NULL: none */
    size_t next_endpoint;  /* the member to connect to next */
    size_t failures;       /* consecutive failures of members, without a reply in between */
    lw_backoff backoff;    /* applied after every member has failed */
    int64_t dial_at_ns;    /* no connection attempt before this time */
    lw_timer dial_timer;
    lw_dlist waiters;
    lw_error last_failure; /* the last connection error; code LW_OK: none yet */

    lw_dlist calls, watches;
    size_t call_count; /* number of calls and watches */

    char *user, *password;
    char *token;               /* NULL: none */
    uint64_t token_generation; /* increases with each new token */
    bool is_token_useless;     /* etcd has reported that authentication is disabled */
    lw_etcd_call *token_call;  /* the call that gets a token */
};

/* Returns the current time, even between two iterations of the loop. */
int64_t lw_etcd__now(const lw_etcd *etcd);

/* Adds the caller's stream to the current connection, and connects first if needed.  LW_OK;
 * LW_ERR_STOPPED: not yet, |waiter| will be woken; LW_ERR_NOMEM, LW_ERR_TOO_MANY, ... */
lw_status lw_etcd__enter(lw_etcd *etcd, lw_etcd_waiter *waiter, bool needs_token,
                         lw_etcd_link **out, lw_error *err);

/* Stops waiting; does nothing if it does not wait. */
void lw_etcd__stop_waiting(lw_etcd_waiter *waiter);

/* The caller's stream on |*link| has ended; sets |*link| to NULL and may free it. */
void lw_etcd__leave(lw_etcd_link **link);

/* Records that the member of |link| has replied. */
void lw_etcd__heard(lw_etcd_link *link);

/* Leaves |link|: the next call uses another member. */
void lw_etcd__move_on(lw_etcd_link *link);

/* Wakes all waiters. */
void lw_etcd__wake(lw_etcd *etcd, const lw_error *err);

/* Initializes the connections of a new client, whose endpoints are set.  lw_etcd__links_done closes
 * all connections without a callback. */
lw_status lw_etcd__links_init(lw_etcd *etcd);
void lw_etcd__links_done(lw_etcd *etcd);

/* Returns LW_OK if there is a token or none is needed; LW_ERR_STOPPED: it has been requested. See
 * token.c. */
lw_status lw_etcd__token_ready(lw_etcd *etcd, lw_error *err);
/* The token of |generation| was rejected. */
void lw_etcd__token_refused(lw_etcd *etcd, uint64_t generation);

/* Frees user, password and token. */
void lw_etcd__token_done(lw_etcd *etcd);

/* Returns the URL of the member, for messages. */
static inline const char *lw_etcd__url(const lw_etcd_link *link)
{
    return link->etcd->endpoints.items[link->endpoint].url;
}

#endif
