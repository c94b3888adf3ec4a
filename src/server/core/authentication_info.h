/* SPDX-License-Identifier: Apache-2.0 */
/* authentication_info.h -- the authenticating proxy of the server, and the ConfigMap
 * kube-system/extension-apiserver-authentication, from which aggregated API servers learn how to
 * authenticate the requests that this server passes on: the CA of clients, and the CA and headers
 * of the proxy. */
#ifndef LW_SERVER_CORE_AUTHENTICATION_INFO_H
#define LW_SERVER_CORE_AUTHENTICATION_INFO_H

#include <listwatch/server.h>

#include "api/api.h"
#include "server/authn/request_header.h"

typedef struct lw_front_proxy {
    lw_request_headers headers; /* views of |texts| */
    char *ca;                   /* PEM */
    char *texts[5];
} lw_front_proxy;

/* Reads the options; |*out| stays NULL if there is no proxy.  LW_ERR_INVALID, and the errors of
 * reading the file. */
LW_MUST_CHECK lw_status lw_front_proxy_open(lw_front_proxy **out, const lw_server_webhooks *options,
                                            lw_error *err);

/* Describes this server as a proxy in front of others: |ca| is the CA, PEM, of its certificate with
 * the common name LW_PKI_FRONT_PROXY_NAME, and the headers are those of kube-apiserver.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_front_proxy_own(lw_front_proxy **out, const char *ca, lw_error *err);
void lw_front_proxy_free(lw_front_proxy *proxy); /* NULL does nothing */

/* Reads a file with CAs into |*out|, which the caller frees.  LW_ERR_NOT_FOUND, LW_ERR_IO,
 * LW_ERR_LIMIT, LW_ERR_NOMEM; messages name the file. */
LW_MUST_CHECK lw_status lw_authentication_info_read_ca(char **out, const char *file, lw_error *err);

/* Adds the ConfigMap, or its change, to |batch|.  |client_ca| and |proxy| may be NULL; other data
 * of the ConfigMap stays.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_authentication_info_seed(lw_seed_batch *batch, const char *client_ca,
                                                    const lw_front_proxy *proxy);

#endif
