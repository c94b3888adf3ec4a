/* SPDX-License-Identifier: Apache-2.0 */
/* endpoints.h -- where the members of an etcd are. */
#ifndef LW_ETCD_ENDPOINTS_H
#define LW_ETCD_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_ETCD_PORT = 2379, /* where none is named */
};

typedef struct lw_etcd_endpoint {
    char *url;  /* "http://[::1]:2379", for people */
    char *host; /* "::1" */
    uint16_t port;
} lw_etcd_endpoint;

typedef struct lw_etcd_endpoints {
    lw_etcd_endpoint *items;
    size_t count;
    bool is_tls;
} lw_etcd_endpoints;

/* Reads a list with commas: "http://HOST:PORT" or "https://...", all the same; without a scheme it
 * is http, without a port 2379.  LW_ERR_INVALID, which names the one at fault; LW_ERR_NOMEM.  On
 * failure there is nothing to free. */
lw_status lw_etcd_endpoints_parse(lw_etcd_endpoints *out, lw_str text, lw_error *err);

void lw_etcd_endpoints_done(lw_etcd_endpoints *endpoints);

#endif
