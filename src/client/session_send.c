/* SPDX-License-Identifier: Apache-2.0 */
/* session_send.c -- sends the request of a call: at once, when the rate limit allows it, and again
 * after a 401, for JSON after a 406 or 415, or after the time that the server asked for.
 *
 * A request is repeated only if the server has refused it before it was processed, so any method
 * may be repeated; one that only reads also if its connection ended without a response. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "client/request.h"
#include "client/session_call.h"
#include "transport/reply_head.h"

enum {
    MS_PER_S = 1000,
    STATUS_UNAUTHORIZED = 401,
    STATUS_NOT_ACCEPTABLE = 406,
    STATUS_UNSUPPORTED_TYPE = 415,
    STATUS_TOO_MANY = 429,
    STATUS_SERVER_ERROR = 500,
    TEXTS = 4, /* strings of a request besides its headers */
};

lw_status lw_session_call__copy(lw_session_call *call, const lw_session_request *request)
{
    const char *texts[TEXTS] = { request->method, request->target, request->accept,
                                 request->content_type ? request->content_type : "" };
    size_t at[TEXTS];
    lw_buf *text = &call->text;
    (void)lw_buf_reserve(text, request->body.len + strlen(request->target) + 256);
    for (size_t i = 0; i < TEXTS; i++) {
        at[i] = text->len;
        lw_buf_append_text(text, texts[i]);
        lw_buf_append_char(text, '\0');
    }
    size_t lines = text->len;
    for (const char *const *header = request->headers; header && *header; header++) {
        lw_buf_append_text(text, *header);
        lw_buf_append_char(text, '\0');
    }
    size_t body = text->len;
    lw_buf_append_str(text, request->body);
    if (text->st < 0)
        return text->st;
    call->request = *request;
    call->request.method = text->data + at[0];
    call->request.target = text->data + at[1];
    call->request.accept = text->data + at[2];
    call->request.content_type = request->content_type ? text->data + at[3] : NULL;
    call->request.headers = NULL;
    call->lines = lw_str_make(text->data + lines, body - lines);
    call->request.body = lw_str_make(text->data + body, text->len - body);
    call->request.read = NULL; /* the readers have it */
    return LW_OK;
}

static bool only_reads(const lw_session_request *request)
{
    return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
}

/* Returns the time that is left, at least 1 ms so that the transfer itself reports the timeout;
 * 0: no limit. */
static int64_t left_ms(const lw_session_call *call)
{
    if (call->deadline_ns == LW_NEVER_NS)
        return 0;
    if (!call->is_resent && !call->was_lost && call->retries == 0)
        return call->request.timeout_ms;
    int64_t left_ns = call->deadline_ns - lw_clock_now(call->session->client->clock);
    return left_ns > LW_NS_PER_MS ? left_ns / LW_NS_PER_MS : 1;
}

static lw_status call_send(lw_session_call *call, lw_error *err)
{
    lw_session *session = call->session;
    lw_session_headers headers;
    lw_status st = lw_session__refresh(session, err);
    if (st < 0)
        return st;
    const lw_session_request *request = &call->request;
    st = lw_session__make_headers(&headers, session, request, call->lines, err);
    if (st < 0)
        return st;
    call->generation = session->credentials.generation;
    lw_transfer_options options = {
        .method = request->method,
        .target = request->target,
        .headers = (const char *const *)headers.lines,
        .body = request->body,
        .timeout_ms = left_ms(call),
        .idle_timeout_s = request->idle_timeout_s,
        .is_uncompressed = request->kind == LW_SESSION_WATCH || request->on_bytes,
        .is_short = request->kind == LW_SESSION_PLAIN && !only_reads(request),
        .on_header = lw_session_call__on_header,
        .on_head = lw_session_call__on_head,
        .on_body = lw_session_call__on_bytes,
        .on_done = lw_session_call__on_done,
        .arg = call,
    };
    call->sent_ns = lw_clock_now(session->client->clock);
    st = lw_transport_start(session->transport, &options, &call->transfer, err);
    lw_session__free_headers(&headers);
    return st;
}

/* Waiting. */

static bool is_earlier(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    (void)arg;
    return LW_HEAP_CONST_ITEM(a, lw_session_call, due)->due_ns <
           LW_HEAP_CONST_ITEM(b, lw_session_call, due)->due_ns;
}

void lw_session__init_waiting(lw_session *session)
{
    lw_heap_init(&session->waiting, LW_TRANSPORT_TRANSFERS_MAX, is_earlier, NULL);
}

