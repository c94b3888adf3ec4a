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
    LW_ENDPOINT_HOST_SIZE = 46, /* of an IPv6 address in text, with its NUL */
};

typedef struct lw_endpoint {
    char host[LW_ENDPOINT_HOST_SIZE]; /* numeric, without brackets */
    uint16_t port;                    /* 0: any that is free */
    bool is_v6;
    bool is_loopback;
    bool is_any; /* 0.0.0.0 or ::, all of the machine's addresses */
} lw_endpoint;

/* Reads |text|; "localhost" is 127.0.0.1.  LW_ERR_INVALID, with what it should look like. */
lw_status lw_endpoint_parse(lw_endpoint *out, lw_str text, lw_error *err);

/* True when |host| (no brackets, no port) is "localhost" or an address of the loopback. */
bool lw_endpoint_host_is_loopback(lw_str host);

/* True when |host| is a numeric address. */
bool lw_endpoint_host_is_numeric(lw_str host);

/* Cuts "host", "host:port" or "[host]:port" into the bare host.  False: it is none of these. */
bool lw_endpoint_host_of(lw_str authority, lw_str *host);

/* Appends "127.0.0.1:6443" or "[::1]:6443". */
void lw_endpoint_write(const lw_endpoint *address, lw_buf *out);

/* Appends what a client on this machine can call: "https://127.0.0.1:6443".  All addresses are
 * called by the loopback. */
void lw_endpoint_write_url(const lw_endpoint *address, const char *scheme, lw_buf *out);

#endif
