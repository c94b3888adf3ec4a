/* SPDX-License-Identifier: Apache-2.0 */
/* authn_origin.c -- compares a request's Origin, Host and Sec-Fetch-* headers. */
#include "server/authn/authn_origin.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "net/endpoint.h"

/* Cuts "https://host:port" into scheme and authority.  False for "null" and anything else. */
static bool cut_origin(lw_str origin, lw_str *scheme, lw_str *authority)
{
    lw_str rest;
    if (!lw_str_cut(origin, ':', scheme, &rest) || !lw_str_starts_with(rest, LW_STR("//")))
        return false;
    *authority = lw_str_skip(rest, 2);
    return scheme->len > 0 && authority->len > 0;
}

static bool equals_ignoring_case(lw_str a, lw_str b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* True if |origin| is where |request| was sent to.  Browsers leave the default port out of both
 * headers. */
static bool is_own(const lw_http_request *request, lw_str origin)
{
    lw_str scheme, authority, host;
    return cut_origin(origin, &scheme, &authority) &&
           lw_http_name_is(scheme, request->peer->is_tls ? LW_STR("https") : LW_STR("http")) &&
           lw_http_request_header(request, "host", &host) && equals_ignoring_case(authority, host);
}

static bool is_allowed(lw_str origin, lw_str allowed)
{
    while (allowed.len > 0) {
        lw_str one;
        (void)lw_str_cut(allowed, ',', &one, &allowed);
        if (equals_ignoring_case(lw_str_trim(one), origin))
            return true;
    }
    return false;
}

static bool is_write(const lw_http_request *request)
{
    return request->method != LW_HTTP_GET && request->method != LW_HTTP_HEAD &&
           request->method != LW_HTTP_OPTIONS;
}

static bool has(const lw_http_request *request, const char *name, lw_str value)
{
    lw_str found;
    return lw_http_request_header(request, name, &found) && lw_str_equal(found, value);
}

/* True if the user follows a link to the server: the page with the link cannot read the reply. */
static bool is_link(const lw_http_request *request)
{
    return request->method == LW_HTTP_GET && !request->is_websocket &&
           has(request, "sec-fetch-mode", LW_STR("navigate")) &&
           has(request, "sec-fetch-dest", LW_STR("document"));
}

/* True if a browser says that another page sends the request.  Another port of the same host is
 * "same-site". */
static bool is_fetched_by_other_page(const lw_http_request *request)
{
    lw_str site;
    return lw_http_request_header(request, "sec-fetch-site", &site) &&
           !lw_str_equal(site, LW_STR("same-origin")) && !lw_str_equal(site, LW_STR("none")) &&
           !is_link(request);
}

/* False if a page's own host name resolves to this machine (DNS rebinding). */
static bool is_for_this_machine(const lw_http_request *request)
{
    lw_str value, host;
    if (!lw_http_request_header(request, "host", &value) || value.len == 0)
        return true;
    return lw_endpoint_host_of(value, &host) &&
           (lw_endpoint_host_is_loopback(host) || lw_endpoint_host_is_numeric(host));
}

bool lw_authn_origin_check(const lw_http_request *request, lw_str allowed, lw_str *why)
{
    bool is_plain = !request->peer->is_tls;
    lw_str origin;
    bool has_origin = lw_http_request_header(request, "origin", &origin);
    if (has_origin && is_allowed(origin, allowed))
        return true;
    if (is_plain && !is_for_this_machine(request)) {
        *why = LW_STR("plain HTTP requests for other hosts are not allowed: use the host 127.0.0.1 "
                      "or localhost");
        return false;
    }
    bool is_checked = is_plain || request->is_websocket || is_write(request);
    bool is_foreign = has_origin && is_checked && !is_own(request, origin);
    if (is_foreign || (is_plain && !has_origin && is_fetched_by_other_page(request))) {
        *why = LW_STR("requests from pages of other sites are not allowed: start the server with "
                      "--allow-origin and the origin of the page, e.g. https://ui.example.com");
        return false;
    }
    return true;
}

bool lw_authn_origin_is_own(const lw_http_request *request)
{
    bool is_read = !is_write(request) && !request->is_websocket;
    lw_str value;
    if (lw_http_request_header(request, "sec-fetch-site", &value) &&
        !lw_str_equal(value, LW_STR("same-origin")) &&
        !(is_read && lw_str_equal(value, LW_STR("none"))))
        return false;
    if (lw_http_request_header(request, "origin", &value))
        return is_own(request, value);
    return is_read;
}

bool lw_authn_origins_are_valid(lw_str allowed)
{
    while (allowed.len > 0) {
        lw_str one, scheme, authority, host;
        (void)lw_str_cut(allowed, ',', &one, &allowed);
        if (!cut_origin(lw_str_trim(one), &scheme, &authority) ||
            memchr(authority.ptr, '/', authority.len) || !lw_endpoint_host_of(authority, &host) ||
            host.len == 0)
            return false;
    }
    return true;
}
