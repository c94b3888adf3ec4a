/* SPDX-License-Identifier: Apache-2.0 */
/* reverse_proxy.c -- forwards requests of the server's clients to another server.
 *
 * A forwarded request holds a reference to its stream and is freed when it has left it: after its
 * reply was given to the stream completely, or when the client has disconnected. */
#include "server/proxy/reverse_proxy.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/dlist.h"
#include "base/error.h"
#include "base/str.h"
#include "object/api_status.h"
#include "server/proxy/proxy_headers.h"
#include "json/writer.h"

enum {
    STATUS_MAX = 64 * 1024, /* bytes of a Status */
};

/* The requests of one loop. */
typedef struct proxy_loop {
    lw_loop *loop;
    lw_http_client *client; /* NULL until it is needed */
    lw_dlist forwards;      /* forward.link */
    size_t tunnels;         /* of them, those that are upgraded or want to be */
    lw_task drain;
    bool is_draining;
} proxy_loop;

struct lw_reverse_proxy {
    size_t count;
    proxy_loop loops[];
};

typedef struct forward {
    proxy_loop *home;
    lw_dlist_node link;
    lw_http_stream *stream; /* a reference */
    lw_http_call *call;     /* NULL: it has ended */
    lw_buf whole;           /* the body of a reply that is sent whole */
    lw_proxy_headers *head; /* of such a reply: copies, in one block */
    int status;             /* of the reply; 0: none yet */
    bool is_whole;
    bool makes_status, is_refusal; /* a refusal becomes a Status; this is one */
    bool is_tunnel;
    bool is_long_running;
    bool is_counted; /* in home->tunnels */
    lw_timer timer;  /* until the reply begins; of a tunnel, until it has been idle too long */
    char last;       /* the last byte of the reply */
    char *failure;   /* what the message begins with if the target cannot be asked */
    int failure_code;
    bool may_retry;
    void (*replied)(int status, void *arg);
    void *arg;
} forward;

static void release_text(void *owner)
{
    lw_free(owner);
}

static void refuse(lw_http_stream *stream, int code, lw_str reason, bool may_retry, lw_str message)
{
    static const lw_http_header headers[] = {
        { LW_STR_INIT("Content-Type"), LW_STR_INIT("application/json") },
        { LW_STR_INIT("Retry-After"), LW_STR_INIT("1") },
    };
    const lw_http_reply reply = { code, headers, may_retry ? 2 : 1 };
    lw_api_status status;
    lw_buf body;
    lw_json_writer w;
    lw_api_status_init(&status);
    status.code = code;
    lw_api_status_set(&status, &status.message, message);
    lw_api_status_set(&status, &status.reason, reason);
    lw_buf_init(&body, STATUS_MAX);
    lw_json_writer_init(&w, &body, LW_JSON_COMPACT);
    (void)lw_api_status_write(&status, &w);
    lw_buf_append_char(&body, '\n');
    lw_api_status_done(&status);
    if (body.st < 0)
        lw_buf_done(&body);
    (void)lw_http_reply_whole(stream, &reply, lw_buf_take_bytes(&body));
}

void lw_reverse_proxy_refuse(lw_http_stream *stream, int code, lw_str message)
{
    refuse(stream, code, lw_api_reason_text(lw_api_reason_of_code(code)),
           code == 503 || code == 429, message);
}

/* The stream does not call |f| any more. */
static void let_go(lw_http_stream *stream)
{
    stream->on_drained = NULL;
    stream->on_closed = NULL;
    stream->on_data = NULL;
    stream->arg = NULL;
}

/* Leaves the stream, whose reply is complete or impossible, and frees |f|. */
static void leave(forward *f)
{
    lw_http_stream *stream = f->stream;
    lw_http_call_cancel(f->call);
    let_go(stream);
    lw_timer_cancel(f->home->loop, &f->timer);
    f->home->tunnels -= f->is_counted;
    lw_dlist_remove(&f->link);
    lw_buf_done(&f->whole);
    lw_free(f->head);
    lw_free(f->failure);
    lw_free(f);
    lw_http_stream_unref(stream);
}

static void tell(forward *f, int status)
{
    if (f->replied)
        f->replied(status, f->arg);
    f->replied = NULL;
}

static void fail(forward *f, const lw_error *err)
{
    lw_buf message;
    int code = err->code == LW_ERR_TIMEOUT    ? 504
               : err->code == LW_ERR_NOMEM    ? 500
               : err->code == LW_ERR_TOO_MANY ? 429
                                              : f->failure_code;
    lw_str reason = code == 500 ? LW_STR("") : lw_api_reason_text(lw_api_reason_of_code(code));
    lw_buf_init(&message, STATUS_MAX);
    lw_buf_printf(&message, "%s: %s", f->failure, err->message);
    tell(f, 0);
    refuse(f->stream, code, reason, f->may_retry || code == 429, lw_buf_view(&message));
    lw_buf_done(&message);
}

