/* SPDX-License-Identifier: Apache-2.0 */
/* source.c -- the API server that a mirror follows. */
#include "server/mirror/source.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

lw_status lw_mirror_source_open(lw_mirror_source *upstream, const char *kubeconfig,
                                const char *servers, lw_error *err)
{
    lw_webhook_config *config = &upstream->config;
    lw_status st = lw_webhook_config_read(config, kubeconfig, err);
    if (st < 0)
        return st;
    const char *urls = servers && *servers ? servers : config->url;
    st = lw_upstreams_new(&upstream->addresses, urls, config->is_tls, err);
    if (st < 0)
        return st;
    lw_buf identity;
    lw_buf_init(&identity, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_printf(&identity, "%s with CA %08" PRIx32, urls, config->ca_checksum);
    upstream->identity = lw_buf_take_text(&identity);
    lw_buf_done(&identity);
    return upstream->identity ? LW_OK : lw_error_nomem(err);
}

void lw_mirror_source_done(lw_mirror_source *upstream)
{
    lw_free(upstream->identity);
    lw_upstreams_unref(upstream->addresses);
    lw_webhook_config_done(&upstream->config);
    *upstream = (lw_mirror_source){ .identity = NULL };
}

lw_status lw_mirror_source_get(const lw_mirror_source *upstream, const lw_upstream *at,
                               lw_http_client *client, lw_str path, lw_str accept,
                               int64_t deadline_ns, const lw_http_call_sink *sink,
                               lw_http_call **out, lw_error *err)
{
    lw_webhook_headers headers;
    lw_http_call_options options = { .deadline_ns = deadline_ns };
    lw_buf whole;
    lw_buf_init(&whole, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_append_str(&whole, at->prefix);
    lw_buf_append_str(&whole, path);
    lw_status st = lw_webhook_config_prepare(&upstream->config, &options, &headers);
    options.target.host = at->address.host;
    options.target.port = at->address.port;
    options.method = LW_STR("GET");
    options.path = lw_buf_view(&whole);
    headers.at[0].value = accept;
    headers.at[1] = (lw_http_header){ LW_STR("x-listwatch-mirror"), LW_STR("true") };
    if (st == LW_OK)
        st = whole.st;
    st = st < 0 ? lw_error_nomem(err) : lw_http_client_call(out, client, &options, sink, err);
    lw_webhook_headers_done(&headers);
    lw_buf_done(&whole);
    return st;
}

void lw_mirror_source_append_authorization(const lw_mirror_source *upstream, lw_buf *out)
{
    lw_webhook_config_append_authorization(&upstream->config, out);
}

void lw_mirror_source_wipe(lw_buf *authorization)
{
    lw_webhook_headers headers = { .authorization = *authorization, .tls = NULL };
    lw_webhook_headers_done(&headers);
}

void lw_mirror_source_append_parameter(lw_buf *path, const char *name, lw_str value)
{
    static const char hex[] = "0123456789ABCDEF";
    bool has_query = path->len > 0 && memchr(path->data, '?', path->len) != NULL;
    lw_buf_printf(path, "%c%s=", has_query ? '&' : '?', name);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        bool is_plain = lw_char_is_digit((char)c) || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z') || (c != '\0' && strchr("-._~", c));
        if (is_plain) {
            lw_buf_append_char(path, (char)c);
        } else {
            lw_buf_append_char(path, '%');
            lw_buf_append_char(path, hex[c >> 4]);
            lw_buf_append_char(path, hex[c & 15]);
        }
    }
}
