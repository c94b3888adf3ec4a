/* SPDX-License-Identifier: Apache-2.0 */
/* connect_internal.h -- for files of server/connect. */
#ifndef LW_SERVER_CONNECT_CONNECT_INTERNAL_H
#define LW_SERVER_CONNECT_CONNECT_INTERNAL_H

#include "api/services/service_address.h"
#include "base/sync.h"
#include "object/api_errors.h"
#include "server/connect/connect.h"
#include "server/connect/connect_path.h"

/* Whom a TLS context is for. */
typedef enum lw_connect_peer {
    LW_CONNECT_KUBELET,
    LW_CONNECT_KUBELET_UNVERIFIED, /* for insecureSkipTLSVerifyBackend */
    LW_CONNECT_ANYONE,             /* pods and services: no certificate, none verified */
    LW_CONNECT_PEERS,
} lw_connect_peer;

struct lw_connect {
    lw_api *api;
    lw_reverse_proxy *proxy;
    char *kubelet_ca, *kubelet_cert, *kubelet_key; /* PEM; empty: none */
    lw_mutex mu;                                   /* guards |tls| */
    lw_tls_context *tls[LW_CONNECT_PEERS];         /* NULL until they are needed */
    char *types_text;
    lw_str types[LW_CONNECT_TYPES_MAX]; /* views of types_text */
    size_t type_count;
    int64_t kubelet_timeout_ns;
    bool reaches_any_address;
};

/* A request that is being passed on. */
typedef struct lw_connect_request {
    lw_connect *connect;
    lw_http_stream *stream;
    const lw_user *user;
    lw_connect_path path;
} lw_connect_request;

/* Replies with |status|, which is taken. */
void lw_connect_refuse(const lw_connect_request *request, lw_api_status *status);
void lw_connect_refuse_bad(const lw_connect_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lw_connect_refuse_missing(const lw_connect_request *request, const lw_kind *kind, lw_str name);

/* Returns the object, to unref; NULL: it has been answered with 404. */
lw_object *lw_connect_get_ref(const lw_connect_request *request, const lw_kind *kind, lw_str ns,
                              lw_str name);

/* Forwards the request to |target| at |path|, which has a query if one is to be sent. */
void lw_connect_forward(const lw_connect_request *request, const lw_http_target *target,
                        lw_str path, bool is_long_running, int64_t head_timeout_ns);

/* connect_tls.c -- keeps the certificates.  LW_ERR_INVALID, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_connect_tls_open(lw_connect *connect, const lw_connect_options *options,
                                            lw_error *err);
void lw_connect_tls_close(lw_connect *connect);

/* Gets the context for |peer|, which lives as long as the connect.  False: out of memory; the
 * request has been answered. */
bool lw_connect_tls_find(const lw_connect_request *request, lw_connect_peer peer,
                         lw_tls_context **out);

/* kubelet_address.c -- finds the kubelet of |node|.  False: the request has been answered. */
bool lw_kubelet_address_find(const lw_connect_request *request, lw_str node,
                             lw_service_address *out);

/* pod_connect.c -- logs, exec, attach and port forwarding. */
void lw_pod_connect(const lw_connect_request *request);

/* connect_admission.c -- calls |go_on| when webhooks and policies of CONNECT have let the request
 * through, perhaps at once; or refuses it. */
void lw_connect_admit(const lw_connect_request *request,
                      void (*go_on)(const lw_connect_request *request));

/* address_proxy.c -- proxies. */
void lw_address_proxy(const lw_connect_request *request);

#endif
