/* SPDX-License-Identifier: Apache-2.0 */
/* client.c -- creates and frees a client. */
#include "etcd/client.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "etcd/call.h"
#include "etcd/watch.h"

static int or_default(int given, int otherwise)
{
    return given > 0 ? given : otherwise;
}

static lw_status set_user(lw_etcd *etcd, const lw_etcd_options *options, lw_error *err)
{
    if (!options->user)
        return LW_OK;
    if (!options->password)
        return lw_error_set(err, LW_ERR_INVALID,
                            "no password for the etcd user %s: set the password", options->user);
    etcd->user = lw_str_dup(lw_str_of(options->user));
    etcd->password = lw_str_dup(lw_str_of(options->password));
    return etcd->user && etcd->password ? LW_OK : lw_error_nomem(err);
}

static lw_status set_tls(lw_etcd *etcd, const lw_etcd_options *options, lw_error *err)
{
    const lw_tls_client_options tls = { options->ca_file, options->cert_file, options->key_file };
    if (!etcd->endpoints.is_tls && (tls.ca_file || tls.cert_file || tls.key_file))
        return lw_error_set(
            err, LW_ERR_INVALID,
            "TLS certificates are set for etcd, but its endpoints use http://: use https://");
    if (!tls.cert_file != !tls.key_file)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "an etcd client certificate requires its private key and vice versa: set both");
    return etcd->endpoints.is_tls ? lw_tls_client_context_new(&etcd->tls, &tls, err) : LW_OK;
}

lw_status lw_etcd_new(lw_etcd **out, lw_loop *loop, const lw_etcd_options *options, lw_error *err)
{
    lw_etcd *etcd = lw_alloc_zero(1, sizeof(*etcd));
    if (!etcd)
        return lw_error_nomem(err);
    etcd->loop = loop;
    if (options->logger)
        etcd->logger = *options->logger;
    etcd->request_timeout_ms = or_default(options->request_timeout_ms, LW_ETCD_REQUEST_TIMEOUT_MS);
    etcd->connect_timeout_ms = or_default(options->connect_timeout_ms, LW_ETCD_CONNECT_TIMEOUT_MS);
    etcd->keepalive_ms = or_default(options->keepalive_ms, LW_ETCD_KEEPALIVE_MS);
    etcd->keepalive_timeout_ms =
        or_default(options->keepalive_timeout_ms, LW_ETCD_KEEPALIVE_TIMEOUT_MS);
    lw_dlist_init(&etcd->links);
    lw_dlist_init(&etcd->waiters);
    lw_dlist_init(&etcd->calls);
    lw_dlist_init(&etcd->watches);
    lw_random_init_from_os(&etcd->random);
    lw_status st = lw_etcd_endpoints_parse(&etcd->endpoints, lw_str_of(options->endpoints), err);
    if (st == LW_OK)
        st = set_tls(etcd, options, err);
    if (st == LW_OK)
        st = set_user(etcd, options, err);
    if (st == LW_OK)
        st = lw_etcd__links_init(etcd);
    if (st < 0) {
        lw_etcd_free(etcd);
        return st;
    }
    *out = etcd;
    return LW_OK;
}

void lw_etcd_free(lw_etcd *etcd)
{
    if (!etcd)
        return;
    lw_dlist_node *node;
    while ((node = lw_dlist_first(&etcd->calls)) != NULL)
        lw_etcd__call_free(LW_DLIST_ITEM(node, lw_etcd_call, node));
    while ((node = lw_dlist_first(&etcd->watches)) != NULL)
        lw_etcd_watch_cancel(LW_DLIST_ITEM(node, lw_etcd_watch, node));
    lw_etcd__links_done(etcd);
    lw_etcd__token_done(etcd);
    lw_tls_context_free(etcd->tls);
    lw_etcd_endpoints_done(&etcd->endpoints);
    lw_free(etcd);
}
