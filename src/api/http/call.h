/* SPDX-License-Identifier: Apache-2.0 */
/* call.h -- one request under way: what it asks, in what form it wants the answer, and the answer.
 *
 * A call is made by lw_api_serve, belongs to the loop of its stream, and holds a reference to the
 * stream.  It is freed by whoever ends it: every reply function below consumes the call. */
#ifndef LW_API_HTTP_CALL_H
#define LW_API_HTTP_CALL_H

#include "api/context/port.h"
#include "api/http/account.h"
#include "api/http/route.h"
#include "api/media/media.h"
#include "api/media/query.h"
#include "base/budget.h"
#include "net/http.h"
#include "object/api_errors.h"

typedef struct lw_api_call lw_api_call;
struct lw_api_call {
    lw_api *api;
    lw_api_port *port;
    lw_http_stream *stream;
    lw_registry *registry;    /* held, if route.kind is a custom one: it lives as long */
    lw_route route;           /* views of the request */
    lw_query query;           /* decoded */
    lw_media media;           /* how the reply is to look */
    lw_cache_resource *cache; /* of route.kind, or |view| */
    lw_cache_resource *view;  /* held: what a view of a mirror has of it; else NULL */
    const lw_user *user;      /* NULL: nobody */
    lw_buf warnings;          /* texts for Warning headers, each ended by a NUL */
    unsigned warning_count;   /* of them */
    lw_buf annotations;       /* of the audit event: keys and values in turn, each ended by a NUL */
    lw_buf path_text;         /* what was escaped in the path, decoded */
    lw_account account;       /* what it costs */
    lw_budget budget;         /* steps of work: lw_budget_used, until the call is freed */
};

enum {
    LW_CALL_WARNINGS_MAX = 32,             /* headers; further ones are left out */
    LW_CALL_WARNINGS_KEPT = 128,           /* texts, from which those that fit are chosen */
    LW_CALL_WARNING_BYTES = 64 * 1024,     /* their texts together */
    LW_CALL_ANNOTATION_BYTES = 256 * 1024, /* annotations together; further ones are left out */
    /* Steps of work that a request may take: about 200 ms of CPU.  A body of 3 MiB of an ordinary
     * shape takes less than half of them. */
    LW_CALL_STEPS_MAX = 4500 * 1000,
    LW_CALL_REPLY_MAX = 256 * 1024 * 1024, /* bytes of a reply that must be built whole */
};

/* Adds a Warning header (code 299) to the reply; the same text only once. */
void lw_call_warn(lw_api_call *call, lw_str text);

/* Adds an annotation to the audit event of the request; the first value of a key counts. */
void lw_call_annotate(lw_api_call *call, lw_str key, lw_str value);

/* The object, in the form the call wants (JSON, YAML, Table, partial, pretty). */
void lw_call_reply_object(lw_api_call *call, int code, const lw_object *obj);

/* A Status, success or not; consumes |status| too (lw_api_status_done). */
void lw_call_reply_status(lw_api_call *call, lw_api_status *status);

/* A document that is JSON already, pretty or YAML if the call wants it; takes the bytes of |json|,
 * which is left done. */
void lw_call_reply_json(lw_api_call *call, int code, lw_buf *json);

/* Something that is no JSON at all. */
void lw_call_reply_text(lw_api_call *call, int code, const char *content_type, lw_str text);

/* There is nothing at this path: 404, not a Status. */
void lw_call_reply_nowhere(lw_api_call *call);

/* Out of memory: the one answer that needs none. */
void lw_call_reply_nomem(lw_api_call *call);

/* Lists: the objects of |list| (taken) with their list's metadata; |continue_token| may be empty;
 * |remaining| < 0: not said. */
void lw_call_reply_list(lw_api_call *call, lw_cache_list *list, lw_str continue_token,
                        int64_t remaining);

/* Frees the call without a reply (the stream is gone, or somebody else goes on with it). */
void lw_call_free(lw_api_call *call);

#endif
