/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.c -- a checked copy of an lw_transport_endpoint in the form that curl needs. */
#include "transport/upstream.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum {
    URL_MAX = 4096, /* bytes of the URL of a server or a proxy, and of values made from them */
};

static lw_status check_certificates(const lw_transport_endpoint *from, lw_error *err)
{
    lw_status st = LW_OK;
    if (from->ca_pem.len > 0)
        st = lw_pem_check_certificate(from->ca_pem, "the certificate authority", err);
    if (st == LW_OK && from->cert_pem.len > 0)
        st = lw_pem_check_certificate(from->cert_pem, "the client certificate", err);
    if (st == LW_OK && from->key_pem.len > 0)
        st = lw_pem_check_key(from->key_pem, "the client key", err);
    if (st == LW_OK && (from->cert_pem.len > 0) != (from->key_pem.len > 0))
        st = lw_error_set(err, LW_ERR_INVALID, "a client %s is configured without its %s",
                          from->cert_pem.len > 0 ? "certificate" : "key",
                          from->cert_pem.len > 0 ? "key" : "certificate");
    return st;
}

static void append_host(lw_buf *buf, lw_str host)
{
    bool is_ipv6 = host.len > 0 && memchr(host.ptr, ':', host.len) != NULL;
    lw_buf_append_text(buf, is_ipv6 ? "[" : "");
    lw_buf_append_str(buf, host);
    lw_buf_append_text(buf, is_ipv6 ? "]" : "");
}

static void append_host_port(lw_buf *buf, lw_str host, uint16_t port)
{
    append_host(buf, host);
    lw_buf_append_char(buf, ':');
    lw_buf_append_uint(buf, port);
}

/* curl uses the host of the URL for TLS.  If the TLS name differs from the address, the name is in
 * the URL, and connect_to maps it to the address. */
static lw_status write_addresses(lw_upstream *upstream, const lw_origin *origin, lw_str tls_name)
{
    bool is_renamed = origin->is_tls && tls_name.len > 0 && !lw_str_equal(tls_name, origin->host);
    lw_buf text;
    lw_buf_init(&text, URL_MAX);
    lw_buf_append_text(&text, origin->is_tls ? "https://" : "http://");
    if (is_renamed)
        append_host_port(&text, tls_name, origin->port);
    else
        lw_buf_append_str(&text, origin->authority);
    lw_buf_append_str(&text, origin->path);
    upstream->base_url = lw_buf_take_text(&text);
    if (is_renamed) {
        lw_buf_append_text(&text, "Host: ");
        lw_buf_append_str(&text, origin->authority);
        upstream->host_header = lw_buf_take_text(&text);
        append_host_port(&text, tls_name, origin->port);
        lw_buf_append_char(&text, ':');
        append_host_port(&text, origin->host, origin->port);
        upstream->connect_to = lw_buf_take_text(&text);
    }
    lw_buf_done(&text);
    bool is_good =
        upstream->base_url && (!is_renamed || (upstream->host_header && upstream->connect_to));
    return is_good ? LW_OK : LW_ERR_NOMEM;
}

/* With "socks5://" the proxy resolves the name, as in clients of Kubernetes; curl calls that
 * socks5h. */
static lw_status write_proxy(lw_upstream *upstream, const char *url, lw_error *err)
{
    static const lw_str schemes[] = { LW_STR_INIT("http://"), LW_STR_INIT("https://"),
                                      LW_STR_INIT("socks5://"), LW_STR_INIT("socks5h://") };
    lw_str text = lw_str_of(url);
    if (text.len == 0)
        return LW_OK;
    bool is_known = false;
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
        is_known = is_known || lw_str_starts_with(text, schemes[i]);
    if (!is_known || text.len > URL_MAX || !lw_is_url_text(text))
        return lw_error_set(err, LW_ERR_INVALID,
                            "proxy \"%s\" is not the URL of an http, https or socks5 proxy", url);
    lw_buf buf;
    lw_buf_init(&buf, URL_MAX + 1);
    if (lw_str_starts_with(text, LW_STR("socks5://"))) {
        lw_buf_append_text(&buf, "socks5h");
        text = lw_str_skip(text, strlen("socks5"));
    }
    lw_buf_append_str(&buf, text);
    upstream->proxy_url = lw_buf_take_text(&buf);
    lw_buf_done(&buf);
    return upstream->proxy_url ? LW_OK : lw_error_nomem(err);
}

