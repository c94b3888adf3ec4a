/* SPDX-License-Identifier: Apache-2.0 */
/* http_transport.c -- webhooks by HTTP. */
#include "server/webhook/http_transport.h"

#include "base/alloc.h"
#include "base/error.h"
#include "server/webhook/config.h"

enum {
    REPLY_MAX = 4 * 1024 * 1024, /* bytes of the body of a reply */
};

typedef struct http_transport {
    lw_webhook_transport base; /* first */
    lw_webhook_config config;
    lw_http_client *client;
    lw_loop *loop;
} http_transport;

static void on_reply(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    lw_webhook_call *call = arg;
    lw_webhook_reply reply = { .status = status, .body = body, .error = LW_ERROR_INIT };
    (void)content_type;
    if (err) {
        reply.status = 0;
        reply.error = *err;
    }
    call->sent = NULL;
    lw_webhook_call_replied(call, &reply);
}

static lw_status send_call(lw_webhook_transport *base, lw_webhook_call *call, lw_error *err)
{
    http_transport *t = (http_transport *)(void *)base;
    lw_webhook_headers headers;
    lw_http_call_options options = { .deadline_ns = lw_loop_now(t->loop) + call->timeout_ns,
                                     .reply_max = REPLY_MAX };
    lw_http_call *sent = NULL;
    lw_status st = lw_webhook_config_prepare(&t->config, &options, &headers);
    options.body = lw_bytes_static(call->body); /* the call keeps it */
    st = st < 0 ? lw_error_nomem(err)
                : lw_http_client_ask(&sent, t->client, &options, on_reply, call, err);
    lw_webhook_headers_done(&headers);
    if (st == LW_OK)
        call->sent = sent;
    return st;
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
                                lw_http_client *client, lw_loop *loop, lw_error *err)
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
    if (st < 0)
        transport_free(&t->base);
    else
        *out = &t->base;
    return st;
}
