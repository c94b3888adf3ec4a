/* SPDX-License-Identifier: Apache-2.0 */
/* address.h -- socket addresses and their text: "127.0.0.1:6443", "[::1]:0". */
#ifndef LW_NET_ADDRESS_H
#define LW_NET_ADDRESS_H

#include <stdint.h>
#include <sys/socket.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_ADDRESS_SIZE = 56, /* "[" IPv6 "]:65535" and the NUL */
};

typedef struct lw_address {
    struct sockaddr_storage storage;
    socklen_t len;
} lw_address;

/* Parses |text|.  LW_ERR_INVALID: not an IP address and a port. */
lw_status lw_address_parse(lw_address *out, lw_str text, lw_error *err);

/* Writes the address as NUL-terminated text and returns a view of it; "?" if it is not an IP
 * address. */
lw_str lw_address_format(const lw_address *address, char out[LW_ADDRESS_SIZE]);

uint16_t lw_address_port(const lw_address *address);

#endif
