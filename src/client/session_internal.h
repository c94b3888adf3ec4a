/* SPDX-License-Identifier: Apache-2.0 */
/* session_internal.h -- the struct of a session, for the files that implement session.h and the
 * pool of the client. */
#ifndef LW_CLIENT_SESSION_INTERNAL_H
#define LW_CLIENT_SESSION_INTERNAL_H

#include <listwatch/list_reader.h>

#include "base/dlist.h"
#include "base/heap.h"
#include "base/thread/cancel.h"
#include "client/client.h"
#include "client/discovery.h"
#include "client/response.h"
#include "client/session.h"
#include "kubeconfig/credentials.h"
#include "transport/transport.h"

enum {
    LW_SESSION_BODY_MAX = 64 * 1024 * 1024,     /* bytes of a plain response */
    LW_SESSION_REQUEST_MAX = 128 * 1024 * 1024, /* bytes of a request */
    LW_SESSION_REFUSAL_MAX = 1024 * 1024,       /* bytes of an error response that are read */
    LW_SESSION_HEADERS_MAX = 512 * 1024,        /* bytes of the headers of one request */
    LW_SESSION_RETRY_AFTER_SIZE = 64,           /* "Sun, 06 Nov 1994 08:49:37 GMT" */
    LW_SESSION_WATCH_GRACE_S = 30,              /* a watch is ended this long after its timeout */
};

/* A stream of client/stream, which the session knows only by this. */
typedef struct lw_session_stream {
    lw_dlist_node node; /* in the session */
    /* Ends it with |err|, or frees it without a callback if that is NULL. */
    void (*end)(struct lw_session_stream *stream, const lw_error *err);
} lw_session_stream;

struct lw_session {
    lw_client *client;
    bool owns_client; /* the session has a reference; a session of the pool has none */
    lw_transport *transport;
    lw_credentials credentials; /* as of the last request */
    bool has_endpoint;
    uint64_t tls_generation; /* of the endpoint set last */
    bool is_direct;          /* its calls are retried after a 429, and limited in their rate */
    lw_dlist calls;          /* lw_session_call.node: in progress */
    lw_heap waiting;         /* lw_session_call.due: calls that are sent later */
    lw_discovery *discovery; /* in progress; NULL: none */
    lw_dlist finds;          /* lw_session_find.node */
    lw_dlist streams;        /* lw_session_stream.node */
    size_t stream_count;
    lw_dlist_node idle; /* in the client's pool, or in its list of active sessions */
    lw_cancel cancel;   /* set by lw_client_cancel_all and lw_client_close, if active */
};

/* Makes a session for the pool of the client; it takes no reference. */
lw_status lw_session__new_pooled(lw_session **out, lw_client *client, lw_error *err);

/* Updates the credentials, and with them the endpoint of the transport.  May run a plugin. */
lw_status lw_session__refresh(lw_session *session, lw_error *err);

typedef enum lw_session_call_kind {
    LW_SESSION_PLAIN,
    LW_SESSION_LIST,
    LW_SESSION_WATCH,
    LW_SESSION_RAW, /* any media type */
} lw_session_call_kind;

/* A request; strings are copied. */
typedef struct lw_session_request {
    lw_session_call_kind kind;
    const char *method;
    const char *target;
    const char *accept;
    const char *content_type;   /* NULL: no body */
    const char *const *headers; /* more of them, "Name: value", NULL-terminated; NULL: none */
    lw_str body;
    int64_t timeout_ms; /* for the whole call; 0: none */
    int idle_timeout_s;
    size_t max_body;              /* of a plain or raw response; 0: LW_SESSION_BODY_MAX */
    const lw_read_options *read;  /* for lists and watches */
    bool accepts_protobuf;        /* lists and watches: |accept| has protobuf, and JSON after it */
    lw_session_body_fn on_body;   /* for plain requests; may be NULL */
    lw_session_reply_fn on_reply; /* for raw requests */
    lw_bytes_fn on_bytes;         /* for raw requests: gets the body; NULL: the reply has it */
} lw_session_request;

lw_status lw_session__start(lw_session *session, const lw_session_request *request,
                            const lw_source_sink *sink, lw_session_call **out, lw_error *err);

/* Adds the server and the credentials to the message of a 401 response. */
void lw_session__name_credentials(const lw_config *config, lw_error *err);

/* Ends the streams that there are now with |err|; NULL: frees them without a callback. */
void lw_session__end_streams(lw_session *session, const lw_error *err);

/* Cancels all requests. */
void lw_session__drop_calls(lw_session *session);

/* Initialises the heap of calls that are sent later; returns the time until the first is due, in
 * nanoseconds (LW_NEVER_NS: none); sends those that are due, from dispatch. */
void lw_session__init_waiting(lw_session *session);
int64_t lw_session__until_due_ns(const lw_session *session);
void lw_session__send_due(lw_session *session);

/* The header lines of a request, NULL-terminated, in one block that lw_session__free_headers wipes
 * and frees.  |more| are other lines, each with a NUL.  LW_ERR_INVALID: the credentials contain
 * characters that a header must not have. */
typedef struct lw_session_headers {
    char **lines;
    lw_buf text;
} lw_session_headers;

lw_status lw_session__make_headers(lw_session_headers *headers, const lw_session *session,
                                   const lw_session_request *request, lw_str more, lw_error *err);
void lw_session__free_headers(lw_session_headers *headers);

/* Call the callbacks of finds, from dispatch. */
void lw_session__answer_finds(lw_session *session);
bool lw_session__has_answers(const lw_session *session);
void lw_session__drop_finds(lw_session *session);

#endif