/* The target does not answer, or nobody has used the tunnel. */
static void time_over(lw_timer *timer)
{
    forward *f = LW_CONTAINER_OF(timer, forward, timer);
    if (f->is_tunnel) {
        lw_http_end(f->stream);
    } else {
        lw_error err = LW_ERROR_INIT;
        (void)lw_error_set(&err, LW_ERR_TIMEOUT, "the server did not answer in time");
        fail(f, &err);
    }
    leave(f);
}

/* Without memory for the timer, there is none. */
static void wait_at_most(forward *f, int64_t ns)
{
    f->timer.fire = time_over;
    (void)lw_timer_set(f->home->loop, &f->timer, lw_loop_now(f->home->loop) + ns);
}

/* Bytes have gone through the tunnel. */
static void not_idle(forward *f)
{
    if (f->is_tunnel)
        wait_at_most(f, LW_REVERSE_PROXY_IDLE_S * LW_NS_PER_S);
}

/* Keeps the head of a reply that is sent when its body is complete.  False: out of memory. */
static bool keep_head(forward *f, const lw_proxy_headers *head)
{
    size_t text = 0;
    for (size_t i = 0; i < head->count; i++)
        text += head->at[i].name.len + head->at[i].value.len;
    f->head = lw_alloc(sizeof(*f->head) + text);
    if (!f->head)
        return false;
    char *at = (char *)(f->head + 1);
    f->head->count = head->count;
    for (size_t i = 0; i < head->count; i++) {
        lw_str from[2] = { head->at[i].name, head->at[i].value };
        for (size_t j = 0; j < 2; j++) {
            if (from[j].len > 0)
                memcpy(at, from[j].ptr, from[j].len);
            from[j].ptr = at;
            at += from[j].len;
        }
        f->head->at[i] = (lw_http_header){ from[0], from[1] };
    }
    return true;
}

/* True if the body has a known length and is small: then it is sent with its length. */
static bool is_small(const lw_http_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t len;
        if (lw_http_name_is(headers[i].name, LW_STR("content-length")))
            return lw_str_to_uint64(headers[i].value, &len) && len <= LW_REVERSE_PROXY_WHOLE_MAX;
    }
    return false;
}

static void on_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    forward *f = arg;
    lw_proxy_headers head;
    bool is_upgraded = status == 101;
    lw_status st = LW_OK;
    (void)call;
    lw_proxy_headers_of_reply(&head, headers, count, is_upgraded);
    const lw_http_reply reply = { status, head.at, head.count };
    f->status = status;
    lw_timer_cancel(f->home->loop, &f->timer);
    tell(f, status);
    if (is_upgraded) {
        f->is_tunnel = f->is_long_running = true;
        not_idle(f);
        st = lw_http_upgrade(f->stream, &reply);
    } else if (f->makes_status && status >= 400) {
        f->is_whole = f->is_refusal = true;
    } else if (f->stream->request.method != LW_HTTP_HEAD && is_small(headers, count) &&
               keep_head(f, &head)) {
        f->is_whole = true;
    } else {
        st = lw_http_reply_begin(f->stream, &reply);
    }
    if (is_upgraded && st == LW_ERR_UNSUPPORTED)
        lw_reverse_proxy_refuse(f->stream, 400,
                                LW_STR("an upgrade needs HTTP/1.1 with Connection: Upgrade"));
    else if (st < 0)
        lw_http_abort(f->stream);
    if (st < 0)
        leave(f);
}

static void on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    forward *f = arg;
    if (len == 0)
        return;
    f->last = bytes[len - 1];
    not_idle(f);
    if (f->is_refusal && f->whole.len + len > LW_REVERSE_PROXY_REFUSAL_MAX)
        len = LW_REVERSE_PROXY_REFUSAL_MAX - f->whole.len;
    if (f->is_whole) {
        lw_buf_append(&f->whole, bytes, len);
        return;
    }
    char *copy = lw_alloc(len);
    if (!copy) {
        lw_http_abort(f->stream);
        leave(f);
        return;
    }
    memcpy(copy, bytes, len);
    const lw_bytes piece = { copy, len, release_text, copy };
    if (lw_http_write(f->stream, &piece, 1) < 0) {
        lw_http_abort(f->stream);
        leave(f);
    } else if (!lw_http_wants_more(f->stream)) {
        lw_http_call_set_paused(call, true);
    }
}

