/* SPDX-License-Identifier: Apache-2.0 */
/* session_call.c -- one request: sent (session_send.c), read as it arrives, answered once.
 *
 *   WAITING (rate limit, Retry-After) ─▶ SENT ─head 2xx─▶ READING ─end─▶ its last callback
 *      ▲                                  │ ▲                └─truncated, malformed─▶ on_fail
 *      └────429 or 5xx with Retry-After───┤ └──401, and there are other credentials (once)
 *                                         └──any other status, no connection─▶ on_fail
 *
 * A call is freed before its last callback, so the callback may do anything.  While objects are
 * delivered, the call may only be cancelled: it is freed when the reader has returned. */
#include "client/session_call.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"
#include "object/api_errors.h"
#include "transport/reply_head.h"

/* Life cycle. */

void lw_session_call__free(lw_session_call *call)
{
    if (!call)
        return;
    if (lw_dlist_node_is_linked(&call->node))
        lw_dlist_remove(&call->node);
    if (lw_heap_node_is_in(&call->due))
        lw_heap_remove(&call->session->waiting, &call->due);
    lw_transfer_cancel(call->transfer);
    lw_session_call__free_reader(call);
    lw_response_free(call->reply);
    lw_buf_done(&call->body);
    lw_buf_done(&call->text);
    lw_free(call);
}

void lw_session_cancel(lw_session_call *call)
{
    if (!call)
        return;
    if (!call->is_calling) {
        lw_session_call__free(call);
        return;
    }
    call->is_cancelled = true;
}

void lw_session__drop_calls(lw_session *session)
{
    LW_DLIST_FOR_EACH_SAFE(lw_session_call, call, &session->calls, node)
    lw_session_call__free(call);
}

void lw_session_call__fail(lw_session_call *call, const lw_error *err)
{
    lw_source_sink sink = call->sink;
    lw_error copy = err ? *err : (lw_error)LW_ERROR_INIT;
    lw_session_call__free(call);
    if (sink.on_fail)
        sink.on_fail(err ? &copy : NULL, sink.arg);
}

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

/* Returns the media type without its parameters. */
static lw_str media_of(lw_str type)
{
    lw_str media, parameters;
    (void)lw_str_cut(type, ';', &media, &parameters);
    return lw_str_trim(media);
}

/* Makes the reader for a response of this type; A missing type means JSON.
 * LW_ERR_INVALID: it is neither JSON nor, if that was asked for, protobuf.  LW_ERR_NOMEM. */
static lw_status call_take_type(lw_session_call *call, lw_str type, lw_error *err)
{
    lw_str media = media_of(type);
    bool is_json = media.len == 0 || lw_str_equal(media, LW_STR("application/json"));
    bool is_protobuf = call->request.accepts_protobuf &&
                       lw_str_equal(media, LW_STR("application/vnd.kubernetes.protobuf"));
    if (!is_json && !is_protobuf)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s responded with %.*s instead of JSON; is it an API server?",
                            lw_config_server(call->session->client->config), LW_STR_ARG(type));
    return call->request.accepts_protobuf ? lw_session_call__make_reader(call, is_protobuf, err)
                                          : LW_OK;
}

/* Counts and logs one attempt; |reason| is why there is no response, otherwise NULL. */
static void count_attempt(const lw_session_call *call, int status, const char *reason)
{
    lw_client *client = call->session->client;
    int64_t took_ns = lw_clock_now(client->clock) - call->sent_ns;
    lw_request_counts_add(&client->requests, call->request.method, status, took_ns);
    if (reason)
        lw_log(&client->logger, LW_LOG_DEBUG, "client", "%s %s: %s", call->request.method,
               call->request.target, reason);
    else
        lw_log(&client->logger, LW_LOG_DEBUG, "client", "%s %s: %d in %lld ms",
               call->request.method, call->request.target, status,
               (long long)(took_ns / LW_NS_PER_MS));
}

