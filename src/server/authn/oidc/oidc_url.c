/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_url.c -- splits URLs. */
#include "server/authn/oidc/oidc_url.h"

#include <string.h>

#include "base/str.h"

enum {
    HTTPS_PORT = 443,
};

/* Returns true if all characters are visible ASCII. */
static bool is_visible(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f)
            return false;
    }
    return true;
}

static bool read_port(lw_str text, uint16_t *port)
{
    int64_t number = HTTPS_PORT;
    if (text.len > 0 && (!lw_str_to_int64(text, &number) || number < 1 || number > UINT16_MAX))
        return false;
    *port = (uint16_t)number;
    return true;
}

/* Splits "host:port" or "[host]:port". */
static bool split_host(lw_oidc_url *url, lw_str text)
{
    lw_str rest = { NULL, 0 };
    bool has_brackets = lw_str_starts_with(text, LW_STR("["));
    if (has_brackets && !lw_str_cut(lw_str_skip(text, 1), ']', &url->host, &rest))
        return false;
    if (!has_brackets) {
        (void)lw_str_cut(text, ':', &url->host, &rest);
        return !memchr(rest.ptr ? rest.ptr : "", ':', rest.len) && read_port(rest, &url->port);
    }
    if (rest.len > 0 && rest.ptr[0] != ':')
        return false;
    return read_port(rest.len > 0 ? lw_str_skip(rest, 1) : rest, &url->port);
}

bool lw_oidc_url_parse(lw_oidc_url *url, lw_str text)
{
    lw_str rest, before, user, host;
    *url = (lw_oidc_url){ .port = HTTPS_PORT };
    if (!is_visible(text))
        return false;
    (void)lw_str_cut(text, '#', &rest, &url->fragment);
    (void)lw_str_cut(rest, '?', &before, &url->query);
    size_t scheme_len = 0;
    while (scheme_len < before.len && before.ptr[scheme_len] != ':' &&
           before.ptr[scheme_len] != '/')
        scheme_len++;
    rest = before;
    if (scheme_len < before.len && before.ptr[scheme_len] == ':') {
        url->scheme = lw_str_make(before.ptr, scheme_len);
        rest = lw_str_skip(before, scheme_len + 1);
    }
    url->path = rest;
    if (!lw_str_starts_with(rest, LW_STR("//")))
        return true;
    rest = lw_str_skip(rest, 2);
    size_t len = 0;
    while (len < rest.len && rest.ptr[len] != '/')
        len++;
    url->path = lw_str_skip(rest, len);
    url->authority = lw_str_make(rest.ptr, len);
    url->has_user = lw_str_cut(url->authority, '@', &user, &host);
    return split_host(url, url->has_user ? host : url->authority);
}
