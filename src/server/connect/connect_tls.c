/* SPDX-License-Identifier: Apache-2.0 */
/* connect_tls.c -- the TLS contexts for kubelets, pods and services.
 *
 * Most servers have no kubelets: a context, which takes memory and milliseconds, is made for the
 * first request that needs it. */
#include <string.h>

#include "api/context/port.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "server/connect/connect_internal.h"

static lw_status make(const lw_connect *connect, lw_connect_peer peer, lw_tls_context **out,
                      lw_error *err)
{
    lw_str ca = lw_str_of(connect->kubelet_ca);
    /* Without a CA any certificate of a kubelet is accepted, as by kube-apiserver. */
    lw_tls_pem_options options = { .skips_verification =
                                       peer != LW_CONNECT_KUBELET || ca.len == 0 };
    if (peer == LW_CONNECT_KUBELET)
        options.ca = ca;
    if (peer != LW_CONNECT_ANYONE) {
        options.cert = lw_str_of(connect->kubelet_cert);
        options.key = lw_str_of(connect->kubelet_key);
    }
    return lw_tls_client_context_new_pem(out, &options, err);
}

static lw_status find(lw_connect *connect, lw_connect_peer peer, lw_tls_context **out,
                      lw_error *err)
{
    lw_status st = LW_OK;
    lw_mutex_lock(&connect->mu);
    if (!connect->tls[peer])
        st = make(connect, peer, &connect->tls[peer], err);
    if (st == LW_OK)
        *out = connect->tls[peer];
    lw_mutex_unlock(&connect->mu);
    return st;
}

lw_status lw_connect_tls_open(lw_connect *connect, const lw_connect_options *options, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    lw_tls_context *first;
    connect->kubelet_ca = lw_str_dup(options->kubelet_ca);
    connect->kubelet_cert = lw_str_dup(options->kubelet_cert);
    connect->kubelet_key = lw_str_dup(options->kubelet_key);
    if (!connect->kubelet_ca || !connect->kubelet_cert || !connect->kubelet_key)
        return lw_error_nomem(err);
    if (options->is_generated)
        return LW_OK;
    lw_status st = find(connect, LW_CONNECT_KUBELET, &first, &why);
    return st < 0 ? lw_error_set(err, st, "the kubelet client: %s", why.message) : LW_OK;
}

void lw_connect_tls_close(lw_connect *connect)
{
    for (size_t i = 0; i < LW_CONNECT_PEERS; i++)
        lw_tls_context_free(connect->tls[i]);
    if (connect->kubelet_key)
        explicit_bzero(connect->kubelet_key, strlen(connect->kubelet_key));
    lw_free(connect->kubelet_ca);
    lw_free(connect->kubelet_cert);
    lw_free(connect->kubelet_key);
}

bool lw_connect_tls_find(const lw_connect_request *request, lw_connect_peer peer,
                         lw_tls_context **out)
{
    lw_api_status status;
    lw_error why = LW_ERROR_INIT;
    if (find(request->connect, peer, out, &why) == LW_OK)
        return true;
    lw_log(request->connect->api->logger, LW_LOG_ERROR, "server",
           "cannot connect with TLS to a kubelet, pod or service: %s", why.message);
    lw_api_status_internal(&status, LW_STR("TLS is not available"));
    lw_connect_refuse(request, &status);
    return false;
}
