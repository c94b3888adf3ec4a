/* SPDX-License-Identifier: Apache-2.0 */
/* client.h -- the inside of a client: its options, its connections, who waits for one.
 *
 * One connection at a time is the current one: new calls go there.  It is left when it fails or its
 * member does not answer as it should; calls under way stay on it until they end.
 *
 *     none ── lw_etcd__enter ──▶ dialling ──▶ up ── lw_etcd__move_on ──▶ left ── last call ──▶
 * freed ▲                           └───────────┴── on_down ──▶ freed └── after a pause, when each
 * member failed in turn */
#ifndef LW_ETCD_CLIENT_H
#define LW_ETCD_CLIENT_H

#include "base/backoff.h"
#include "base/dlist.h"
#include "etcd/endpoints.h"
#include "etcd/etcd.h"
#include "net/h2_client.h"

/* A connection to a member. */
typedef struct lw_etcd_link {
    lw_dlist_node node; /* in etcd->links */
    lw_etcd *etcd;
    lw_h2_client *h2;
    size_t endpoint;   /* which member */
    size_t streams;    /* calls and watches on it */
    uint64_t activity; /* grows with what comes on any of them */
    bool is_up;
} lw_etcd_link;

/* Somebody who waits for a connection or for the token; starts zeroed. */
typedef struct lw_etcd_waiter {
    lw_dlist_node node;
    /* Try again; or, with an error, give up. */
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
    size_t next_endpoint;  /* the member to dial next */
    size_t failures;       /* of members one after the other, without an answer in between */
    lw_backoff backoff;    /* between rounds of them */
    int64_t dial_at_ns;    /* not before */
    lw_timer dial_timer;
    lw_dlist waiters;
    lw_error last_failure; /* of a connection; code LW_OK: none yet */

    lw_dlist calls, watches;
    size_t call_count; /* of both */

    char *user, *password;
    char *token;               /* NULL: none */
    uint64_t token_generation; /* grows with each */
    bool is_token_useless;     /* etcd says that it knows no users */
    lw_etcd_call *token_call;  /* asks for one */
};

/* The time now, also between two turns of the loop. */
int64_t lw_etcd__now(const lw_etcd *etcd);

/* The current connection, dialled if need be, with the caller as one more stream on it.  LW_OK;
 * LW_ERR_STOPPED: not now, |waiter| will be woken; LW_ERR_NOMEM, LW_ERR_TOO_MANY, ... */
lw_status lw_etcd__enter(lw_etcd *etcd, lw_etcd_waiter *waiter, bool needs_token,
                         lw_etcd_link **out, lw_error *err);

/* Stops waiting; does nothing when it does not wait. */
void lw_etcd__stop_waiting(lw_etcd_waiter *waiter);

/* The caller's stream on |*link| is over; |*link| is NULL then, and may be freed. */
void lw_etcd__leave(lw_etcd_link **link);

/* |link| answered: its member lives. */
void lw_etcd__heard(lw_etcd_link *link);

/* |link| or its member is not what one wants: the next call goes elsewhere. */
void lw_etcd__move_on(lw_etcd_link *link);

/* Wakes everybody who waits. */
void lw_etcd__wake(lw_etcd *etcd, const lw_error *err);

/* The part of a new client that is about connections; the endpoints are there.  LW_ERR_INVALID
 * never comes.  And its end: all connections are closed without a callback. */
lw_status lw_etcd__links_init(lw_etcd *etcd);
void lw_etcd__links_done(lw_etcd *etcd);

/* Token: see token.c.  LW_OK: there is one, or none is needed; LW_ERR_STOPPED: it is being asked
 * for. */
lw_status lw_etcd__token_ready(lw_etcd *etcd, lw_error *err);
/* The token of |generation| was not accepted. */
void lw_etcd__token_refused(lw_etcd *etcd, uint64_t generation);

/* Forgets user, password and token. */
void lw_etcd__token_done(lw_etcd *etcd);

/* The URL of a member, for people. */
static inline const char *lw_etcd__url(const lw_etcd_link *link)
{
    return link->etcd->endpoints.items[link->endpoint].url;
}

#endif
