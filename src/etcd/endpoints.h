/* SPDX-License-Identifier: Apache-2.0 */
/* endpoints.h -- parses the endpoints of an etcd cluster. */
#ifndef LW_ETCD_ENDPOINTS_H
#define LW_ETCD_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_ETCD_PORT = 2379, /* default port */
};

typedef struct lw_etcd_endpoint {
    char *url;  /* e.g. "http://[::1]:2379", for messages */
    char *host; /* e.g. "::1" */
    uint16_t port;
} lw_etcd_endpoint;

typedef struct lw_etcd_endpoints {
    lw_etcd_endpoint *items;
    size_t count;
    bool is_tls;
} lw_etcd_endpoints;

/* Parses a comma-separated list of "http://HOST:PORT" or "https://HOST:PORT", all with the same
 * scheme; the defaults are http and port 2379.  LW_ERR_INVALID: the message names the endpoint;
 * LW_ERR_NOMEM.  After an error there is nothing to free. */
lw_status lw_etcd_endpoints_parse(lw_etcd_endpoints *out, lw_str text, lw_error *err);

void lw_etcd_endpoints_done(lw_etcd_endpoints *endpoints);

#endif
