/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_http.c -- gets documents of issuers with the HTTP client. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_client.h"
#include "server/authn/oidc/oidc_fetch.h"
#include "server/authn/oidc/oidc_url.h"

enum {
    TIMEOUT_S = 30,
    REPLY_MAX = 1024 * 1024, /* bytes of a document */
    OK_STATUS = 200,
    SHOWN = 300,
};

struct lw_oidc_http {
    lw_loop *loop;
    lw_http_client *client;
};

/* One call. */
typedef struct getting {
    lw_http_call *call;
    lw_oidc_fetched done;
    void *arg;
    char *url;
} getting;

static void getting_free(getting *g)
{
    lw_free(g->url);
    lw_free(g);
}

static void on_done(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    getting *g = arg;
    lw_error why = LW_ERROR_INIT;
    const lw_str none = { NULL, 0 };
    (void)content_type;
    if (err)
        (void)lw_error_set(&why, err->code, "%.*s: %s", SHOWN, g->url, err->message);
    else if (status != OK_STATUS)
        (void)lw_error_set(&why, LW_ERR_UNAVAILABLE, "%.*s: the HTTP status is %d", SHOWN, g->url,
                           status);
    bool is_good = !err && status == OK_STATUS;
    g->done(g->arg, is_good ? body : none, is_good ? NULL : &why);
    getting_free(g);
}

/* Makes the strings of the target and starts the call. */
static lw_status call(lw_oidc_http *http, getting *g, const lw_oidc_url *url, lw_tls_context *tls,
                      lw_error *err)
{
    static const lw_http_header headers[] = { { LW_STR_INIT("Accept"),
                                                LW_STR_INIT("application/json") } };
    char *host = lw_str_dup(url->host), *authority = lw_str_dup(url->authority);
    lw_buf path;
    lw_buf_init(&path, LW_HTTP_CLIENT_HEAD_MAX);
    if (url->path.len == 0)
        lw_buf_append_char(&path, '/');
    lw_buf_append_str(&path, url->path);
    if (url->query.len > 0)
        lw_buf_printf(&path, "?%.*s", LW_STR_ARG(url->query));
    lw_status st = host && authority ? path.st : LW_ERR_NOMEM;
    if (st == LW_OK) {
        lw_http_call_options options = {
            .target = { .host = host, .port = url->port, .tls = tls, .authority = authority },
            .method = LW_STR("GET"),
            .path = lw_buf_view(&path),
            .headers = headers,
            .header_count = 1,
            .deadline_ns = lw_clock_now(lw_loop_clock(http->loop)) + TIMEOUT_S * LW_NS_PER_S,
            .reply_max = REPLY_MAX,
        };
        st = lw_http_client_ask(&g->call, http->client, &options, on_done, g, err);
    } else {
        (void)lw_error_set(err, st, "out of memory, or the URL is too long");
    }
    lw_buf_done(&path);
    lw_free(host);
    lw_free(authority);
    return st;
}

static lw_status get(void *arg, lw_str text, lw_str ca, lw_oidc_fetched done, void *done_arg,
                     void **out, lw_error *err)
{
    lw_oidc_http *http = arg;
    lw_oidc_url url;
    lw_tls_context *tls = NULL;
    if (!lw_oidc_url_parse(&url, text) || !lw_str_equal(url.scheme, LW_STR("https")) ||
        url.host.len == 0 || url.has_user)
        return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not an https URL",
                            (int)(text.len < SHOWN ? text.len : SHOWN), text.ptr);
    getting *g = lw_alloc_zero(1, sizeof(*g));
    if (!g)
        return lw_error_nomem(err);
    g->done = done;
    g->arg = done_arg;
    g->url = lw_str_dup(text);
    const lw_tls_pem_options trust = { .ca = ca };
    lw_status st = g->url ? LW_OK : lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_tls_client_context_new_pem(&tls, &trust, err);
    if (st == LW_OK)
        st = call(http, g, &url, tls, err);
    lw_tls_context_free(tls);
    if (st < 0) {
        getting_free(g);
        return st;
    }
    *out = g;
    return LW_OK;
}

static void cancel(void *arg, void *which)
{
    getting *g = which;
    (void)arg;
    lw_http_call_cancel(g->call);
    getting_free(g);
}

lw_status lw_oidc_http_new(lw_oidc_http **out, lw_loop *loop, lw_error *err)
{
    lw_oidc_http *http = lw_alloc_zero(1, sizeof(*http));
    if (!http)
        return lw_error_nomem(err);
    http->loop = loop;
    lw_status st = lw_http_client_new(&http->client, loop, err);
    if (st < 0) {
        lw_free(http);
        return st;
    }
    *out = http;
    return LW_OK;
}

void lw_oidc_http_free(lw_oidc_http *http)
{
    if (!http)
        return;
    lw_http_client_free(http->client);
    lw_free(http);
}

lw_oidc_fetcher lw_oidc_http_fetcher(lw_oidc_http *http)
{
    return (lw_oidc_fetcher){ get, cancel, http };
}