/* The target has taken what the client sent. */
static void on_sent(lw_http_call *call, void *arg)
{
    forward *f = arg;
    (void)call;
    if (f->is_tunnel)
        lw_http_set_reading(f->stream, true);
}

static void reply_whole(forward *f)
{
    if (f->is_refusal) {
        lw_reverse_proxy_refuse(f->stream, f->status, lw_str_trim(lw_buf_view(&f->whole)));
        return;
    }
    const lw_http_reply reply = { f->status, f->head->at, f->head->count };
    (void)lw_http_reply_whole(f->stream, &reply, lw_buf_take_bytes(&f->whole));
}

static void on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    forward *f = arg;
    (void)call;
    f->call = NULL;
    let_go(f->stream);
    if (!f->is_whole && f->status != 0 && err && !f->is_tunnel) {
        lw_http_abort(f->stream);
    } else if (!f->is_whole && f->status != 0) {
        lw_http_end(f->stream);
    } else if (f->is_whole && !err && f->whole.st == LW_OK) {
        reply_whole(f);
    } else {
        lw_error nomem = LW_ERROR_INIT;
        (void)lw_error_nomem(&nomem);
        fail(f, err ? err : &nomem);
    }
    leave(f);
}

static void client_drained(lw_http_stream *stream, void *arg)
{
    forward *f = arg;
    (void)stream;
    if (f->call)
        lw_http_call_set_paused(f->call, false);
}

static void client_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    leave(arg);
}

/* Bytes of the client on an upgraded connection. */
static void client_sent(lw_http_stream *stream, const char *bytes, size_t len, void *arg)
{
    forward *f = arg;
    char *copy = lw_alloc(len);
    if (!f->call || !copy) {
        lw_free(copy);
        lw_http_abort(stream);
        return;
    }
    memcpy(copy, bytes, len);
    not_idle(f);
    if (lw_http_call_send(f->call, (lw_bytes){ copy, len, release_text, copy }, false) < 0)
        lw_http_abort(stream);
    else if (lw_http_call_pending(f->call) > LW_REVERSE_PROXY_QUEUE_HIGH)
        lw_http_set_reading(stream, false);
}

static void release_body(void *owner)
{
    lw_http_stream_unref(owner);
}

static lw_status start(forward *f, const lw_proxy_request *wanted, lw_error *err)
{
    static const lw_http_call_sink callbacks = { on_head, on_data, on_sent, on_close, NULL };
    const lw_http_request *request = &f->stream->request;
    lw_http_call_sink sink = callbacks;
    lw_proxy_headers headers;
    lw_buf forwarded, path;
    lw_str upgrade = lw_proxy_upgrade_of(request);
    lw_buf_init(&forwarded, LW_PROXY_FORWARDED_MAX);
    lw_buf_init(&path, LW_HTTP_HEAD_MAX);
    lw_proxy_headers_of_request(&headers, request, wanted, upgrade, &forwarded);
    lw_buf_append_str(&path, request->path);
    if (request->query.len > 0) {
        lw_buf_append_char(&path, '?');
        lw_buf_append_str(&path, request->query);
    }
    lw_http_call_options options = {
        .target = wanted->target,
        .method = request->method_text,
        .path = wanted->path.len > 0 ? wanted->path : lw_buf_view(&path),
        .headers = headers.at,
        .header_count = headers.count,
        .is_upgrade = upgrade.len > 0,
        .deadline_ns = wanted->timeout_ns > 0
                           ? lw_clock_now(lw_loop_clock(f->home->loop)) + wanted->timeout_ns
                           : 0,
    };
    if (request->body.len > 0)
        options.body = (lw_bytes){ request->body.ptr, request->body.len, release_body,
                                   lw_http_stream_ref(f->stream) };
    f->is_long_running = wanted->is_long_running || upgrade.len > 0;
    if (upgrade.len > 0) {
        f->is_counted = true;
        f->home->tunnels++;
    }
    if (wanted->head_timeout_ns > 0)
        wait_at_most(f, wanted->head_timeout_ns);
    sink.arg = f;
    lw_status st = LW_OK;
    if (f->home->tunnels > LW_REVERSE_PROXY_TUNNELS_MAX) {
        lw_bytes_release(options.body);
        st = lw_error_set(err, LW_ERR_TOO_MANY, "%d connections are upgraded already",
                          LW_REVERSE_PROXY_TUNNELS_MAX);
    } else {
        st = lw_http_client_call(&f->call, f->home->client, &options, &sink, err);
    }
    lw_buf_done(&path);
    lw_buf_done(&forwarded);
    return st;
}

static proxy_loop *home_of(lw_reverse_proxy *proxy, const lw_loop *loop)
{
    for (size_t i = 0; i < proxy->count; i++) {
        if (proxy->loops[i].loop == loop)
            return &proxy->loops[i];
    }
    return NULL;
}

