/* SPDX-License-Identifier: Apache-2.0 */
/* faults_reply.c -- the replies to requests: discovery, a page of a list, a watch, or a fault. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "suite/faults_server_parts.h"
#include "suite/faults_text.h"
#include "unit/test.h"

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

/* How a body is framed. */
typedef enum framing {
    FRAMED_BY_LENGTH,
    FRAMED_BY_CHUNKS,
    FRAMED_BY_CLOSE,
    FRAMINGS
} framing;

void faults_append_chunk(faults_server *server, faults_line *line, lw_str bytes, bool loses_digit)
{
    char size[24];
    (void)snprintf(size, sizeof(size), "%zx", bytes.len);
    size_t from = 0, digits = strlen(size);
    if (loses_digit && faults_draw(server, 2) == 0)
        from = 1;
    else if (loses_digit)
        digits--;
    lw_buf_append(&line->out, size + from, digits - from);
    lw_buf_append_text(&line->out, "\r\n");
    lw_buf_append_str(&line->out, bytes);
    lw_buf_append_text(&line->out, "\r\n");
}

/* Appends |bytes| as one chunk or several. */
static void append_chunks(faults_server *server, faults_line *line, lw_str bytes, bool loses_digit)
{
    while (bytes.len > 1 && faults_draw(server, 3) == 0) {
        size_t len = 1 + (size_t)faults_draw(server, bytes.len - 1);
        faults_append_chunk(server, line, lw_str_make(bytes.ptr, len), false);
        bytes = lw_str_skip(bytes, len);
    }
    faults_append_chunk(server, line, bytes, loses_digit);
    lw_buf_append_text(&line->out, "0\r\n\r\n");
}

static void append_body(faults_server *server, faults_line *line, lw_str body, framing how,
                        bool loses_digit)
{
    lw_buf *out = &line->out;
    lw_buf_append_text(out, JSON_HEAD);
    if (how == FRAMED_BY_CHUNKS) {
        lw_buf_append_text(out, "Transfer-Encoding: chunked\r\n\r\n");
        append_chunks(server, line, body, loses_digit);
        return;
    }
    if (how == FRAMED_BY_LENGTH)
        lw_buf_printf(out, "Content-Length: %zu\r\n\r\n", body.len);
    else
        lw_buf_append_text(out, "Connection: close\r\n\r\n");
    lw_buf_append_str(out, body);
    line->ends_with_reply = how == FRAMED_BY_CLOSE;
}

/* Sends the JSON |body|, damaged by |fault|. */
static void reply_json(faults_server *server, faults_line *line, lw_buf *body, faults_kind fault)
{
    framing how = (framing)faults_draw(server, FRAMINGS);
    if (fault == FAULTS_BAD_CHUNK)
        how = FRAMED_BY_CHUNKS;
    if (fault == FAULTS_SHORT_BODY)
        lw_buf_truncate(body, (size_t)faults_draw(server, body->len));
    if (fault == FAULTS_GARBLED)
        faults_garble(body, &server->random);
    append_body(server, line, lw_buf_view(body), how, fault == FAULTS_BAD_CHUNK);
}

/* Refusals. */

void faults_reply_status(faults_server *server, faults_line *line, int code)
{
    lw_buf body;
    int wait_s = code == 429 ? (int)faults_draw(server, 20) : 0;
    if (wait_s > 0)
        server->saying.busy_until_ns = lw_clock_now(server->wire.clock) + wait_s * LW_NS_PER_S;
    bool has_body = faults_draw(server, 4) != 0;
    lw_buf_init(&body, FAULTS_TEXT_MAX);
    if (has_body)
        faults_write_status(&body, code, wait_s);
    lw_buf_printf(&line->out, "HTTP/1.1 %d No\r\nContent-Type: application/json\r\n", code);
    if (wait_s > 0)
        lw_buf_printf(&line->out, "Retry-After: %d\r\n", wait_s);
    lw_buf_printf(&line->out, "Content-Length: %zu\r\n\r\n", body.len);
    lw_buf_append_str(&line->out, lw_buf_view(&body));
    lw_buf_done(&body);
}

/* Sends an unexpected reply; false: |fault| is of another kind. */
static bool reply_otherwise(faults_server *server, faults_line *line, faults_kind fault)
{
    static const int codes[] = { 500, 503, 504, 403, 404, 401, 502 };
    switch (fault) {
    case FAULTS_REFUSED: faults_reply_status(server, line, codes[faults_draw(server, 7)]); break;
    case FAULTS_EXPIRED:
    case FAULTS_LOST_PAGE: faults_reply_status(server, line, 410); break;
    case FAULTS_THROTTLED: faults_reply_status(server, line, 429); break;
    case FAULTS_NO_JSON:
        lw_buf_append_text(&line->out, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                                       "Content-Length: 15\r\n\r\n<p>Log in.</p>\n");
        break;
    default: return false;
    }
    return true;
}

static faults_kind draw_fault(faults_server *server, const faults_kind *from, size_t count)
{
    if (!faults_is_unlucky(server))
        return FAULTS_NONE;
    faults_kind fault = from[faults_draw(server, count)];
    faults_note(server, fault);
    return fault;
}

/* Lists. */

bool faults_is_forgotten(const faults_server *server, const char *head)
{
    char value[FAULTS_VALUE_SIZE];
    bool has_rv = faults_parameter(head, "resourceVersion", value);
    uint64_t rv = strtoull(value, NULL, 10);
    return server->forgets_states && has_rv && rv > 0 && rv < server->past.compacted;
}

