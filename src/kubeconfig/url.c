/* SPDX-License-Identifier: Apache-2.0 */
/* url.c -- checks the URLs of servers and proxies. */
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/cluster.h"

typedef struct url_parts {
    lw_str scheme, authority, path; /* path with query and fragment */
} url_parts;

/* Splits "scheme://authority/path"; without a scheme, all of it is authority and path. */
static url_parts url_cut(lw_str text)
{
    url_parts url = { 0 };
    for (size_t i = 0; i + 2 < text.len; i++) {
        if (text.ptr[i] == ':' && text.ptr[i + 1] == '/' && text.ptr[i + 2] == '/') {
            url.scheme = lw_str_make(text.ptr, i);
            text = lw_str_skip(text, i + 3);
            break;
        }
        if (text.ptr[i] == '/')
            break;
    }
    size_t end = 0;
    while (end < text.len && text.ptr[end] != '/')
        end++;
    url.authority = lw_str_make(text.ptr, end);
    url.path = lw_str_skip(text, end);
    return url;
}

/* Returns true if |text| has only characters of URLs: no spaces, no control characters, only
 * ASCII. */
static bool is_plain(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '\\' || c == '^' ||
            c == '`' || c == '{' || c == '|' || c == '}')
            return false;
    }
    return true;
}

static bool is_port(lw_str text)
{
    uint64_t port = 0;
    return lw_str_to_uint64(text, &port) && port >= 1 && port <= 65535;
}

static bool has_char(lw_str text, char c)
{
    return text.len > 0 && memchr(text.ptr, c, text.len);
}

/* "host", "host:6443", "[::1]:6443". */
static bool is_host(lw_str text)
{
    if (text.len > 0 && text.ptr[0] == '[') {
        lw_str inside;
        lw_str after;
        if (!lw_str_cut(lw_str_skip(text, 1), ']', &inside, &after) || inside.len == 0)
            return false;
        return after.len == 0 || (after.ptr[0] == ':' && is_port(lw_str_skip(after, 1)));
    }
    lw_str host;
    lw_str port;
    bool has_port = lw_str_cut(text, ':', &host, &port);
    return host.len > 0 && !has_char(host, '@') && (!has_port || is_port(port));
}

static lw_status bad_server(const char *from, const char *text, const char *problem, lw_error *err)
{
    return lw_error_set(err, LW_ERR_INVALID,
                        "%s: server \"%s\" %s; the expected form is "
                        "\"https://host:6443\"",
                        from, text, problem);
}

lw_status lw_server_url_read(const char *text, bool is_tls, const char *from, char **out,
                             lw_error *err)
{
    lw_str all = lw_str_of(text);
    url_parts url = url_cut(all);
    if (!is_plain(all))
        return bad_server(from, text, "contains characters that are not allowed in a URL", err);
    if (url.scheme.len > 0 && !lw_str_equal(url.scheme, LW_STR("https")) &&
        !lw_str_equal(url.scheme, LW_STR("http")))
        return bad_server(from, text, "has a scheme other than https and http", err);
    if (has_char(url.authority, '@'))
        return bad_server(from, text, "contains a user name, which belongs into \"users\"", err);
    if (!is_host(url.authority))
        return bad_server(from, text, "has no host or an invalid port", err);
    if (has_char(all, '?') || has_char(all, '#'))
        return bad_server(from, text, "has a query or fragment", err);
    while (url.path.len > 0 && url.path.ptr[url.path.len - 1] == '/')
        url.path.len--;
    lw_buf full;
    lw_buf_init(&full, LW_TREE_LIMIT);
    if (url.scheme.len == 0)
        url.scheme = is_tls ? LW_STR("https") : LW_STR("http");
    lw_buf_append_str(&full, url.scheme);
    lw_buf_append_text(&full, "://");
    lw_buf_append_str(&full, url.authority);
    lw_buf_append_str(&full, url.path);
    char *made = lw_buf_take_text(&full);
    lw_buf_done(&full);
    if (!made)
        return lw_error_nomem(err);
    *out = made;
    return LW_OK;
}

lw_status lw_proxy_url_check(const char *text, const char *from, lw_error *err)
{
    static const lw_str schemes[] = { LW_STR_INIT("http"), LW_STR_INIT("https"),
                                      LW_STR_INIT("socks5"), LW_STR_INIT("socks5h") };
    url_parts url = url_cut(lw_str_of(text));
    bool is_known = false;
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
        is_known = is_known || lw_str_equal(url.scheme, schemes[i]);
    lw_str user;
    lw_str host;
    if (!lw_str_cut(url.authority, '@', &user, &host))
        host = url.authority;
    if (is_known && is_plain(lw_str_of(text)) && is_host(host))
        return LW_OK;
    /* The URL may contain a password, so the message does not repeat it. */
    return lw_error_set(err, LW_ERR_INVALID,
                        "%s: proxy-url is not a valid proxy URL; the expected form is "
                        "\"http://host:3128\", \"https://...\" or \"socks5://...\"",
                        from);
}
