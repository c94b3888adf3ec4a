/* SPDX-License-Identifier: Apache-2.0 */
/* http_ask.c -- the simple form of a call: the whole reply in one callback. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_internal.h"

enum {
    CONTENT_TYPE_MAX = 256, /* a longer one is reported as empty */
};

struct lw_http_ask {
    lw_http_done_fn done;
    void *arg;
    int status;
    lw_buf content_type, body;
};

void lw_http_ask__free(lw_http_ask *ask)
{
    if (!ask)
        return;
    lw_buf_done(&ask->content_type);
    lw_buf_done(&ask->body);
    lw_free(ask);
}

static void on_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    (void)call;
    lw_http_ask *ask = arg;
    ask->status = status;
    for (size_t i = 0; i < count; i++) {
        if (lw_http_name_is(headers[i].name, LW_STR("content-type"))) {
            lw_buf_append_str(&ask->content_type, headers[i].value);
            break;
        }
    }
}

static void on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    lw_http_ask *ask = arg;
    lw_buf_append(&ask->body, bytes, len);
    if (ask->body.st == LW_ERR_NOMEM)
        lw_http_call__fail_soon(call, LW_ERR_NOMEM, lw_status_name(LW_ERR_NOMEM));
}

static void on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    (void)call;
    lw_http_ask *ask = arg;
    lw_error nomem = LW_ERROR_INIT;
    const lw_str none = { NULL, 0 };
    if (!err && (ask->body.st < 0 || ask->content_type.st == LW_ERR_NOMEM)) {
        (void)lw_error_nomem(&nomem);
        err = &nomem;
    }
    if (err)
        ask->done(0, none, none, err, ask->arg);
    else
        ask->done(ask->status,
                  ask->content_type.st == LW_OK ? lw_buf_view(&ask->content_type) : none,
                  lw_buf_view(&ask->body), NULL, ask->arg);
}

lw_status lw_http_client_ask(lw_http_call **out, lw_http_client *client,
                             lw_http_call_options *options, lw_http_done_fn done, void *arg,
                             lw_error *err)
{
    lw_http_call *call = NULL;
    lw_http_ask *ask = lw_alloc_zero(1, sizeof(*ask));
    if (!ask) {
        lw_bytes_release(options->body);
        return lw_error_nomem(err);
    }
    const lw_http_call_sink sink = { on_head, on_data, NULL, on_close, ask };
    if (options->reply_max == 0)
        options->reply_max = LW_HTTP_CLIENT_ASK_MAX;
    ask->done = done;
    ask->arg = arg;
    lw_buf_init(&ask->content_type, CONTENT_TYPE_MAX);
    lw_buf_init(&ask->body, options->reply_max);
    lw_status st = lw_http_client_call(&call, client, options, &sink, err);
    if (st < 0) {
        lw_http_ask__free(ask);
        return st;
    }
    call->ask = ask;
    if (out)
        *out = call;
    return LW_OK;
}
