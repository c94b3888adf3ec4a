/* SPDX-License-Identifier: Apache-2.0 */
/* reverse_proxy.h -- forwards requests of the server's clients to another server, and its replies
 * to the clients.
 *
 *     client ──▶ lw_http_stream ──▶ lw_reverse_proxy_forward ──▶ lw_http_call ──▶ target
 *     client ◀── begin, write, end ◀────────────────────────── head, data, close ◀── target
 *
 *     asking ──head──▶ replying ──end──▶ done
 *       ├──101──▶ tunnel ──either side closes──▶ done
 *       └──no reply──▶ a Status: 503, 504 or 500 ──▶ done
 *     any ──the client disconnects──▶ the call is cancelled ──▶ done
 *
 * Nothing is held but what the other side has not taken yet: a client that does not read stops the
 * target, and the other way round.  The request's body is complete when it is forwarded.  Headers
 * of one connection (RFC 9110, 7.6.1) are not passed on; X-Forwarded-For is extended.  Upgrades
 * (WebSocket, SPDY) are tunnelled; the client must use HTTP/1.1 for them, as the protocol demands.
 *
 * Threads: forward on the stream's loop; each loop has connections of its own to the target. */
#ifndef LW_SERVER_PROXY_REVERSE_PROXY_H
#define LW_SERVER_PROXY_REVERSE_PROXY_H

#include "net/client/http_client.h"

enum {
    LW_REVERSE_PROXY_HEADERS_MAX = 64,      /* set by lw_proxy_request.headers */
    LW_REVERSE_PROXY_WHOLE_MAX = 64 * 1024, /* a reply of a known, smaller length is sent whole */
    LW_REVERSE_PROXY_REFUSAL_MAX = 2000,    /* bytes of the text of a refusal that are passed on */
    LW_REVERSE_PROXY_TUNNELS_MAX = 1000,    /* of one loop; further upgrades are refused */
    LW_REVERSE_PROXY_IDLE_S = 4 * 3600, /* then a tunnel without bytes is closed, as by kubelets */
    LW_REVERSE_PROXY_QUEUE_HIGH = 256 * 1024, /* queued for the target: the client must wait */
};

typedef struct lw_reverse_proxy lw_reverse_proxy;

/* What is to be forwarded, and how.  All of it is copied. */
typedef struct lw_proxy_request {
    lw_http_target target;
    lw_str path;                   /* with its query; empty: those of the request */
    const lw_http_header *headers; /* set on the request, in place of the client's */
    size_t header_count;
    /* True for a header of the client (in lower case) that is not passed on, in addition to those
     * of the connection; NULL: none. */
    bool (*drops)(lw_str name);
    /* True: a watch, a log that is followed, an upgrade.  It is ended when the server drains. */
    bool is_long_running;
    int64_t timeout_ns;      /* for the whole reply; 0: none */
    int64_t head_timeout_ns; /* until the target begins to answer; 0: none */
    /* A refusal of the target (a status of 400 or more) becomes a Status with its text: the target
     * is not an API server. */
    bool makes_status;
    /* If the target cannot be asked: the beginning of the message, and the status (0: 503).  NULL:
     * as in kube-apiserver, 503 "error trying to reach service", and for an upgrade 500 "error
     * dialing backend". */
    const char *failure;
    int failure_code;
    bool may_retry; /* the client is told to try again in a second, but not by kube-apiserver */
    /* Optional: the head of the reply has arrived, or (status 0) the target has failed. */
    void (*replied)(int status, void *arg);
    void *arg;
} lw_proxy_request;

/* Creates a proxy for requests on these loops.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_reverse_proxy_new(lw_reverse_proxy **out, lw_loop *const *loops,
                                             size_t count);

/* Ends long-running requests; others go on.  Any thread; the loops run.  Once. */
void lw_reverse_proxy_drain(lw_reverse_proxy *proxy);

/* Frees the proxy.  The loops do not run any more, and the server's connections are closed.  NULL
 * does nothing. */
void lw_reverse_proxy_free(lw_reverse_proxy *proxy);

/* Forwards the request of |stream|, whose handler has not replied, and replies to it in any case:
 * if the target cannot be asked, with a Status.  Uses its callbacks and |arg|. */
void lw_reverse_proxy_forward(lw_reverse_proxy *proxy, lw_http_stream *stream,
                              const lw_proxy_request *request);

/* Replies with a Status of |code| and its usual reason. */
void lw_reverse_proxy_refuse(lw_http_stream *stream, int code, lw_str message);

#endif
