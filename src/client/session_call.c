/* SPDX-License-Identifier: Apache-2.0 */
/* session_call.c -- one request: sent, maybe sent again with new credentials, read as it arrives,
 * answered once.
 *
 *   SENT ─head 2xx─▶ READING ─end─▶ on_list_end | on_body | on_fail(NULL)
 *    │ ▲                └─truncated, malformed─▶ on_fail
 *    │ └──401, and there are other credentials (once)
 *    └──any other status, no connection─▶ on_fail
 *
 * A call is freed before its last callback, so the callback may do anything.  While objects are
 * delivered, the call may only be cancelled: it is freed when the reader has returned. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "client/session_internal.h"
#include "object/api_errors.h"
#include "transport/reply_head.h"

struct lw_session_call {
    lw_dlist_node node; /* in the session */
    lw_session *session;
    lw_source_sink sink;
    lw_session_request request; /* its strings are in |text| */
    char *text;
    uint64_t generation; /* of the credentials that were sent */
    bool is_resent;
    lw_transfer *transfer;
    int status;
    char retry_after[LW_SESSION_RETRY_AFTER_SIZE];
    lw_list_reader *list_reader;
    lw_event_reader *event_reader;
    lw_buf body;       /* a plain response, or an error response */
    bool is_calling;   /* a callback that is not the last one is running */
    bool is_cancelled; /* by this callback */
};

/* Life cycle. */

static void call_free(lw_session_call *call)
{
    if (!call)
        return;
    if (lw_dlist_node_is_linked(&call->node))
        lw_dlist_remove(&call->node);
    lw_transfer_cancel(call->transfer);
    lw_list_reader_free(call->list_reader);
    lw_event_reader_free(call->event_reader);
    lw_buf_done(&call->body);
    lw_free(call->text);
    lw_free(call);
}

void lw_session_cancel(lw_session_call *call)
{
    if (!call)
        return;
    if (!call->is_calling) {
        call_free(call);
        return;
    }
    call->is_cancelled = true;
}

void lw_session__drop_calls(lw_session *session)
{
    LW_DLIST_FOR_EACH_SAFE(lw_session_call, call, &session->calls, node)
    call_free(call);
}

/* Ends the call with |err|, or a watch without an error (NULL). */
static void call_fail(lw_session_call *call, const lw_error *err)
{
    lw_source_sink sink = call->sink;
    lw_error copy = err ? *err : (lw_error)LW_ERROR_INIT;
    call_free(call);
    if (sink.on_fail)
        sink.on_fail(err ? &copy : NULL, sink.arg);
}

/* Reading. */

static lw_status call_on_object(const lw_object *obj, void *arg, lw_error *err)
{
    lw_session_call *call = arg;
    (void)err;
    if (call->sink.on_object)
        call->sink.on_object(obj, call->sink.arg);
    return call->is_cancelled ? LW_ERR_STOPPED : LW_OK;
}

static lw_status call_on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    lw_session_call *call = arg;
    (void)err;
    if (call->sink.on_event)
        call->sink.on_event(event, call->sink.arg);
    return call->is_cancelled ? LW_ERR_STOPPED : LW_OK;
}

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

/* Returns true if |type| is JSON or missing. */
static bool is_json(lw_str type)
{
    lw_str media, parameters;
    (void)lw_str_cut(type, ';', &media, &parameters);
    media = lw_str_trim(media);
    return media.len == 0 || lw_str_equal(media, LW_STR("application/json"));
}

static void call_on_head(lw_transfer *transfer, int status, lw_str content_type, lw_str retry_after,
                         void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    call->status = status;
    if (retry_after.len < sizeof(call->retry_after)) {
        if (retry_after.len > 0)
            memcpy(call->retry_after, retry_after.ptr, retry_after.len);
        call->retry_after[retry_after.len] = '\0';
    }
    if (!is_success(status))
        return;
    if (call->request.kind != LW_SESSION_DOWNLOAD && !is_json(content_type)) {
        lw_error err;
        (void)lw_error_set(&err, LW_ERR_INVALID,
                           "%s responded with %.*s instead of JSON; is it an API server?",
                           lw_config_server(call->session->client->config),
                           LW_STR_ARG(content_type));
        call_fail(call, &err);
        return;
    }
    if (call->request.kind != LW_SESSION_WATCH || !call->sink.on_open)
        return;
    call->is_calling = true;
    call->sink.on_open(call->sink.arg);
    call->is_calling = false;
    if (call->is_cancelled)
        call_free(call);
}

