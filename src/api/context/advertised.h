/* SPDX-License-Identifier: Apache-2.0 */
/* advertised.h -- what kube-apiserver makes at its start for a cluster, besides namespaces and
 * roles: priority classes, and the Service default/kubernetes with its endpoint, where clients in
 * the cluster reach this server.  Zeroed: neither. */
#ifndef LW_API_CONTEXT_ADVERTISED_H
#define LW_API_CONTEXT_ADVERTISED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LW_ADVERTISED_SIZE = 46, /* of an address as text, including the NUL */
};

typedef struct lw_advertised {
    bool has_classes;                 /* the priority classes of the system exist */
    uint16_t port;                    /* 0: this server has no Service */
    char address[LW_ADVERTISED_SIZE]; /* numeric; empty: the Service has no endpoints */
} lw_advertised;

#endif
