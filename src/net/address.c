/* SPDX-License-Identifier: Apache-2.0 */
/* address.c -- IPv4 and IPv6 addresses with ports; host names are not resolved. */
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* Splits "host:port" at its last colon. */
static bool cut_port(lw_str text, lw_str *host, uint16_t *port)
{
    size_t colon = text.len;
    uint64_t number;
    while (colon > 0 && text.ptr[colon - 1] != ':')
        colon--;
    if (colon == 0 || !lw_str_to_uint64(lw_str_skip(text, colon), &number) || number > UINT16_MAX)
        return false;
    *host = lw_str_make(text.ptr, colon - 1);
    *port = (uint16_t)number;
    return true;
}

static bool parse_v4(lw_address *out, const char *host, uint16_t port)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
    if (inet_pton(AF_INET, host, &v4.sin_addr) != 1)
        return false;
    memcpy(&out->storage, &v4, sizeof(v4));
    out->len = sizeof(v4);
    return true;
}

static bool parse_v6(lw_address *out, const char *host, uint16_t port)
{
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
    if (inet_pton(AF_INET6, host, &v6.sin6_addr) != 1)
        return false;
    memcpy(&out->storage, &v6, sizeof(v6));
    out->len = sizeof(v6);
    return true;
}

lw_status lw_address_parse(lw_address *out, lw_str text, lw_error *err)
{
    lw_str host;
    uint16_t port;
    char name[INET6_ADDRSTRLEN];
    lw_address parsed = { .len = 0 };
    bool is_good = cut_port(text, &host, &port);
    bool is_v6 = is_good && host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    if (is_v6)
        host = lw_str_make(host.ptr + 1, host.len - 2);
    if (is_good && host.len < sizeof(name) && !memchr(host.ptr, '\0', host.len)) {
        memcpy(name, host.ptr, host.len);
        name[host.len] = '\0';
        is_good = is_v6 ? parse_v6(&parsed, name, port) : parse_v4(&parsed, name, port);
    } else {
        is_good = false;
    }
    if (!is_good)
        return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not an IP address and a port",
                            LW_STR_ARG(text));
    *out = parsed;
    return LW_OK;
}

lw_str lw_address_format(const lw_address *address, char out[LW_ADDRESS_SIZE])
{
    char host[INET6_ADDRSTRLEN] = "";
    int len;
    if (address->storage.ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, &address->storage, sizeof(v4));
        (void)inet_ntop(AF_INET, &v4.sin_addr, host, sizeof(host));
        len = snprintf(out, LW_ADDRESS_SIZE, "%s:%u", host, (unsigned)ntohs(v4.sin_port));
    } else if (address->storage.ss_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, &address->storage, sizeof(v6));
        (void)inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof(host));
        len = snprintf(out, LW_ADDRESS_SIZE, "[%s]:%u", host, (unsigned)ntohs(v6.sin6_port));
    } else {
        len = snprintf(out, LW_ADDRESS_SIZE, "?");
    }
    return lw_str_make(out, len > 0 ? (size_t)len : 0);
}

uint16_t lw_address_port(const lw_address *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    if (address->storage.ss_family == AF_INET) {
        memcpy(&v4, &address->storage, sizeof(v4));
        return ntohs(v4.sin_port);
    }
    memcpy(&v6, &address->storage, sizeof(v6));
    return ntohs(v6.sin6_port);
}