void lw_session_call__on_head(lw_transfer *transfer, int status, lw_str content_type,
                              lw_str retry_after, void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    call->status = status;
    count_attempt(call, status, NULL);
    if (retry_after.len < sizeof(call->retry_after)) {
        if (retry_after.len > 0)
            memcpy(call->retry_after, retry_after.ptr, retry_after.len);
        call->retry_after[retry_after.len] = '\0';
    }
    if (!is_success(status))
        return;
    lw_error err = LW_ERROR_INIT;
    if (call->request.kind != LW_SESSION_RAW && call_take_type(call, content_type, &err) < 0) {
        lw_session_call__fail(call, &err);
        return;
    }
    if (call->request.kind != LW_SESSION_WATCH || !call->sink.on_open)
        return;
    call->is_calling = true;
    call->sink.on_open(call->sink.arg);
    call->is_calling = false;
    if (call->is_cancelled)
        lw_session_call__free(call);
}

/* Fails if |body| has failed. */
static void call_check_body(lw_session_call *call, const lw_buf *body)
{
    lw_error err;
    if (body->st == LW_OK)
        return;
    if (body->st == LW_ERR_LIMIT)
        (void)lw_error_set(&err, LW_ERR_LIMIT, "the response is larger than %zu bytes",
                           body->limit);
    else
        (void)lw_error_nomem(&err);
    lw_session_call__fail(call, &err);
}

/* Passes bytes of a raw response on. */
static void call_stream(lw_session_call *call, const char *bytes, size_t len)
{
    lw_error err = LW_ERROR_INIT;
    call->is_calling = true;
    lw_status st = call->request.on_bytes(bytes, len, call->sink.arg);
    call->is_calling = false;
    if (call->is_cancelled) {
        lw_session_call__free(call);
    } else if (st < 0) {
        (void)lw_error_set(&err, st, "the caller stopped reading the response");
        lw_session_call__fail(call, &err);
    }
}

void lw_session_call__on_bytes(lw_transfer *transfer, const char *bytes, size_t len, void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    if (!is_success(call->status)) {
        size_t room = LW_SESSION_REFUSAL_MAX - call->body.len;
        lw_buf_append(&call->body, bytes, len < room ? len : room);
    } else if (call->request.on_bytes) {
        call_stream(call, bytes, len);
    } else if (call->reply) {
        lw_buf_append(&call->reply->body, bytes, len);
        call_check_body(call, &call->reply->body);
    } else if (call->request.kind == LW_SESSION_PLAIN) {
        lw_buf_append(&call->body, bytes, len);
        call_check_body(call, &call->body);
    } else {
        (void)lw_session_call__feed(call, bytes, len);
    }
}

/* The end. */

static void call_end_plain(lw_session_call *call)
{
    lw_session_body_fn on_body = call->request.on_body;
    void *arg = call->sink.arg;
    lw_buf body = call->body;
    lw_buf_init(&call->body, 0);
    lw_session_call__free(call);
    if (on_body)
        on_body(lw_buf_view(&body), arg);
    lw_buf_done(&body);
}

static void call_end_raw(lw_session_call *call)
{
    lw_error err;
    lw_response *reply = call->reply;
    lw_session_reply_fn on_reply = call->request.on_reply;
    void *arg = call->sink.arg;
    reply->status = call->status;
    /* For programs that use the body as a string; the limit does not count it. */
    reply->body.limit++;
    lw_buf_append_char(&reply->body, '\0');
    if (reply->body.st < 0 || reply->head.st < 0) {
        (void)lw_error_nomem(&err);
        lw_session_call__fail(call, &err);
        return;
    }
    reply->body.len--;
    call->reply = NULL;
    lw_session_call__free(call);
    on_reply(reply, arg);
}

void lw_session__name_credentials(const lw_config *config, lw_error *err)
{
    lw_error named;
    const char *source = lw_config_credential_source(config);
    const char *server = lw_config_server(config);
    if (source)
        (void)lw_error_set(&named, err->code, "%s did not accept the credentials (%s): %s", server,
                           source, err->message);
    else
        (void)lw_error_set(&named, err->code,
                           "%s requires authentication, and no credentials are configured%s: %s",
                           server,
                           lw_str_starts_with(lw_str_of(server), LW_STR("http:"))
                               ? " (they are never sent over plain HTTP)"
                               : "",
                           err->message);
    memcpy(err->message, named.message, sizeof(err->message));
}

