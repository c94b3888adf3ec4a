/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.h -- where a server listens, as text: "127.0.0.1:6443", "[::1]:0", "localhost:8080". */
#ifndef LW_NET_ENDPOINT_H
#define LW_NET_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_ENDPOINT_HOST_SIZE = 46, /* of an IPv6 address as text, including the NUL */
};

typedef struct lw_endpoint {
    char host[LW_ENDPOINT_HOST_SIZE]; /* numeric, without brackets */
    uint16_t port;                    /* 0: any free port */
    bool is_v6;
    bool is_loopback;
    bool is_any; /* 0.0.0.0 or ::, all addresses of the machine */
} lw_endpoint;

/* Parses |text|; "localhost" is 127.0.0.1.  LW_ERR_INVALID, with examples. */
lw_status lw_endpoint_parse(lw_endpoint *out, lw_str text, lw_error *err);

/* True if |host| (without brackets or port) is "localhost" or a loopback address. */
bool lw_endpoint_host_is_loopback(lw_str host);

/* True if |host| is a numeric address. */
bool lw_endpoint_host_is_numeric(lw_str host);

/* Gets the host of "host", "host:port" or "[host]:port".  False: none of these. */
bool lw_endpoint_host_of(lw_str authority, lw_str *host);

/* Appends "127.0.0.1:6443" or "[::1]:6443". */
void lw_endpoint_write(const lw_endpoint *address, lw_buf *out);

/* Appends a URL that a client on this machine can use, e.g. "https://127.0.0.1:6443".  If the
 * address means all addresses, the loopback is used. */
void lw_endpoint_write_url(const lw_endpoint *address, const char *scheme, lw_buf *out);

#endif