static lw_session_call *first_waiting(const lw_session *session)
{
    lw_heap_node *node = lw_heap_top(&session->waiting);
    return node ? LW_HEAP_ITEM(node, lw_session_call, due) : NULL;
}

int64_t lw_session__until_due_ns(const lw_session *session)
{
    const lw_session_call *call = first_waiting(session);
    if (!call)
        return LW_NEVER_NS;
    int64_t left_ns = call->due_ns - lw_clock_now(session->client->clock);
    return left_ns > 0 ? left_ns : 0;
}

void lw_session__send_due(lw_session *session)
{
    /* A call that begins to wait again in a callback is sent by the next dispatch. */
    for (size_t left = session->waiting.count; left > 0; left--) {
        lw_error err = LW_ERROR_INIT;
        lw_session_call *call = first_waiting(session);
        if (!call || lw_session__until_due_ns(session) > 0)
            return;
        lw_heap_remove(&session->waiting, &call->due);
        if (call_send(call, &err) < 0)
            lw_session_call__fail(call, &err);
    }
}

static lw_status call_wait(lw_session_call *call, int64_t due_ns, lw_error *err)
{
    call->due_ns = due_ns;
    lw_status st = lw_heap_push(&call->session->waiting, &call->due);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "%d requests are already waiting, which is the limit",
                            LW_TRANSPORT_TRANSFERS_MAX);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

lw_status lw_session_call__begin(lw_session_call *call, lw_error *err)
{
    lw_client *client = call->session->client;
    int64_t now_ns = lw_clock_now(client->clock), due_ns = now_ns;
    if (call->session->is_direct &&
        !lw_rate_limit_take(&client->rate_limit, now_ns, call->deadline_ns, &due_ns))
        return lw_error_set(err, LW_ERR_TIMEOUT,
                            "the rate limit of this client would delay the request beyond its "
                            "timeout of %d ms; send fewer requests or raise qps and burst",
                            (int)call->request.timeout_ms);
    return due_ns > now_ns ? call_wait(call, due_ns, err) : call_send(call, err);
}

/* Again. */

static void call_reset(lw_session_call *call)
{
    call->status = 0;
    call->retry_after[0] = '\0';
    lw_buf_reset(&call->body);
    if (call->reply)
        lw_response__reset(call->reply);
}

/* After a 401. */
static bool call_resend(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (call->is_resent || !lw_config_refused(call->session->client->config, call->generation))
        return false;
    call->is_resent = true;
    call_reset(call);
    if (call_send(call, &err) < 0)
        lw_session_call__fail(call, &err);
    return true;
}

/* After a 429, or a 5xx, with Retry-After. */
static bool call_retry(lw_session_call *call)
{
    const lw_client *client = call->session->client;
    const lw_client_options *options = &client->options;
    lw_error err = LW_ERROR_INIT;
    if (!call->session->is_direct || call->retry_after[0] == '\0' ||
        call->retries >= (unsigned)options->max_retries)
        return false;
    int wait_s = lw_retry_after_s(lw_str_of(call->retry_after), lw_clock_wall(client->clock));
    int64_t due_ns = lw_clock_now(client->clock) + wait_s * LW_NS_PER_S;
    if (wait_s > options->max_retry_wait_s || due_ns >= call->deadline_ns)
        return false;
    call->retries++;
    call_reset(call);
    if (call_wait(call, due_ns, &err) < 0)
        lw_session_call__fail(call, &err);
    return true;
}

/* After a 406 or 415: the server should have sent JSON, which was accepted too. */
static bool call_resend_for_json(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (!call->request.accepts_protobuf)
        return false;
    call->request.accepts_protobuf = false;
    call->request.accept = lw_accept_json;
    call_reset(call);
    if (lw_session_call__make_reader(call, false, &err) < 0 || call_send(call, &err) < 0)
        lw_session_call__fail(call, &err);
    return true;
}

bool lw_session_call__repeat(lw_session_call *call)
{
    if (call->status == STATUS_NOT_ACCEPTABLE || call->status == STATUS_UNSUPPORTED_TYPE)
        return call_resend_for_json(call);
    if (call->status == STATUS_UNAUTHORIZED)
        return call_resend(call);
    if (call->status == STATUS_TOO_MANY || call->status >= STATUS_SERVER_ERROR)
        return call_retry(call);
    return false;
}

bool lw_session_call__repeat_lost(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (call->was_lost || !only_reads(&call->request) || call->request.body.len > 0)
        return false;
    call->was_lost = true;
    call_reset(call);
    if (call_send(call, &err) < 0)
        lw_session_call__fail(call, &err);
    return true;
}
