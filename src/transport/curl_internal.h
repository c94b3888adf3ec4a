/* SPDX-License-Identifier: Apache-2.0 */
/* curl_internal.h -- declarations shared by the files around curl: the transport, its pools, its
 * transfers.
 *
 * A pool is one multi handle: the connections to one endpoint.  A change of the endpoint makes a
 * new pool; the old one is freed after its last transfer has ended.
 *
 * A transfer:
 *   lw_transport_start ──▶ STARTING ──curl_pool_add──▶ RUNNING ──▶ DONE (on_done, then freed)
 *                             │                          ├──▶ OPEN (a tunnel) ──▶ DONE
 *                             └─────── cancel ───────────┴──▶ DOOMED, if curl is running
 *
 * Short requests (curl_exchange.c) become OPEN as well, and their connections IDLE.
 *
 * curl must not be called from its own callbacks, so their requests wait in a list until curl has
 * returned: |starting|, |resuming|, |doomed|. */
#ifndef LW_TRANSPORT_CURL_INTERNAL_H
#define LW_TRANSPORT_CURL_INTERNAL_H

#include "base/dlist.h"
#include "base/heap.h"
#include "transport/reply_head.h"
#include "transport/transport.h"
#include "transport/upstream.h"

enum {
    CURL_POOLS_MAX = 8,      /* endpoints with transfers in progress */
    CURL_TROUBLE_SIZE = 256, /* CURL_ERROR_SIZE of curl */
};

typedef struct lw_curl_pool {
    lw_dlist_node link; /* in transport->pools */
    lw_transport *transport;
    void *multi; /* CURLM */
    lw_upstream upstream;
    lw_origin origin;    /* of upstream.server */
    uint32_t id;         /* distinguishes events of a freed pool */
    int64_t deadline_ns; /* time of the next call of curl, on the system clock; LW_NEVER_NS */
    lw_dlist running;
    lw_dlist tunnels;    /* open ones: curl has finished with them but for their connections */
    size_t tunnel_count; /* including starting ones */
    lw_dlist idle;       /* connections that wait for a short request */
    size_t idle_count;
    size_t transfers;        /* transfers of this pool, including starting ones */
    size_t connection_limit; /* the value that was set in curl */
    bool is_http1;           /* the server does not support HTTP/2 */
    bool has_proxy;          /* requests go, or may go, by a proxy */
    bool is_broken;          /* a socket could not be added to epoll */
    bool is_abandoned;       /* too old: its transfers are ended */
    bool is_suspect;         /* a connection was silent for too long: no new transfers on it */
} lw_curl_pool;

struct lw_transport {
    int epoll_fd;
    lw_transport_options options; /* with defaults */
    lw_dlist pools;
    lw_curl_pool *current; /* in pools; NULL: no endpoint yet */
    uint32_t last_pool_id;
    lw_dlist starting, resuming, doomed;
    lw_heap deadlines;
    size_t transfers;
    int64_t now_ns; /* time of this dispatch, on the clock of the options */
    lw_transport_stats stats;
    lw_transport_watch *watches;
    bool is_in_curl;     /* curl is running and may call back */
    bool is_dispatching; /* pools must not be freed */
};

typedef enum curl_transfer_state {
    TRANSFER_STARTING,
    TRANSFER_RUNNING,
    TRANSFER_OPEN, /* a tunnel or an exchange that is connected */
    TRANSFER_IDLE, /* a connection that waits for the next exchange */
    TRANSFER_DOOMED,
    TRANSFER_DONE,
} curl_transfer_state;

typedef struct lw_exchange lw_exchange;

struct lw_transfer {
    lw_dlist_node link;        /* in starting, pool->running or doomed */
    lw_dlist_node resume_link; /* in resuming */
    lw_heap_node deadline;     /* in deadlines, if it has a timeout */
    int64_t deadline_ns;       /* when to check; the real deadline may be later */
    lw_curl_pool *pool;
    curl_transfer_state state;
    void *easy;                 /* CURL */
    void *headers, *connect_to; /* struct curl_slist */
    lw_exchange *exchange;      /* of a short request; otherwise NULL */
    char *body;                 /* of a tunnel: the head of the request, then what is being sent */
    size_t body_len, body_sent; /* of a tunnel or an exchange */
    bool is_asked;              /* of a tunnel: the request was sent */
    int fd;                     /* of a tunnel or an exchange that is open */
    bool wants_read, wants_write;
    lw_transfer_options
        options; /* only callbacks, arg and timeouts; strings are not valid any more */
    int64_t started_ns;
    int64_t active_ns; /* time of the last byte sent or received */
    int64_t sent;      /* bytes of the body sent at the last check */
    lw_transport_reply_head head;
    const char *fault;               /* why the transport ended it; NULL: no reason */
    bool wants_pause;                /* the consumer wants a pause */
    bool is_paused;                  /* curl is paused */
    char trouble[CURL_TROUBLE_SIZE]; /* error message of curl */
};

