/* SPDX-License-Identifier: Apache-2.0 */
/* connect.h -- requests that are passed on to a kubelet, a pod, a service or a node: logs, exec,
 * attach, port forwarding, and proxies.
 *
 *     request ──▶ path (connect_path.h) ──▶ pod_connect.c    to the kubelet of the pod's node
 *                                      └──▶ address_proxy.c  to a pod, a service or a node
 *                                              └──▶ reverse_proxy.h
 *
 * Threads: the loops of the API. */
#ifndef LW_SERVER_CONNECT_CONNECT_H
#define LW_SERVER_CONNECT_CONNECT_H

#include "api/api.h"
#include "server/proxy/reverse_proxy.h"

typedef struct lw_connect lw_connect;

enum {
    LW_CONNECT_KUBELET_PORT = 10250, /* of nodes that do not name theirs */
    LW_CONNECT_TYPES_MAX = 16,       /* preferred types of addresses */
};

typedef struct lw_connect_options {
    lw_reverse_proxy *proxy;
    lw_str kubelet_ca;                /* PEM, verifies kubelets; empty: any certificate is taken */
    lw_str kubelet_cert, kubelet_key; /* PEM, of this server; empty: none */
    bool is_generated;                /* these certificates: they are not checked at start */
    lw_str address_types;             /* "Hostname,InternalIP": preferred addresses of nodes */
    int64_t kubelet_timeout_ns;       /* until a kubelet begins to answer */
    /* Proxies may also reach addresses that kube-apiserver refuses: loopback and link-local ones,
     * and endpoints that are not pods. */
    bool reaches_any_address;
} lw_connect_options;

/* |options| are copied but for the proxy, which outlives it.  LW_ERR_INVALID (a
 * certificate cannot be read, or too many types), LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_connect_new(lw_connect **out, const lw_connect_options *options,
                                       lw_error *err);
void lw_connect_free(lw_connect *connect); /* NULL does nothing */

/* Sets the API whose objects are read, before the first request; it outlives |connect|. */
void lw_connect_use(lw_connect *connect, lw_api *api);

/* Passes the request of |stream| by |user|, who is authorized, on, and replies in any case.  False:
 * its path is none of these, and there was no reply. */
bool lw_connect_serve(lw_connect *connect, lw_http_stream *stream, const lw_user *user);

#endif
