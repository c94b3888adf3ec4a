/* SPDX-License-Identifier: Apache-2.0 */
/* endpoints.c -- parses the endpoints of an etcd cluster. */
#include "etcd/endpoints.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "etcd/etcd.h"

void lw_etcd_endpoints_done(lw_etcd_endpoints *endpoints)
{
    for (size_t i = 0; i < endpoints->count; i++) {
        lw_free(endpoints->items[i].url);
        lw_free(endpoints->items[i].host);
    }
    lw_free(endpoints->items);
    *endpoints = (lw_etcd_endpoints){ .items = NULL };
}

static bool is_host_char(char c)
{
    return lw_char_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_' || c == ':' || c == '%';
}

/* Removes "[HOST]" or "HOST" from the front of |*rest|; colons are allowed only in brackets. */
static bool take_host(lw_str *rest, lw_str *host)
{
    bool is_bracketed = rest->len > 0 && rest->ptr[0] == '[';
    lw_str tail;
    if (is_bracketed) {
        if (!lw_str_cut(lw_str_skip(*rest, 1), ']', host, &tail))
            return false;
    } else {
        size_t len = 0;
        while (len < rest->len && rest->ptr[len] != ':')
            len++;
        *host = lw_str_make(rest->ptr, len);
        tail = lw_str_skip(*rest, len);
    }
    *rest = tail;
    for (size_t i = 0; i < host->len; i++) {
        if (!is_host_char(host->ptr[i]))
            return false;
    }
    return host->len > 0;
}

static bool take_port(lw_str rest, uint16_t *port)
{
    uint64_t number = LW_ETCD_PORT;
    if (rest.len > 0 && (rest.ptr[0] != ':' || !lw_str_to_uint64(lw_str_skip(rest, 1), &number)))
        return false;
    if (number == 0 || number > UINT16_MAX)
        return false;
    *port = (uint16_t)number;
    return true;
}

static lw_status add_endpoint(lw_etcd_endpoints *out, lw_str text, lw_error *err)
{
    const lw_str http = LW_STR("http://"), https = LW_STR("https://");
    bool is_tls = lw_str_starts_with(text, https);
    lw_str rest = text, host;
    uint16_t port;
    if (is_tls)
        rest = lw_str_skip(rest, https.len);
    else if (lw_str_starts_with(rest, http))
        rest = lw_str_skip(rest, http.len);
    if (rest.len > 0 && rest.ptr[rest.len - 1] == '/')
        rest.len--;
    if (!take_host(&rest, &host) || !take_port(rest, &port))
        return lw_error_set(
            err, LW_ERR_INVALID,
            "\"%.*s\" is not an etcd endpoint: use http://HOST:PORT or https://HOST:PORT",
            LW_STR_ARG(text));
    if (out->count > 0 && is_tls != out->is_tls)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "\"%.*s\": some etcd endpoints use http and some https: use one scheme for all",
            LW_STR_ARG(text));
    if (out->count == LW_ETCD_ENDPOINTS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "too many etcd endpoints; the limit is %d",
                            LW_ETCD_ENDPOINTS_MAX);
    lw_etcd_endpoint *endpoint = &out->items[out->count++];
    *endpoint = (lw_etcd_endpoint){ lw_str_dup(text), lw_str_dup(host), port };
    out->is_tls = is_tls;
    return endpoint->url && endpoint->host ? LW_OK : lw_error_nomem(err);
}

lw_status lw_etcd_endpoints_parse(lw_etcd_endpoints *out, lw_str text, lw_error *err)
{
    lw_etcd_endpoints endpoints = { .count = 0 };
    lw_status st = LW_OK;
    endpoints.items = lw_alloc_zero(LW_ETCD_ENDPOINTS_MAX, sizeof(*endpoints.items));
    if (!endpoints.items)
        return lw_error_nomem(err);
    for (lw_str rest = text; st == LW_OK && rest.len > 0;) {
        lw_str one;
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (one.len > 0)
            st = add_endpoint(&endpoints, one, err);
    }
    if (st == LW_OK && endpoints.count == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "no etcd endpoint given: use http://HOST:PORT");
    if (st < 0) {
        lw_etcd_endpoints_done(&endpoints);
        return st;
    }
    *out = endpoints;
    return LW_OK;
}