/* What to say if the target cannot be asked.  False: out of memory. */
static bool set_failure(forward *f, const lw_http_stream *stream, const lw_proxy_request *request)
{
    bool is_upgrade = lw_proxy_upgrade_of(&stream->request).len > 0;
    const char *text = is_upgrade ? "error dialing backend" : "error trying to reach service";
    f->failure = lw_str_dup(lw_str_of(request->failure ? request->failure : text));
    f->failure_code = request->failure_code             ? request->failure_code
                      : is_upgrade && !request->failure ? 500
                                                        : 503;
    f->may_retry = request->may_retry;
    return f->failure != NULL;
}

/* Frees one that has not begun. */
static void discard(forward *f)
{
    if (f)
        lw_free(f->failure);
    lw_free(f);
}

void lw_reverse_proxy_forward(lw_reverse_proxy *proxy, lw_http_stream *stream,
                              const lw_proxy_request *request)
{
    lw_error err = LW_ERROR_INIT;
    proxy_loop *home = home_of(proxy, stream->loop);
    if (stream->is_closed)
        return;
    forward *f = home ? lw_alloc_zero(1, sizeof(*f)) : NULL;
    if (!f || !set_failure(f, stream, request) ||
        (!home->client && lw_http_client_new(&home->client, home->loop, &err) < 0)) {
        discard(f);
        lw_reverse_proxy_refuse(stream, 500, LW_STR("out of memory"));
        return;
    }
    if (home->is_draining && request->is_long_running) {
        discard(f);
        lw_reverse_proxy_refuse(stream, 503, LW_STR("the server is shutting down"));
        return;
    }
    /* What the target says to the handshake is passed on: no frames of our own. */
    stream->request.is_websocket = false;
    f->home = home;
    f->stream = lw_http_stream_ref(stream);
    f->replied = request->replied;
    f->arg = request->arg;
    f->makes_status = request->makes_status;
    lw_buf_init(&f->whole, LW_REVERSE_PROXY_WHOLE_MAX);
    lw_dlist_push_back(&home->forwards, &f->link);
    stream->arg = f;
    stream->on_drained = client_drained;
    stream->on_closed = client_closed;
    stream->on_data = client_sent;
    if (start(f, request, &err) < 0) {
        f->call = NULL;
        fail(f, &err);
        leave(f);
    }
}

/* Ends what would not end by itself.  What was cut in the middle of a line is aborted, so that the
 * client does not take it for complete. */
static void drain_loop(lw_task *task)
{
    proxy_loop *home = LW_DLIST_ITEM(&task->link, proxy_loop, drain.link);
    lw_dlist_node *next;
    home->is_draining = true;
    for (lw_dlist_node *node = lw_dlist_first(&home->forwards); node; node = next) {
        forward *f = LW_DLIST_ITEM(node, forward, link);
        next = lw_dlist_next(&home->forwards, node);
        if (!f->is_long_running)
            continue;
        let_go(f->stream);
        if (f->status == 0 || f->is_whole)
            lw_reverse_proxy_refuse(f->stream, 503, LW_STR("the server is shutting down"));
        else if (f->is_tunnel || f->last == '\n' || f->last == '\0')
            lw_http_end(f->stream);
        else
            lw_http_abort(f->stream);
        leave(f);
    }
}

lw_status lw_reverse_proxy_new(lw_reverse_proxy **out, lw_loop *const *loops, size_t count)
{
    lw_reverse_proxy *proxy = lw_alloc_zero(1, sizeof(*proxy) + count * sizeof(proxy->loops[0]));
    if (!proxy)
        return LW_ERR_NOMEM;
    proxy->count = count;
    for (size_t i = 0; i < count; i++) {
        proxy->loops[i].loop = loops[i];
        proxy->loops[i].drain.run = drain_loop;
        lw_dlist_init(&proxy->loops[i].forwards);
    }
    *out = proxy;
    return LW_OK;
}

void lw_reverse_proxy_drain(lw_reverse_proxy *proxy)
{
    for (size_t i = 0; i < proxy->count; i++)
        lw_loop_post(proxy->loops[i].loop, &proxy->loops[i].drain);
}

void lw_reverse_proxy_free(lw_reverse_proxy *proxy)
{
    if (!proxy)
        return;
    for (size_t i = 0; i < proxy->count; i++) {
        lw_http_client_free(proxy->loops[i].client);
        if (lw_dlist_node_is_linked(&proxy->loops[i].drain.link))
            lw_dlist_remove(&proxy->loops[i].drain.link); /* the loop has ended before */
    }
    lw_free(proxy);
}
