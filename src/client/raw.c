/* SPDX-License-Identifier: Apache-2.0 */
/* raw.c -- requests of any kind, and their responses as they arrive. */
#include "client/raw.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "client/call.h"
#include "client/request.h"

static lw_status append_target(lw_buf *target, const char *path, const char *const *query,
                               lw_error *err)
{
    bool has_query = strchr(path, '?') != NULL;
    lw_buf_append_text(target, path);
    for (; query && query[0]; query += 2) {
        if (!query[1])
            return lw_error_set(err, LW_ERR_INVALID, "the query parameter \"%s\" has no value",
                                query[0]);
        lw_request_append_query(target, &has_query, query[0], lw_str_of(query[1]));
    }
    return lw_request_target_status(target, err);
}

static lw_status check(const lw_raw_options *o, const char *path, lw_error *err)
{
    if (path[0] != '/')
        return lw_error_set(err, LW_ERR_INVALID, "the path \"%s\" does not begin with /", path);
    if (o->max_body > SIZE_MAX / 4)
        return lw_error_set(err, LW_ERR_INVALID, "max_body is too large");
    return LW_OK;
}

static int64_t timeout_of(const lw_client *client, const lw_raw_options *o)
{
    if (o->timeout_ms < 0 || (o->timeout_ms == 0 && o->on_bytes))
        return 0;
    return lw_client__timeout_ms(client, o->timeout_ms);
}

lw_status lw_raw__start(lw_session *session, const char *method, const char *path,
                        const lw_raw_options *options, const lw_raw_sink *sink,
                        lw_session_call **out, lw_error *err)
{
    lw_raw_options o = LW_RAW_OPTIONS_INIT;
    lw_buf target;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_raw_options", err);
    if (st == LW_OK)
        st = check(&o, path, err);
    if (st < 0)
        return st;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    st = append_target(&target, path, o.query, err);
    char *text = st == LW_OK ? lw_buf_take_text(&target) : NULL;
    lw_buf_done(&target);
    if (!text)
        return st < 0 ? st : lw_error_nomem(err);
    const lw_session_request request = {
        .kind = LW_SESSION_RAW,
        .method = method,
        .target = text,
        .accept = o.accept ? o.accept : lw_accept_any,
        .content_type = o.content_type ? o.content_type : (o.body.len > 0 ? lw_accept_json : NULL),
        .headers = o.headers,
        .body = o.body,
        .timeout_ms = timeout_of(session->client, &o),
        .idle_timeout_s = o.idle_timeout_s,
        .max_body = o.max_body,
        .on_reply = sink->on_reply,
        .on_bytes = o.on_bytes ? sink->on_bytes : NULL,
    };
    const lw_source_sink ends = { .on_fail = sink->on_fail, .arg = sink->arg };
    st = lw_session__start(session, &request, &ends, out, err);
    lw_free(text);
    return st;
}

/* Blocking. */

typedef struct raw_wait {
    lw_client_wait wait;
    const lw_raw_options *options;
    lw_response *reply;
} raw_wait;

static lw_status raw_on_bytes(const char *bytes, size_t len, void *arg)
{
    raw_wait *waiting = arg;
    return waiting->options->on_bytes(bytes, len, waiting->options->arg);
}

static void raw_on_reply(lw_response *reply, void *arg)
{
    raw_wait *waiting = arg;
    waiting->reply = reply;
    lw_client__end(&waiting->wait, NULL);
}

static void raw_on_fail(const lw_error *err, void *arg)
{
    raw_wait *waiting = arg;
    lw_client__end(&waiting->wait, err);
}

lw_status lw_client_raw(lw_client *client, const char *method, const char *path,
                        const lw_raw_options *options, lw_response **out, lw_error *err)
{
    raw_wait waiting = { .options = options };
    const lw_raw_sink sink = { raw_on_bytes, raw_on_reply, raw_on_fail, &waiting };
    lw_session *session = NULL;
    lw_session_call *call = NULL;
    lw_status st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = lw_raw__start(session, method, path, options, &sink, &call, err);
    if (st == LW_OK) {
        lw_client__drive(session, &waiting.wait);
        st = lw_client__result(&waiting.wait, err);
    }
    lw_client__leave_session(client, session, &waiting.wait);
    if (st == LW_OK && out)
        *out = waiting.reply;
    else
        lw_response_free(waiting.reply);
    return st;
}