/* Passes bytes to the reader.  Returns false if the call is freed. */
static bool call_feed(lw_session_call *call, const char *bytes, size_t len)
{
    lw_error err = LW_ERROR_INIT;
    call->is_calling = true;
    lw_status st = call->list_reader ? lw_list_reader_feed(call->list_reader, bytes, len, &err)
                                     : lw_event_reader_feed(call->event_reader, bytes, len, &err);
    call->is_calling = false;
    if (call->is_cancelled) {
        call_free(call);
        return false;
    }
    if (st < 0) {
        call_fail(call, &err);
        return false;
    }
    return true;
}

static void call_on_bytes(lw_transfer *transfer, const char *bytes, size_t len, void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    if (!is_success(call->status)) {
        size_t room = LW_SESSION_REFUSAL_MAX - call->body.len;
        lw_buf_append(&call->body, bytes, len < room ? len : room);
    } else if (call->request.kind == LW_SESSION_PLAIN) {
        lw_buf_append(&call->body, bytes, len);
        if (call->body.st < 0) {
            lw_error err;
            if (call->body.st == LW_ERR_LIMIT)
                (void)lw_error_set(&err, LW_ERR_LIMIT, "the response is larger than %d MiB",
                                   LW_SESSION_BODY_MAX >> 20);
            else
                (void)lw_error_nomem(&err);
            call_fail(call, &err);
        }
    } else if (call->request.kind == LW_SESSION_DOWNLOAD) {
        if (call->request.on_bytes(bytes, len, call->sink.arg) < 0) {
            lw_error err;
            (void)lw_error_set(&err, LW_ERR_IO, "the response could not be stored");
            call_fail(call, &err);
        }
    } else {
        (void)call_feed(call, bytes, len);
    }
}

/* The end. */

static void call_end_list(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    lw_list_reader *reader = call->list_reader;
    if (lw_list_reader_finish(reader, &err) < 0) {
        call_fail(call, &err);
        return;
    }
    /* A Table has rows.  Even if one had items, it would not be a list of objects. */
    const lw_list_metadata *metadata = lw_list_reader_metadata(reader);
    if (strcmp(metadata->kind, "Table") == 0) {
        (void)lw_error_set(&err, LW_ERR_INVALID,
                           "the server responded with a Table instead of a list");
        call_fail(call, &err);
        return;
    }
    lw_source_sink sink = call->sink;
    call->list_reader = NULL;
    call_free(call);
    if (sink.on_list_end)
        sink.on_list_end(metadata, sink.arg);
    lw_list_reader_free(reader);
}

static void call_end_watch(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_event_reader_finish(call->event_reader, &err);
    if (st == LW_ERR_SYNTAX)
        (void)lw_error_set(&err, LW_ERR_UNAVAILABLE,
                           "the connection was closed in the middle of a watch event");
    call_fail(call, st < 0 ? &err : NULL);
}

static void call_end_plain(lw_session_call *call)
{
    lw_session_body_fn on_body = call->request.on_body;
    void *arg = call->sink.arg;
    lw_buf body = call->body;
    lw_buf_init(&call->body, 0);
    call_free(call);
    if (on_body)
        on_body(lw_buf_view(&body), arg);
    lw_buf_done(&body);
}

static lw_status call_send(lw_session_call *call, lw_error *err);

/* After a 401: returns true if the request was sent again, or has failed while trying. */
static bool call_resend(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (call->is_resent || !lw_config_refused(call->session->client->config, call->generation))
        return false;
    call->is_resent = true;
    call->status = 0;
    call->retry_after[0] = '\0';
    lw_buf_reset(&call->body);
    if (call_send(call, &err) < 0)
        call_fail(call, &err);
    return true;
}

/* Adds the server and the credentials to the message of a 401 response. */
static void name_credentials(const lw_config *config, lw_error *err)
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

