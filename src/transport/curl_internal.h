/* SPDX-License-Identifier: Apache-2.0 */
/* curl_internal.h -- what the files around curl share: the transport, its pools, its transfers.
 *
 * A pool is one multi handle: the connections to one endpoint as it was when it was set.  A change
 * of the endpoint makes a new pool; the old one lives until its last transfer has ended.
 *
 * A transfer:
 *
 *     lw_transport_start ──▶ STARTING ──curl_pool_add──▶ RUNNING ──▶ DONE (on_done, then freed)
 *                               └─────── cancel ───────────┴──▶ DOOMED, when curl is at work
 *
 * curl must not be called from its own callbacks, so what they ask for waits in a list until curl
 * has returned: |starting|, |resuming|, |doomed|. */
#ifndef LW_TRANSPORT_CURL_INTERNAL_H
#define LW_TRANSPORT_CURL_INTERNAL_H

#include "base/dlist.h"
#include "base/heap.h"
#include "transport/reply_head.h"
#include "transport/transport.h"
#include "transport/upstream.h"

enum {
    CURL_POOLS_MAX = 8,      /* endpoints whose transfers are still under way */
    CURL_TROUBLE_SIZE = 256, /* curl's own CURL_ERROR_SIZE */
};

typedef struct lw_curl_pool {
    lw_dlist_node link; /* in transport->pools */
    lw_transport *transport;
    void *multi; /* CURLM */
    lw_upstream upstream;
    uint32_t id;         /* tells events of a pool that is gone from ours */
    int64_t deadline_ns; /* when curl wants to be called, by the system's clock; LW_NEVER_NS */
    lw_dlist running;
    size_t transfers;        /* that belong here, starting ones too */
    size_t connection_limit; /* as curl was told */
    bool is_http1;           /* the server does not speak HTTP/2 */
    bool is_broken;          /* a socket could not be watched */
    bool is_abandoned;       /* too old: its transfers are to end */
    bool is_suspect;         /* a connection said nothing for too long: no new transfers on it */
} lw_curl_pool;

struct lw_transport {
    int epoll_fd;
    lw_transport_options options; /* without zeroes */
    lw_dlist pools;
    lw_curl_pool *current; /* in pools; NULL: no endpoint yet */
    uint32_t last_pool_id;
    lw_dlist starting, resuming, doomed;
    lw_heap deadlines;
    size_t transfers;
    int64_t now_ns; /* of this dispatch, by the clock of the options */
    lw_transport_stats stats;
    bool is_in_curl;     /* curl may be calling back */
    bool is_dispatching; /* pools must stay */
};

typedef enum curl_transfer_state {
    TRANSFER_STARTING,
    TRANSFER_RUNNING,
    TRANSFER_DOOMED,
    TRANSFER_DONE,
} curl_transfer_state;

struct lw_transfer {
    lw_dlist_node link;        /* in starting, pool->running or doomed */
    lw_dlist_node resume_link; /* in resuming */
    lw_heap_node deadline;     /* in deadlines, when it has a timeout */
    int64_t deadline_ns;       /* when to look; the true one may be later by now */
    lw_curl_pool *pool;
    curl_transfer_state state;
    void *easy;                 /* CURL */
    void *headers, *connect_to; /* struct curl_slist */
    char *body;
    lw_transfer_options options; /* only callbacks, arg and timeouts; strings are gone */
    int64_t started_ns;
    int64_t active_ns; /* when the last byte moved */
    int64_t sent;      /* bytes of the body, when it was last looked at */
    lw_transport_reply_head head;
    const char *fault;               /* what made us end it; NULL: nothing */
    bool wants_pause;                /* the consumer */
    bool is_paused;                  /* curl holds back what it has */
    char trouble[CURL_TROUBLE_SIZE]; /* what curl says of it */
};

/* curl_pool.c */
lw_status curl_pool_new(lw_curl_pool **out, lw_transport *transport, lw_upstream *upstream_take,
                        lw_error *err);
void curl_pool_free(lw_curl_pool *pool);
/* A new multi handle for one that is broken and has no transfers left. */
void curl_pool_mend(lw_curl_pool *pool);
bool curl_pool_add(lw_curl_pool *pool, lw_transfer *transfer);
void curl_pool_remove(lw_curl_pool *pool, lw_transfer *transfer);
/* One turn of curl for a socket (|events| as epoll has them), or for its clock. */
void curl_pool_socket(lw_curl_pool *pool, int fd, uint32_t events);
void curl_pool_clock(lw_curl_pool *pool);
/* Lets curl open as many connections as the transfers need. */
void curl_pool_adjust(lw_curl_pool *pool);
/* The next transfer that curl is done with, removed from it; NULL: no more. */
lw_transfer *curl_pool_next_done(lw_curl_pool *pool, int *code);

/* curl_transport.c */
/* Where new transfers belong; a pool of its own when the one there was is suspect. */
lw_curl_pool *curl_transport_pool(lw_transport *transport);

/* curl_setup.c */
lw_status curl_setup_transfer(lw_transfer *transfer, const lw_transfer_options *options,
                              lw_error *err);

/* curl_socket.c */
void curl_socket_setup(lw_transfer *transfer, unsigned *bad);

/* curl_transfer.c */
size_t curl_transfer_on_header(char *bytes, size_t size, size_t count, void *arg);
size_t curl_transfer_on_body(char *bytes, size_t size, size_t count, void *arg);
/* The moment at which it has taken too long; LW_NEVER_NS. */
int64_t curl_transfer_due_ns(lw_transfer *transfer);
/* Tells the owner and frees it; it is in no multi any more. */
void curl_transfer_finish(lw_transfer *transfer, const lw_transfer_result *result);
void curl_transfer_free(lw_transfer *transfer);
void curl_transfer_resume(lw_transfer *transfer);

/* curl_result.c */
void curl_result_of_code(lw_transfer *transfer, int code, lw_transfer_result *result);
void curl_result_timeout(lw_transfer *transfer, lw_transfer_result *result);
void curl_result_abandoned(lw_transfer *transfer, lw_transfer_result *result);

#endif
