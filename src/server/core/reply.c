/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c -- short replies outside the API. */
#include "server/core/reply.h"

#include "api/context/audit_id.h"
#include "api/context/port.h"
#include "base/alloc.h"
#include "base/str.h"

static void reply(lw_http_stream *stream, int status, const char *content_type, lw_bytes body)
{
    char audit_id[LW_AUDIT_ID_SIZE] = "";
    lw_api_port *port = lw_loop_data(stream->loop);
    if (port) /* NULL: the loop no longer serves the API */
        lw_audit_id_choose(audit_id, stream, &port->random);
    const lw_http_header headers[] = {
        { LW_STR("Cache-Control"), LW_STR("no-cache, private") },
        { LW_STR("Content-Type"), lw_str_of(content_type) },
        { LW_STR("X-Content-Type-Options"), LW_STR("nosniff") },
        { LW_STR("Audit-Id"), lw_str_of(audit_id) }, /* last: it may be left out */
    };
    size_t count = sizeof(headers) / sizeof(headers[0]);
    const lw_http_reply head = { status, headers, port ? count : count - 1 };
    (void)lw_http_reply_whole(stream, &head, body); /* the client may have disconnected */
}

void lw_reply_text(lw_http_stream *stream, int status, const char *text)
{
    reply(stream, status, "text/plain; charset=utf-8", lw_bytes_static(lw_str_of(text)));
}

void lw_reply_json(lw_http_stream *stream, int status, const char *text)
{
    reply(stream, status, "application/json", lw_bytes_static(lw_str_of(text)));
}

void lw_reply_buf(lw_http_stream *stream, int status, const char *content_type, lw_buf *body)
{
    size_t len = body->len;
    char *text = lw_buf_take_text(body);
    lw_buf_done(body);
    if (text)
        reply(stream, status, content_type, (lw_bytes){ text, len, lw_free, text });
    else
        lw_reply_text(stream, 500, "out of memory\n");
}
