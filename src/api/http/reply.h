/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h -- how a reply is put together below what call.h offers: its headers, its form. */
#ifndef LW_API_HTTP_REPLY_H
#define LW_API_HTTP_REPLY_H

#include "api/http/call.h"
#include "schema/kinds/table.h"

enum {
    LW_REPLY_GZIP_MIN = 128 * 1024, /* bytes; smaller bodies are not worth it */
    LW_REPLY_ETAG_SIZE = 35,        /* 32 digits, two quotes, NUL */
};

/* What stands before the body, besides what every reply has. */
typedef struct lw_api_reply_head {
    int code;
    const char *content_type;  /* NULL: none */
    const char *cache_control; /* NULL: "no-cache, private" */
    const char *vary;          /* NULL: none */
    const char *etag;          /* NULL: none */
    const char *location;      /* NULL: none */
    int retry_after_s;         /* 0: none */
    bool is_gzip;              /* the body is compressed */
} lw_api_reply_head;

/* Sends head and body, which is taken, and frees the call. */
void lw_reply_send(lw_api_call *call, const lw_api_reply_head *head, lw_bytes body);

/* The same for the bytes of |body|, which is left done; compresses them if that is wanted. */
void lw_reply_send_buf(lw_api_call *call, const lw_api_reply_head *head, lw_buf *body);

/* Sends the head of a reply whose body is streamed.  The call stays the caller's. */
lw_status lw_reply_begin(lw_api_call *call, const lw_api_reply_head *head);

/* Replies that the document could not be made, for the reason |st|, and frees the call. */
void lw_reply_failure(lw_api_call *call, lw_status st);

/* "application/json", "application/yaml", "application/vnd.kubernetes.protobuf" or
 * "application/cbor". */
const char *lw_reply_content_type(const lw_media *media);

/* Turns |json|, one document, into the form |media| wants: with a newline, indented, YAML, or
 * protobuf.  LW_ERR_NOMEM, LW_ERR_LIMIT; LW_ERR_INVALID and LW_ERR_UNSUPPORTED: it has no such
 * form. */
lw_status lw_reply_dress(const lw_media *media, lw_buf *json);

/* How tables are to look for this call.  False: includeObject makes no sense, and the call has been
 * answered. */
bool lw_reply_table_form(lw_api_call *call, lw_table_form *form);

/* "meta.k8s.io/v1" or the like, for tables and partial objects. */
lw_str lw_reply_meta_version(const lw_media *media);

/* A digest of |bytes| in quotes, as ETags are. */
void lw_reply_etag(lw_str bytes, char etag[LW_REPLY_ETAG_SIZE]);

/* Whether If-None-Match names |etag|, or anything: the client has the document already. */
bool lw_reply_is_known(const lw_api_call *call, const char *etag);

#endif
