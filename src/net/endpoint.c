/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.c -- parses and writes the address that a server listens on. */
#include "net/endpoint.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/str.h"

/* A host as a numeric address of either family. */
typedef struct numeric {
    bool is_v6;
    struct in_addr v4;
    struct in6_addr v6;
} numeric;

static bool read_numeric(lw_str host, numeric *out)
{
    char text[LW_ENDPOINT_HOST_SIZE];
    if (host.len == 0 || host.len >= sizeof(text) || memchr(host.ptr, '\0', host.len))
        return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    out->is_v6 = inet_pton(AF_INET6, text, &out->v6) == 1;
    return out->is_v6 || inet_pton(AF_INET, text, &out->v4) == 1;
}

static bool v4_is_loopback(struct in_addr v4)
{
    return (ntohl(v4.s_addr) >> 24) == 127;
}

static bool numeric_is_loopback(const numeric *n)
{
    if (!n->is_v6)
        return v4_is_loopback(n->v4);
    if (IN6_IS_ADDR_V4MAPPED(&n->v6)) {
        struct in_addr v4;
        memcpy(&v4, (const char *)&n->v6 + 12, sizeof(v4));
        return v4_is_loopback(v4);
    }
    return IN6_IS_ADDR_LOOPBACK(&n->v6);
}

static bool numeric_is_any(const numeric *n)
{
    return n->is_v6 ? IN6_IS_ADDR_UNSPECIFIED(&n->v6) : n->v4.s_addr == htonl(INADDR_ANY);
}

static bool is_localhost(lw_str host)
{
    return host.len == 9 && strncasecmp(host.ptr, "localhost", 9) == 0;
}

bool lw_endpoint_host_is_loopback(lw_str host)
{
    numeric n;
    return is_localhost(host) || (read_numeric(host, &n) && numeric_is_loopback(&n));
}

bool lw_endpoint_host_is_numeric(lw_str host)
{
    numeric n;
    return read_numeric(host, &n);
}

/* Cuts off the port; |*port| is empty when there is none. */
static bool split(lw_str text, lw_str *host, lw_str *port)
{
    *port = lw_str_make(NULL, 0);
    if (text.len > 0 && text.ptr[0] == '[') {
        lw_str rest;
        if (!lw_str_cut(lw_str_skip(text, 1), ']', host, &rest))
            return false;
        if (rest.len > 0 && rest.ptr[0] != ':')
            return false;
        *port = lw_str_skip(rest, 1);
        return true;
    }
    (void)lw_str_cut(text, ':', host, port);
    return !memchr(port->len > 0 ? port->ptr : "", ':', port->len);
}

bool lw_endpoint_host_of(lw_str authority, lw_str *host)
{
    lw_str port;
    return split(authority, host, &port) && host->len > 0;
}

lw_status lw_endpoint_parse(lw_endpoint *out, lw_str text, lw_error *err)
{
    lw_str host, port;
    uint64_t number = 0;
    numeric n;
    bool is_good =
        split(text, &host, &port) && lw_str_to_uint64(port, &number) && number <= UINT16_MAX;
    if (is_good && is_localhost(host))
        host = LW_STR("127.0.0.1");
    if (!is_good || !read_numeric(host, &n))
        return lw_error_set(err, LW_ERR_INVALID,
                            "%.*s is not an address to listen on; use for example 127.0.0.1:6443, "
                            "[::1]:6443, or 127.0.0.1:0 for a free port",
                            LW_STR_ARG(text));
    memset(out, 0, sizeof(*out));
    memcpy(out->host, host.ptr, host.len);
    out->port = (uint16_t)number;
    out->is_v6 = n.is_v6;
    out->is_loopback = numeric_is_loopback(&n);
    out->is_any = numeric_is_any(&n);
    return LW_OK;
}

static void write_host_port(const char *host, bool is_v6, uint16_t port, lw_buf *out)
{
    lw_buf_printf(out, is_v6 ? "[%s]:%u" : "%s:%u", host, (unsigned)port);
}

void lw_endpoint_write(const lw_endpoint *address, lw_buf *out)
{
    write_host_port(address->host, address->is_v6, address->port, out);
}

void lw_endpoint_write_url(const lw_endpoint *address, const char *scheme, lw_buf *out)
{
    const char *host = address->host;
    if (address->is_any)
        host = address->is_v6 ? "::1" : "127.0.0.1";
    lw_buf_printf(out, "%s://", scheme);
    write_host_port(host, address->is_v6, address->port, out);
}
