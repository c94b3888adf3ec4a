/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h -- who is at the other end of a connection. */
#ifndef LW_NET_TLS_PEER_H
#define LW_NET_TLS_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/str.h>

/* The client as far as it is known from TLS. */
typedef struct lw_peer {
    bool is_tls;
    bool is_verified;   /* its certificate is signed by the client CA */
    bool is_proxy;      /* its certificate is signed by the CA of an authenticating proxy */
    lw_str common_name; /* from its certificate; empty if there is none */
    const lw_str *organizations;
    size_t organization_count;
    lw_str address; /* e.g. "127.0.0.1:4711" */
} lw_peer;

#endif
