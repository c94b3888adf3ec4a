/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h -- short replies outside the API: health, metrics, the index. */
#ifndef LW_SERVER_CORE_REPLY_H
#define LW_SERVER_CORE_REPLY_H

#include "base/buf.h"
#include "net/http.h"

/* Replies with the content of |body| and releases it. */
void lw_reply_buf(lw_http_stream *stream, int status, const char *content_type, lw_buf *body);

/* Replies with a static text. */
void lw_reply_text(lw_http_stream *stream, int status, const char *text);

/* Replies with a static JSON text. */
void lw_reply_json(lw_http_stream *stream, int status, const char *text);

#endif
