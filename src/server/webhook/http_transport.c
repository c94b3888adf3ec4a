/* SPDX-License-Identifier: Apache-2.0 */
/* http_transport.c -- webhooks by HTTP. */
#include "server/webhook/http_transport.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "server/webhook/config.h"

enum {
    REPLY_MAX = 4 * 1024 * 1024, /* bytes of the body of a reply */
};

typedef struct http_transport {
    lw_webhook_transport base; /* first */
    lw_webhook_config config;
    lw_upstreams *upstreams; /* NULL: the URL of |config| */
    char *path;              /* behind the URL; NULL: nothing */
    lw_http_client *client;
    lw_loop *loop;
} http_transport;

static lw_status send_once(http_transport *t, lw_webhook_call *call, lw_error *err);

/* Notes how |call| went.  Returns true if it has been sent to another address. */
static bool move_on(http_transport *t, lw_webhook_call *call, const lw_error *err)
{
    size_t count;
    lw_upstream *at = call->sent_to;
    if (!err) {
        lw_upstream_answered(at);
        return false;
    }
    (void)lw_upstream_failed(at);
    (void)lw_upstreams_all(t->upstreams, &count);
    return err->code == LW_ERR_UNAVAILABLE && ++call->moves < count &&
           send_once(t, call, NULL) == LW_OK;
}

static void on_reply(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    lw_webhook_call *call = arg;
    http_transport *t = (http_transport *)(void *)call->transport;
    lw_webhook_reply reply = { .status = status, .body = body, .error = LW_ERROR_INIT };
    (void)content_type;
    call->sent = NULL;
    if (t->upstreams && move_on(t, call, err))
        return;
    if (err) {
        reply.status = 0;
        reply.error = *err;
    }
    lw_webhook_call_replied(call, &reply);
}

static lw_status send_once(http_transport *t, lw_webhook_call *call, lw_error *err)
{
    lw_webhook_headers headers;
    lw_http_call_options options = { .deadline_ns = lw_loop_now(t->loop) + call->timeout_ns,
                                     .reply_max = REPLY_MAX };
    lw_http_call *sent = NULL;
    lw_buf path;
    lw_upstream *at = t->upstreams ? lw_upstreams_current(t->upstreams) : NULL;
    lw_status st = lw_webhook_config_prepare(&t->config, &options, &headers);
    lw_buf_init(&path, LW_HTTP_CLIENT_HEAD_MAX);
    if (at) {
        options.target.host = at->address.host;
        options.target.port = at->address.port;
        lw_buf_append_str(&path, at->prefix);
        lw_buf_append_text(&path, t->path ? t->path : "");
        options.path = lw_buf_view(&path);
    }
    call->sent_to = at;
    options.body = lw_bytes_static(call->body); /* the call keeps it */
    st = st < 0 || path.st < 0
             ? lw_error_nomem(err)
             : lw_http_client_ask(&sent, t->client, &options, on_reply, call, err);
    lw_webhook_headers_done(&headers);
    lw_buf_done(&path);
    if (st == LW_OK)
        call->sent = sent;
    return st;
}

static lw_status send_call(lw_webhook_transport *base, lw_webhook_call *call, lw_error *err)
{
    call->moves = 0;
    return send_once((http_transport *)(void *)base, call, err);
}

static void cancel_call(lw_webhook_transport *base, lw_webhook_call *call)
{
    (void)base;
    lw_http_call_cancel(call->sent);
    call->sent = NULL;
}

static void transport_free(lw_webhook_transport *base)
{
    http_transport *t = (http_transport *)(void *)base;
    lw_webhook_config_done(&t->config);
    lw_upstreams_unref(t->upstreams);
    lw_free(t->path);
    lw_free(t);
}

/* Appends |path| to the one of the URL. */
static lw_status append_path(lw_webhook_config *config, const char *path)
{
    lw_buf whole;
    lw_str prefix = lw_str_of(config->path);
    while (prefix.len > 0 && prefix.ptr[prefix.len - 1] == '/')
        prefix.len--;
    lw_buf_init(&whole, LW_HTTP_CLIENT_HEAD_MAX);
    lw_buf_append_str(&whole, prefix);
    lw_buf_append_text(&whole, path);
    char *text = lw_buf_take_text(&whole);
    lw_buf_done(&whole);
    if (!text)
        return LW_ERR_NOMEM;
    lw_free(config->path);
    config->path = text;
    return LW_OK;
}

lw_status lw_http_transport_new(lw_webhook_transport **out, const char *file, const char *path,
                                lw_upstreams *upstreams, lw_http_client *client, lw_loop *loop,
                                lw_error *err)
{
    http_transport *t = lw_alloc_zero(1, sizeof(*t));
    if (!t)
        return lw_error_nomem(err);
    t->base = (lw_webhook_transport){ send_call, cancel_call, transport_free };
    t->client = client;
    t->loop = loop;
    lw_status st = lw_webhook_config_read(&t->config, file, err);
    if (st == LW_OK && path && append_path(&t->config, path) < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK && upstreams) {
        t->upstreams = lw_upstreams_ref(upstreams);
        t->path = path ? lw_str_dup(lw_str_of(path)) : NULL;
        st = path && !t->path ? lw_error_nomem(err) : LW_OK;
    }
    if (st < 0)
        transport_free(&t->base);
    else
        *out = &t->base;
    return st;
}
