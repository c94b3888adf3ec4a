/* SPDX-License-Identifier: Apache-2.0 */
/* source.c -- the API server that a mirror follows. */
#include "server/mirror/source.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"

lw_status lw_mirror_source_open(lw_mirror_source *upstream, const char *kubeconfig, lw_error *err)
{
    lw_status st = lw_webhook_config_read(&upstream->config, kubeconfig, err);
    if (st < 0)
        return st;
    upstream->prefix = lw_str_of(upstream->config.path);
    while (upstream->prefix.len > 0 && upstream->prefix.ptr[upstream->prefix.len - 1] == '/')
        upstream->prefix.len--;
    return LW_OK;
}

void lw_mirror_source_done(lw_mirror_source *upstream)
{
    lw_webhook_config_done(&upstream->config);
}

lw_status lw_mirror_source_get(const lw_mirror_source *upstream, lw_http_client *client,
                               lw_str path, lw_str accept, int64_t deadline_ns,
                               const lw_http_call_sink *sink, lw_http_call **out, lw_error *err)
{
    lw_webhook_headers headers;
    lw_http_call_options options = { .deadline_ns = deadline_ns };
    lw_buf whole;
    lw_buf_init(&whole, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_append_str(&whole, upstream->prefix);
    lw_buf_append_str(&whole, path);
    lw_status st = lw_webhook_config_prepare(&upstream->config, &options, &headers);
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
    lw_webhook_headers headers = { .authorization = *authorization };
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