static bool copy_view(lw_str *out, lw_str from)
{
    if (from.len == 0)
        return true;
    char *copy = lw_str_dup(from);
    *out = lw_str_make(copy, copy ? from.len : 0);
    return copy != NULL;
}

lw_status lw_upstream_init(lw_upstream *upstream, const lw_transport_endpoint *from, lw_error *err)
{
    lw_str server = lw_str_of(from->server), tls_name = lw_str_of(from->tls_server_name);
    lw_origin origin;
    lw_upstream made = { .is_insecure = from->is_insecure };
    lw_status st = lw_origin_parse(&origin, server, err);
    if (st < 0)
        return st;
    if (server.len + tls_name.len > URL_MAX / 4 || !lw_is_url_text(tls_name))
        return lw_error_set(err, LW_ERR_INVALID,
                            "tls-server-name \"%.*s\" is not a valid host name",
                            LW_STR_ARG(tls_name));
    st = origin.is_tls ? check_certificates(from, err) : LW_OK;
    if (st < 0)
        return st;
    made.is_tls = origin.is_tls;
    made.server = lw_str_dup(server);
    st = made.server ? write_addresses(&made, &origin, tls_name) : LW_ERR_NOMEM;
    if (st == LW_OK && origin.is_tls &&
        (!copy_view(&made.ca_pem, from->ca_pem) || !copy_view(&made.cert_pem, from->cert_pem) ||
         !copy_view(&made.key_pem, from->key_pem)))
        st = LW_ERR_NOMEM;
    if (st == LW_ERR_NOMEM)
        (void)lw_error_nomem(err);
    if (st == LW_OK)
        st = write_proxy(&made, from->proxy_url, err);
    if (st < 0) {
        lw_upstream_done(&made);
        return st;
    }
    *upstream = made;
    return LW_OK;
}

static bool copy_text(char **out, const char *from)
{
    if (!from)
        return true;
    *out = lw_str_dup(lw_str_of(from));
    return *out != NULL;
}

lw_status lw_upstream_copy(lw_upstream *upstream, const lw_upstream *from)
{
    lw_upstream made = { .is_tls = from->is_tls, .is_insecure = from->is_insecure };
    bool is_whole =
        copy_text(&made.server, from->server) && copy_text(&made.base_url, from->base_url) &&
        copy_text(&made.host_header, from->host_header) &&
        copy_text(&made.connect_to, from->connect_to) &&
        copy_text(&made.proxy_url, from->proxy_url) && copy_view(&made.ca_pem, from->ca_pem) &&
        copy_view(&made.cert_pem, from->cert_pem) && copy_view(&made.key_pem, from->key_pem);
    if (!is_whole) {
        lw_upstream_done(&made);
        return LW_ERR_NOMEM;
    }
    *upstream = made;
    return LW_OK;
}

static void wipe_and_free(lw_str owned)
{
    if (!owned.ptr)
        return;
    char *bytes = (char *)(uintptr_t)owned.ptr;
    explicit_bzero(bytes, owned.len);
    lw_free(bytes);
}

void lw_upstream_done(lw_upstream *upstream)
{
    lw_free(upstream->server);
    lw_free(upstream->base_url);
    lw_free(upstream->host_header);
    lw_free(upstream->connect_to);
    lw_free(upstream->proxy_url);
    wipe_and_free(upstream->ca_pem);
    wipe_and_free(upstream->cert_pem);
    wipe_and_free(upstream->key_pem);
    *upstream = (lw_upstream){ 0 };
}

static bool is_same_text(const char *a, const char *b)
{
    return lw_str_equal(lw_str_of(a), lw_str_of(b));
}

bool lw_upstream_is_same(const lw_upstream *a, const lw_upstream *b)
{
    return a->is_insecure == b->is_insecure && is_same_text(a->base_url, b->base_url) &&
           is_same_text(a->host_header, b->host_header) &&
           is_same_text(a->connect_to, b->connect_to) && is_same_text(a->proxy_url, b->proxy_url) &&
           lw_str_equal(a->ca_pem, b->ca_pem) && lw_str_equal(a->cert_pem, b->cert_pem) &&
           lw_str_equal(a->key_pem, b->key_pem);
}
