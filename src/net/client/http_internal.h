/* SPDX-License-Identifier: Apache-2.0 */
/* http_internal.h -- internals of the HTTP client, for http_*.c.
 *
 *     http_client.c   the client, and which pool a call belongs to
 *     http_request.c  checks and copies a request
 *     http_call.c     a call as its owner sees it
 *     http_ask.c      the simple form
 *     http_pool.c     gives waiting calls to connections, and dials
 *     http_conn.c     one connection: dial, TLS, idle, close
 *     http_conn_h1.c  a call on an HTTP/1.1 connection
 *     http_conn_h2.c  calls on an HTTP/2 connection (h2_client.h)
 *
 * Owner's callbacks run only from events of connections, timers and deferred tasks, and may do
 * everything, including lw_http_client_free.  So after a callback, a connection must check that it
 * still has the call; connections, pools and the client exist until the end of the batch. */
#ifndef LW_NET_CLIENT_HTTP_INTERNAL_H
#define LW_NET_CLIENT_HTTP_INTERNAL_H

#include "base/dlist.h"
#include "base/map.h"
#include "base/ref.h"
#include "net/client/http_client.h"
#include "net/conn_queue.h"
#include "net/dial/dial.h"
#include "net/h1/h1_parse.h"
#include "net/h2/h2_client.h"
#include "net/h2/h2_pieces.h"
#include "net/tls/tls_stream.h"

enum {
    LW_HTTP_CLIENT_READ_SIZE = 64 * 1024,   /* bytes read at once */
    LW_HTTP_CLIENT_GATHER_SIZE = 16 * 1024, /* bytes of a full TLS record */
};

typedef struct lw_http_pool lw_http_pool;
typedef struct lw_http_conn lw_http_conn;
typedef struct lw_http_ask lw_http_ask;

struct lw_http_client {
    lw_loop *loop;
    lw_map pools;        /* by lw_http_pool.key */
    lw_http_pool *last;  /* of |pools|: that of the last call; NULL: none */
    lw_dlist calls;      /* lw_http_call.all */
    size_t call_count;   /* in |calls| */
    char *read, *gather; /* buffers of the connection whose event is handled */
    lw_task deleting;
    bool is_freed; /* by its owner: deleted at the end of the batch */
};

/* The connections and the waiting calls of one target. */
struct lw_http_pool {
    lw_http_client *client;
    lw_str key; /* all of the target, a view of |key_text| */
    char *key_text;
    char *host;
    char *authority; /* value of Host */
    char *name;      /* the certificate must match it */
    bool has_names;  /* the target has both of them, and not NULL */
    uint16_t port;
    lw_tls_context *tls;
    lw_dlist waiting; /* lw_http_call.link, oldest first */
    lw_dlist conns;   /* lw_http_conn.link: all but the idle ones */
    lw_dlist idle;    /* lw_http_conn.link, the last used first */
    size_t waiting_count;
    size_t call_count;     /* calls that belong to the pool, waiting or not */
    size_t conn_count;     /* in both lists */
    size_t dialling_count; /* of them, those that will take a waiting call */
    bool is_h1;            /* the server is known to use HTTP/1.1 */
    lw_http_conn *h2;      /* the HTTP/2 connection that takes new calls; NULL: none */
    lw_task settling;
};

typedef enum lw_http_conn_stage {
    LW_HTTP_CONN_DIALLING,
    LW_HTTP_CONN_SECURING, /* the TLS handshake */
    LW_HTTP_CONN_IDLE,
    LW_HTTP_CONN_BUSY,
    LW_HTTP_CONN_H2,     /* shared by any number of calls */
    LW_HTTP_CONN_CLOSED, /* to be deleted at the end of the batch */
} lw_http_conn_stage;

struct lw_http_conn {
    lw_http_client *client;
    lw_http_pool *pool; /* NULL: closed */
    lw_dlist_node link;
    lw_http_conn_stage stage;
    lw_dial *dial;
    lw_io io; /* fd -1: not connected */
    lw_tls_stream *tls;
    lw_timer timer; /* until it is connected, or as long as it is idle */
    lw_task settling;
    lw_conn_queue queue; /* to be written */
    lw_h1_parser parser;
    lw_http_call *call; /* its call; while dialling, the one that it is for: NULL: any */
    lw_h2_client *h2;   /* NULL: not an HTTP/2 connection */
    size_t h2_calls;    /* on |h2| */
    unsigned informational_count;
    bool keeps_alive;
    bool was_used;  /* it has served a call: the server may have closed it since */
    bool has_reply; /* a byte of the reply has arrived */
    bool is_bound;  /* dialled for one call */
    bool is_upgraded;
    bool is_blocked;    /* the socket did not accept all bytes */
    bool is_write_lost; /* the server does not read any more; it may have replied */
    bool is_draining;   /* the owner is told when the queue is empty */
    bool is_end_due;    /* our side ends when the queue is empty */
};

/* The body of a request, kept to be sent once more. */
typedef struct lw_http_body {
    lw_ref refs;
    lw_bytes bytes;
} lw_http_body;

