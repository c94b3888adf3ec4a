/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c -- parses the URL of a server. */
#include "transport/upstream.h"

#include <strings.h>

#include "base/error.h"
#include "base/str.h"

enum {
    PORT_HTTP = 80,
    PORT_HTTPS = 443,
    PORT_MAX = 65535,
};

bool lw_is_url_text(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c >= 0x7f)
            return false;
    }
    return true;
}

/* Removes |prefix| from |*url|; schemes are case-insensitive (RFC 3986 section 3.1). */
static bool take_scheme(lw_str *url, lw_str prefix)
{
    if (url->len < prefix.len || strncasecmp(url->ptr, prefix.ptr, prefix.len) != 0)
        return false;
    *url = lw_str_skip(*url, prefix.len);
    return true;
}

/* Splits "host", "host:1" or "[v6]:1"; |*port| is empty if there is none. */
static bool cut_authority(lw_str authority, lw_str *host, lw_str *port)
{
    *port = LW_STR("");
    if (authority.len > 0 && authority.ptr[0] == '[') {
        lw_str rest;
        if (!lw_str_cut(lw_str_skip(authority, 1), ']', host, &rest))
            return false;
        if (rest.len == 0)
            return true;
        *port = lw_str_skip(rest, 1);
        return rest.ptr[0] == ':' && port->len > 0;
    }
    if (!lw_str_cut(authority, ':', host, port))
        return true;
    return port->len > 0;
}

static bool read_authority(lw_origin *origin)
{
    lw_str port;
    if (!cut_authority(origin->authority, &origin->host, &port) || origin->host.len == 0)
        return false;
    origin->port = origin->is_tls ? PORT_HTTPS : PORT_HTTP;
    uint64_t number = 0;
    if (port.len == 0)
        return true;
    if (!lw_str_to_uint64(port, &number) || number == 0 || number > PORT_MAX)
        return false;
    origin->port = (uint16_t)number;
    return true;
}

lw_status lw_origin_parse(lw_origin *out, lw_str url, lw_error *err)
{
    lw_origin origin = { .is_tls = true };
    lw_str rest = url;
    if (!take_scheme(&rest, LW_STR("https://"))) {
        origin.is_tls = false;
        if (!take_scheme(&rest, LW_STR("http://")))
            return lw_error_set(
                err, LW_ERR_INVALID,
                "server \"%.*s\" is not a URL; the expected form is https://HOST:PORT",
                LW_STR_ARG(url));
    }
    size_t slash = 0;
    while (slash < rest.len && rest.ptr[slash] != '/')
        slash++;
    origin.authority = lw_str_make(rest.ptr, slash);
    origin.path = lw_str_skip(rest, slash);
    while (origin.path.len > 0 && origin.path.ptr[origin.path.len - 1] == '/')
        origin.path.len--;
    bool is_plain = lw_is_url_text(rest);
    for (size_t i = 0; i < rest.len; i++)
        is_plain = is_plain && rest.ptr[i] != '@' && rest.ptr[i] != '?' && rest.ptr[i] != '#';
    if (!is_plain || !read_authority(&origin))
        return lw_error_set(err, LW_ERR_INVALID,
                            "server \"%.*s\" does not have the form https://HOST:PORT/PATH",
                            LW_STR_ARG(url));
    *out = origin;
    return LW_OK;
}
