/* SPDX-License-Identifier: Apache-2.0 */
/* session_call.h -- the struct of a call, for the files that send it and read its response. */
#ifndef LW_CLIENT_SESSION_CALL_H
#define LW_CLIENT_SESSION_CALL_H

#include "client/session_internal.h"
#include "schema/message/message.h"

struct lw_session_call {
    lw_dlist_node node; /* in the session */
    lw_session *session;
    lw_source_sink sink;
    lw_session_request request; /* its strings are in |text| */
    lw_buf text;
    lw_str lines;        /* more headers: a part of |text|, each line with a NUL */
    uint64_t generation; /* of the credentials that were sent */
    bool is_resent;      /* after a 401 */
    bool was_lost;       /* it is sent again after its connection ended */
    unsigned retries;    /* after a 429 */
    int64_t deadline_ns; /* of the whole call, on the clock of the client; LW_NEVER_NS */
    lw_heap_node due;    /* in session->waiting */
    int64_t due_ns;      /* when it is sent */
    lw_transfer *transfer;
    int64_t sent_ns; /* when it was sent, on the clock of the client */
    int status;
    char retry_after[LW_SESSION_RETRY_AFTER_SIZE];
    char cluster[LW_SESSION_CLUSTER_MAX + 1]; /* see lw_session_call_cluster */
    lw_read_options read; /* lists and watches: for the reader; no paths if it is made later */
    lw_list_reader *list_reader;
    lw_event_reader *event_reader;
    lw_message_list *list_messages; /* instead of those, if the response is protobuf */
    lw_message_events *event_messages;
    lw_response *reply; /* of a raw request */
    lw_buf body;        /* a plain response, or an error response */
    bool is_calling;    /* a callback that is not the last one is running */
    bool is_cancelled;  /* by this callback */
};

/* session_call.c: ends the call with |err|, or a watch without an error (NULL), and frees it. */
void lw_session_call__fail(lw_session_call *call, const lw_error *err);
void lw_session_call__free(lw_session_call *call);

/* session_call.c: the callbacks of its transfer. */
void lw_session_call__on_head(lw_transfer *transfer, int status, lw_str content_type,
                              lw_str retry_after, void *arg);
void lw_session_call__on_bytes(lw_transfer *transfer, const char *bytes, size_t len, void *arg);
void lw_session_call__on_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg);

/* session_read.c: makes the reader of a list or watch, for JSON or protobuf. */
LW_MUST_CHECK lw_status lw_session_call__make_reader(lw_session_call *call, bool is_protobuf,
                                                     lw_error *err);
void lw_session_call__free_reader(lw_session_call *call);

/* session_read.c: passes bytes to the reader.  Returns false if the call is freed. */
bool lw_session_call__feed(lw_session_call *call, const char *bytes, size_t len);

/* session_read.c: end a list or a watch whose response is complete. */
void lw_session_call__end_list(lw_session_call *call);
void lw_session_call__end_watch(lw_session_call *call);

/* session_head.c: keeps a header of a raw response, and reports a warning. */
void lw_session_call__on_header(lw_transfer *transfer, lw_str name, lw_str value, void *arg);

/* session_send.c: copies the strings of |request|, because it may have to be sent again. */
lw_status lw_session_call__copy(lw_session_call *call, const lw_session_request *request);

/* session_send.c: sends the request now, or when the rate limit of the client allows it. */
lw_status lw_session_call__begin(lw_session_call *call, lw_error *err);

/* session_send.c: after an error response, returns true if the request is sent again, or has failed
 * while trying: with other credentials after a 401, or after the time that the server asked for. */
bool lw_session_call__repeat(lw_session_call *call);

/* session_send.c: after an HTTP/2 connection that ended without a response.  kube-apiserver ends
 * that of a client whose credentials it refuses, and curl may see the end before the 401.  Returns
 * true if the request only reads and is sent again, once, or has failed while trying. */
bool lw_session_call__repeat_lost(lw_session_call *call);

#endif