/* An error response is in protobuf if that was asked for first. */
static void read_refusal(lw_session_call *call, lw_error *err)
{
    lw_str body = lw_buf_view(&call->body);
    lw_buf json;
    lw_buf_init(&json, LW_SESSION_BODY_MAX);
    if (lw_message_is_document(body) && lw_message_append_json(body, &json, NULL) == LW_OK)
        body = lw_buf_view(&json);
    (void)lw_api_error_decode(body, call->status, LW_STR(""), err);
    lw_buf_done(&json);
}

static void call_refused(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_session_call__repeat(call))
        return;
    int64_t wall_ns = lw_clock_wall(call->session->client->clock);
    int wait_s = lw_retry_after_s(lw_str_of(call->retry_after), wall_ns);
    read_refusal(call, &err);
    if (err.code == LW_ERR_UNAUTHORIZED)
        lw_session__name_credentials(call->session->client->config, &err);
    if (err.retry_after_s == 0)
        lw_api_error_set_retry_after(&err, wait_s);
    lw_session_call__fail(call, &err);
}

void lw_session_call__on_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    call->transfer = NULL;
    if (call->status == 0 && result->st < 0)
        count_attempt(call, 0, result->err.message);
    if (call->status > 0 && !is_success(call->status))
        call_refused(call); /* also if the error response is truncated */
    else if (result->is_lost && lw_session_call__repeat_lost(call))
        return;
    else if (result->st < 0)
        lw_session_call__fail(call, &result->err);
    else if (call->request.kind == LW_SESSION_LIST)
        lw_session_call__end_list(call);
    else if (call->request.kind == LW_SESSION_WATCH)
        lw_session_call__end_watch(call);
    else if (call->request.kind == LW_SESSION_RAW)
        call_end_raw(call);
    else
        call_end_plain(call);
}

/* The beginning. */

static lw_status call_make_reader(lw_session_call *call, const lw_session_request *request,
                                  lw_error *err)
{
    if (request->kind == LW_SESSION_LIST || request->kind == LW_SESSION_WATCH) {
        call->read = *request->read;
        /* Otherwise the type of the response decides. */
        return request->accepts_protobuf ? LW_OK : lw_session_call__make_reader(call, false, err);
    }
    if (request->kind == LW_SESSION_RAW) {
        call->reply =
            lw_response__new(request->max_body > 0 ? request->max_body : LW_SESSION_BODY_MAX);
        return call->reply ? LW_OK : lw_error_nomem(err);
    }
    return LW_OK;
}

lw_status lw_session__start(lw_session *session, const lw_session_request *request,
                            const lw_source_sink *sink, lw_session_call **out, lw_error *err)
{
    lw_session_call *call = lw_alloc_zero(1, sizeof(*call));
    if (!call)
        return lw_error_nomem(err);
    call->session = session;
    call->sink = *sink;
    lw_buf_init(&call->text, LW_SESSION_REQUEST_MAX);
    lw_buf_init(&call->body, request->max_body > 0 ? request->max_body : LW_SESSION_BODY_MAX);
    call->deadline_ns = LW_NEVER_NS;
    if (request->timeout_ms > 0)
        call->deadline_ns =
            lw_clock_now(session->client->clock) + request->timeout_ms * LW_NS_PER_MS;
    lw_status st = lw_session_call__copy(call, request);
    if (st == LW_ERR_LIMIT)
        st = lw_error_set(err, st, "the request is larger than %d MiB",
                          LW_SESSION_REQUEST_MAX >> 20);
    else if (st < 0)
        st = lw_error_nomem(err);
    else
        st = call_make_reader(call, request, err);
    if (st == LW_OK)
        st = lw_session_call__begin(call, err);
    if (st < 0) {
        lw_session_call__free(call);
        return st;
    }
    lw_dlist_push_back(&session->calls, &call->node);
    *out = call;
    return LW_OK;
}