static void call_refused(lw_session_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (call->status == 401 && call_resend(call))
        return;
    int64_t wall_ns = lw_clock_wall(call->session->client->clock);
    int wait_s = lw_retry_after_s(lw_str_of(call->retry_after), wall_ns);
    (void)lw_api_error_decode(lw_buf_view(&call->body), call->status, LW_STR(""), &err);
    if (err.code == LW_ERR_UNAUTHORIZED)
        name_credentials(call->session->client->config, &err);
    if (err.retry_after_s == 0 && wait_s > 0) {
        err.retry_after_s = wait_s;
        err.retriable = true;
    }
    call_fail(call, &err);
}

static void call_on_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    lw_session_call *call = arg;
    (void)transfer;
    call->transfer = NULL;
    if (call->status > 0 && !is_success(call->status))
        call_refused(call); /* also if the error response is truncated */
    else if (result->st < 0)
        call_fail(call, &result->err);
    else if (call->request.kind == LW_SESSION_LIST)
        call_end_list(call);
    else if (call->request.kind == LW_SESSION_WATCH)
        call_end_watch(call);
    else
        call_end_plain(call);
}

/* The beginning. */

static lw_status call_send(lw_session_call *call, lw_error *err)
{
    lw_session *session = call->session;
    lw_session_headers headers;
    lw_status st = lw_session__refresh(session, err);
    if (st < 0)
        return st;
    const lw_session_request *request = &call->request;
    st = lw_session__make_headers(&headers, session, request->accept, request->content_type, err);
    if (st < 0)
        return st;
    call->generation = session->credentials.generation;
    lw_transfer_options options = {
        .method = request->method,
        .target = request->target,
        .headers = (const char *const *)headers.lines,
        .body = request->body,
        .timeout_s = request->timeout_s,
        .idle_timeout_s = request->idle_timeout_s,
        .is_uncompressed =
            request->kind == LW_SESSION_WATCH || request->kind == LW_SESSION_DOWNLOAD,
        .on_head = call_on_head,
        .on_body = call_on_bytes,
        .on_done = call_on_done,
        .arg = call,
    };
    st = lw_transport_start(session->transport, &options, &call->transfer, err);
    lw_session__free_headers(&headers);
    return st;
}

/* Copies the strings of |request| into the call, because it may have to be sent again. */
static lw_status call_copy_request(lw_session_call *call, const lw_session_request *request)
{
    const char *type = request->content_type ? request->content_type : "";
    const char *texts[] = { request->method, request->target, type };
    size_t at[3], total = 0;
    for (size_t i = 0; i < 3; i++) {
        at[i] = total;
        total += strlen(texts[i]) + 1;
    }
    call->text = lw_alloc(total + request->body.len);
    if (!call->text)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < 3; i++)
        memcpy(call->text + at[i], texts[i], strlen(texts[i]) + 1);
    if (request->body.len > 0)
        memcpy(call->text + total, request->body.ptr, request->body.len);
    call->request = *request;
    call->request.method = call->text + at[0];
    call->request.target = call->text + at[1];
    call->request.content_type = request->content_type ? call->text + at[2] : NULL;
    call->request.body = lw_str_make(call->text + total, request->body.len);
    call->request.read = NULL; /* the readers have it */
    return LW_OK;
}

static lw_status call_make_reader(lw_session_call *call, const lw_session_request *request,
                                  lw_error *err)
{
    if (request->kind == LW_SESSION_LIST) {
        lw_list_reader_options options = { *request->read, call_on_object, call };
        return lw_list_reader_new(&call->list_reader, &options, err);
    }
    if (request->kind == LW_SESSION_WATCH) {
        lw_event_reader_options options = { *request->read, call_on_event, call };
        return lw_event_reader_new(&call->event_reader, &options, err);
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
    lw_buf_init(&call->body, LW_SESSION_BODY_MAX);
    lw_status st = call_copy_request(call, request);
    if (st < 0)
        st = lw_error_nomem(err);
    else
        st = call_make_reader(call, request, err);
    if (st == LW_OK)
        st = call_send(call, err);
    if (st < 0) {
        call_free(call);
        return st;
    }
    lw_dlist_push_back(&session->calls, &call->node);
    *out = call;
    return LW_OK;
}