/* curl_pool.c */
lw_status curl_pool_new(lw_curl_pool **out, lw_transport *transport, lw_upstream *upstream_take,
                        lw_error *err);
void curl_pool_free(lw_curl_pool *pool);
/* Makes a new multi handle for a broken pool without transfers. */
void curl_pool_repair(lw_curl_pool *pool);
bool curl_pool_add(lw_curl_pool *pool, lw_transfer *transfer);
void curl_pool_remove(lw_curl_pool *pool, lw_transfer *transfer);
/* Runs curl for a socket (|events| of epoll), or for its timer. */
void curl_pool_socket(lw_curl_pool *pool, int fd, uint32_t events);
void curl_pool_clock(lw_curl_pool *pool);
/* Sets the limit of connections to what the transfers need. */
void curl_pool_adjust(lw_curl_pool *pool);
/* Returns the next transfer that curl has finished, to be removed from it; NULL: none. */
lw_transfer *curl_pool_next_done(lw_curl_pool *pool, int *code);

/* curl_transport.c */
/* Returns the pool for new transfers; makes a new one if the current one is suspect. */
lw_curl_pool *curl_transport_pool(lw_transport *transport);

/* curl_setup.c */
lw_status curl_setup_transfer(lw_transfer *transfer, const lw_transfer_options *options,
                              lw_error *err);
/* Rejects characters that could inject another header or request. */
lw_status curl_setup_check(const lw_transfer_options *options, lw_error *err);
/* Makes a handle that only connects, never by a proxy.  LW_ERR_NOMEM. */
lw_status curl_setup_connection(lw_transfer *transfer, lw_error *err);

/* curl_socket.c */
void curl_socket_setup(lw_transfer *transfer, unsigned *bad);

/* curl_tunnel.c */
lw_status curl_tunnel_setup(lw_transfer *transfer, const lw_transfer_options *options,
                            lw_error *err);
/* curl has connected it: sends the request. */
void curl_tunnel_open(lw_transfer *transfer);
/* Returns true if |fd| is that of a tunnel, which has been called back. */
bool curl_tunnel_event(lw_curl_pool *pool, int fd);
/* Calls on_ready, or sends the rest of the request. */
void curl_tunnel_run(lw_transfer *transfer);

/* curl_exchange.c */
bool curl_exchange_is_possible(const lw_curl_pool *pool);
/* Returns an idle connection, which is OPEN then; NULL: none. */
lw_transfer *curl_exchange_take_idle(lw_curl_pool *pool, int64_t now_ns);
/* Prepares a new transfer or an idle connection for a request. */
lw_status curl_exchange_setup(lw_transfer *transfer, const lw_transfer_options *options,
                              lw_error *err);
/* Sends and receives what is possible. */
void curl_exchange_run(lw_transfer *transfer);
/* Returns true if |fd| is that of an idle connection, which has been closed. */
bool curl_exchange_idle_event(lw_curl_pool *pool, int fd);
void curl_exchange_close_idle(lw_curl_pool *pool);
void curl_exchange_free(lw_exchange *exchange);

/* curl_watch.c */
/* Sets what |fd| is polled for; with nothing, it is not in the set at all, because epoll would
 * report a broken connection again and again.  |key| identifies its events. */
bool curl_watch_poll(lw_transport *transport, int fd, uint64_t key, bool reads, bool writes);
void curl_watch_event(lw_transport *transport, int fd);

/* curl_transfer.c */
size_t curl_transfer_on_header(char *bytes, size_t size, size_t count, void *arg);
size_t curl_transfer_on_body(char *bytes, size_t size, size_t count, void *arg);
/* Returns the time at which the transfer times out; LW_NEVER_NS. */
int64_t curl_transfer_due_ns(lw_transfer *transfer);
/* Calls on_done and frees the transfer, which is in no multi handle any more. */
void curl_transfer_finish(lw_transfer *transfer, const lw_transfer_result *result);
void curl_transfer_free(lw_transfer *transfer);
/* Removes the transfer from all lists except its own. */
void curl_transfer_forget(lw_transfer *transfer);
void curl_transfer_resume(lw_transfer *transfer);

/* curl_result.c */
void curl_result_of_code(lw_transfer *transfer, int code, lw_transfer_result *result);
void curl_result_timeout(lw_transfer *transfer, lw_transfer_result *result);
void curl_result_abandoned(lw_transfer *transfer, lw_transfer_result *result);

#endif