/* Chooses the state that a list shows, and its first name. */
static void choose_state(faults_server *server, const char *head, uint64_t *rv, unsigned *at)
{
    char value[FAULTS_VALUE_SIZE];
    *at = 0;
    if (faults_parameter(head, "continue", value)) {
        char *rest = NULL;
        *rv = strtoull(value, &rest, 10);
        *at = (unsigned)strtoul(rest + 1, NULL, 10);
        return;
    }
    bool has_rv = faults_parameter(head, "resourceVersion", value);
    uint64_t least = has_rv ? strtoull(value, NULL, 10) : server->past.rv;
    if (least == 0) /* any state, even an old one */
        least = MODEL_FIRST_RV;
    assert_true(least <= server->past.rv);
    *rv = least + faults_draw(server, server->past.rv - least + 1);
}

static void write_list(const faults_server *server, const char *head, uint64_t rv, unsigned at,
                       lw_buf *body)
{
    char value[FAULTS_VALUE_SIZE];
    model_object state[MODEL_NAMES];
    lw_buf items;
    uint64_t count = 0;
    (void)faults_parameter(head, "limit", value);
    uint64_t limit = strtoull(value, NULL, 10);
    model_history_state_at(&server->past, rv, state);
    lw_buf_init(&items, FAULTS_TEXT_MAX);
    for (; at < MODEL_NAMES && (limit == 0 || count < limit); at++) {
        if (state[at].rv == 0)
            continue;
        lw_buf_append_text(&items, count++ > 0 ? "," : "");
        faults_write_object(&items, at, &state[at], true);
    }
    lw_buf_printf(body,
                  "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                  "\"resourceVersion\":\"%" PRIu64 "\"",
                  rv);
    if (at < MODEL_NAMES)
        lw_buf_printf(body, ",\"continue\":\"%" PRIu64 ".%u.%u\"", rv, at, server->lists);
    lw_buf_append_text(body, "},\"items\":[");
    lw_buf_append_str(body, lw_buf_view(&items));
    lw_buf_append_text(body, "]}");
    lw_buf_done(&items);
}

static void reply_list(faults_server *server, faults_line *line, const char *head)
{
    static const faults_kind kinds[] = { FAULTS_REFUSED,   FAULTS_EXPIRED,    FAULTS_THROTTLED,
                                         FAULTS_NO_JSON,   FAULTS_SHORT_BODY, FAULTS_GARBLED,
                                         FAULTS_BAD_CHUNK, FAULTS_LOST_PAGE };
    uint64_t rv;
    unsigned at;
    lw_buf body;
    choose_state(server, head, &rv, &at);
    bool is_continued = at > 0;
    server->lists++;
    if (!is_continued && faults_is_forgotten(server, head)) {
        faults_reply_status(server, line, 410);
        return;
    }
    faults_kind fault = draw_fault(server, kinds, is_continued ? 8 : 7);
    if (is_continued && (rv < server->past.compacted || fault == FAULTS_LOST_PAGE)) {
        (void)faults_parameter(head, "continue", server->saying.lost_page);
        fault = FAULTS_LOST_PAGE;
    }
    if (reply_otherwise(server, line, fault))
        return;
    lw_buf_init(&body, FAULTS_TEXT_MAX);
    write_list(server, head, rv, at, &body);
    reply_json(server, line, &body, fault);
    lw_buf_done(&body);
}

static void reply_watch(faults_server *server, faults_line *line, const char *head)
{
    static const faults_kind kinds[] = { FAULTS_REFUSED, FAULTS_EXPIRED, FAULTS_THROTTLED,
                                         FAULTS_NO_JSON };
    if (!reply_otherwise(server, line, draw_fault(server, kinds, 4)))
        faults_stream_begin(server, line, head);
}

/* Discovery: what kinds there are. */
static void reply_discovery(faults_server *server, faults_line *line, const char *text)
{
    static const faults_kind kinds[] = { FAULTS_REFUSED,    FAULTS_THROTTLED, FAULTS_NO_JSON,
                                         FAULTS_SHORT_BODY, FAULTS_GARBLED,   FAULTS_BAD_CHUNK };
    /* Discovery is requested once, and the requests after it matter more. */
    bool is_spared = faults_draw(server, 3) != 0;
    faults_kind fault = is_spared ? FAULTS_NONE : draw_fault(server, kinds, 6);
    if (reply_otherwise(server, line, fault))
        return;
    lw_buf body;
    lw_buf_init(&body, FAULTS_TEXT_MAX);
    lw_buf_append_text(&body, text);
    reply_json(server, line, &body, fault);
    lw_buf_done(&body);
}

void faults_reply(faults_server *server, faults_line *line, const char *head)
{
    char value[FAULTS_VALUE_SIZE];
    if (strncmp(head, "GET /api ", 9) == 0)
        reply_discovery(server, line, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    else if (strncmp(head, "GET /apis ", 10) == 0)
        reply_discovery(server, line,
                        "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}");
    else if (strncmp(head, "GET /api/v1 ", 12) == 0)
        reply_discovery(server, line,
                        "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{"
                        "\"name\":\"configmaps\",\"singularName\":\"configmap\",\"namespaced\":"
                        "true,\"kind\":\"ConfigMap\",\"verbs\":[\"list\",\"watch\"]}]}");
    else if (strncmp(head, "GET /api/v1/configmaps", 22) != 0)
        fail_msg("unexpected request: %s", head);
    else if (faults_parameter(head, "watch", value))
        reply_watch(server, line, head);
    else
        reply_list(server, line, head);
}
