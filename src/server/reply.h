/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h -- short answers that are not the API's: health, metrics, what there is. */
#ifndef LW_SERVER_REPLY_H
#define LW_SERVER_REPLY_H

#include "base/buf.h"
#include "net/http.h"

/* Replies with the bytes of |body|, which is left done. */
void lw_reply_buf(lw_http_stream *stream, int status, const char *content_type, lw_buf *body);

/* The same with a text that lives for ever. */
void lw_reply_text(lw_http_stream *stream, int status, const char *text);

/* The same with one that is JSON, for those who take nothing else. */
void lw_reply_json(lw_http_stream *stream, int status, const char *text);

#endif