struct lw_http_call {
    lw_http_client *client;
    lw_http_pool *pool;
    lw_dlist_node all;  /* in client->calls */
    lw_dlist_node link; /* in pool->waiting */
    lw_http_call_sink sink;
    lw_http_conn *conn; /* NULL: waiting, or ending */
    lw_h2_call *h2;     /* NULL: not on an HTTP/2 connection */
    int status;         /* of the reply; 0: its head is not complete */
    lw_http_ask *ask;   /* NULL: not the simple form */
    lw_str method, path;
    lw_http_header *headers; /* names in lower case */
    size_t header_count;
    lw_http_body *body;  /* NULL: none, or streamed */
    lw_h2_pieces early;  /* of a streamed body: sent before there was a connection */
    lw_timer timer;      /* at wait_until_ns while it waits, then at deadline_ns */
    int64_t deadline_ns; /* 0: none */
    int64_t wait_until_ns;
    lw_task ending; /* linked: it ends with |err| at the end of the batch */
    lw_error err;
    size_t reply_max; /* 0: unlimited */
    size_t reply_len;
    bool is_streamed, is_upgrade;
    bool is_ended; /* nothing more is sent */
    bool needs_new_conn;
    bool is_retried; /* on another HTTP/2 connection */
    bool is_paused;
    bool is_closed; /* on_close is running */
};

/* http_request.c -- checks the options and copies the request to a new call, which is in no list.
 * Takes ownership of the body.  LW_ERR_INVALID, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_http_request__new(lw_http_call **out, lw_http_call_options *options, lw_error *err);

/* Appends the request line and the headers for HTTP/1.1. */
void lw_http_request__write_head(const lw_http_call *call, lw_buf *out);

/* Returns a reference to the body of |call|. */
lw_bytes lw_http_request__body(const lw_http_call *call);

/* Frees a call that is in no list. */
void lw_http_request__free(lw_http_call *call);

/* http_call.c -- reports the end to the owner and frees the call.  |err| NULL: success.  Its
 * connection is closed, unless it has given the call back before. */
void lw_http_call__close(lw_http_call *call, const lw_error *err);

/* Closes the call with "target: |reason|" at the end of the batch. */
void lw_http_call__fail_soon(lw_http_call *call, lw_status st, const char *reason);

/* Frees the call without a callback. */
void lw_http_call__drop(lw_http_call *call);

/* Sets the timer of a call that waits, or has a connection now.  LW_ERR_NOMEM. */
lw_status lw_http_call__set_timer(lw_http_call *call);
void lw_http_call__timer_fired(lw_timer *timer);
void lw_http_call__end(lw_task *task);

/* http_ask.c */
void lw_http_ask__free(lw_http_ask *ask);

/* Reports a piece of the reply's body.  The call may be gone afterwards. */
void lw_http_call__take_data(lw_http_call *call, lw_str bytes);

/* Ends the call if |len| more bytes exceed its limit: false. */
bool lw_http_call__has_room(lw_http_call *call, uint64_t len);

/* True if its request has been given to a connection. */
bool lw_http_call__is_started(const lw_http_call *call);

/* http_pool.c -- finds or creates the pool of |target|.  LW_ERR_INVALID, LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_http_pool__of(lw_http_pool **out, lw_http_client *client, const lw_http_target *target,
                           lw_error *err);
void lw_http_pool__delete(lw_http_pool *pool);

/* Adds |call| to those that wait; |is_first|: it has waited before. */
void lw_http_pool__wait(lw_http_pool *pool, lw_http_call *call, bool is_first);
void lw_http_pool__stop_waiting(lw_http_call *call);

/* Serves waiting calls, or deletes the pool, at the end of the batch. */
void lw_http_pool__settle_soon(lw_http_pool *pool);

/* A connection for any call could not be established. */
void lw_http_pool__dial_failed(lw_http_pool *pool, const lw_error *err);

/* http_conn.c -- starts to connect, for |call| or (NULL) any.  LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_http_conn__new(lw_http_pool *pool, lw_http_call *call, int64_t deadline_ns,
                            lw_error *err);

/* Closes the connection; its call must have been taken from it.  Deleted at the end of the
 * batch. */
void lw_http_conn__close(lw_http_conn *conn);

/* The connection has no call any more, and can take another. */
void lw_http_conn__become_idle(lw_http_conn *conn);

/* Removes |conn| from the idle ones. */
void lw_http_conn__leave_idle(lw_http_conn *conn);

/* The connection is lost: its call is retried or ends with "target: reason". */
void lw_http_conn__fail(lw_http_conn *conn, lw_status st, const char *format, ...) LW_PRINTF(3, 4);

/* Writes what is queued at the end of the batch. */
void lw_http_conn__settle_soon(lw_http_conn *conn);

/* http_conn_h1.c -- sends the request of |call|.  Reports nothing: on errors the call ends at the
 * end of the batch. */
void lw_http_conn__start(lw_http_conn *conn, lw_http_call *call);

/* Queues a piece of a streamed body or of an upgraded connection. */
lw_status lw_http_conn__send(lw_http_conn *conn, lw_bytes bytes, bool is_last);

/* Reads and handles what the server sends. */
void lw_http_conn__read(lw_http_conn *conn);

/* Writes the queue to the socket as far as possible. */
void lw_http_conn__flush(lw_http_conn *conn);

/* http_conn_h2.c -- the server has selected HTTP/2. */
void lw_http_conn__become_h2(lw_http_conn *conn);

/* True if |conn| takes new calls. */
bool lw_http_conn__accepts_h2(const lw_http_conn *conn);

/* As lw_http_conn__start. */
void lw_http_conn__start_h2(lw_http_conn *conn, lw_http_call *call);

/* Takes |call| from its connection; resets its stream if it has not ended. */
void lw_http_conn__detach_h2(lw_http_call *call);

#endif
