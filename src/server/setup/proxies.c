/* SPDX-License-Identifier: Apache-2.0 */
/* proxies.c -- the certificates and options of what passes requests on. */
#include "server/setup/proxies.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"

enum {
    KUBELET_TIMEOUT_S = 5,
};

static const lw_str address_types =
    LW_STR_INIT("Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP");

/* A certificate and its key: those of files, or generated ones. */
typedef struct identity {
    lw_buf cert, key; /* read from files */
    lw_str cert_text, key_text;
} identity;

static void identity_done(identity *i)
{
    lw_buf_done(&i->cert);
    if (i->key.data)
        explicit_bzero(i->key.data, i->key.cap);
    lw_buf_done(&i->key);
}

static lw_status identity_open(identity *i, const char *option, const char *cert_file,
                               const char *key_file, const char *cert, const char *key,
                               lw_error *err)
{
    lw_buf_init(&i->cert, LW_PKI_PEM_MAX);
    lw_buf_init(&i->key, LW_PKI_PEM_MAX);
    i->cert_text = cert ? lw_str_of(cert) : LW_STR("");
    i->key_text = key ? lw_str_of(key) : LW_STR("");
    if (!cert_file != !key_file)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s: a certificate requires its private key and vice versa: set both "
                            "files or neither",
                            option);
    if (!cert_file)
        return LW_OK;
    lw_status st = lw_file_read(cert_file, &i->cert, err);
    if (st == LW_OK)
        st = lw_file_read(key_file, &i->key, err);
    i->cert_text = lw_buf_view(&i->cert);
    i->key_text = lw_buf_view(&i->key);
    return st;
}

static lw_status open_aggregator(lw_server_parts *parts, const lw_server_proxies *options,
                                 const lw_pki *pki, lw_error *err)
{
    identity own;
    lw_status st = identity_open(&own, "--proxy-client-cert-file", options->proxy_client_cert_file,
                                 options->proxy_client_key_file, pki->front_proxy_cert,
                                 pki->front_proxy_key, err);
    const lw_proxy_identity shown = { own.cert_text, own.key_text };
    if (st == LW_OK)
        st = lw_aggregator_new(&parts->aggregator, &shown, parts->logger, err);
    if (st == LW_OK && pki->front_proxy_ca)
        st = lw_front_proxy_own(&parts->own_proxy, pki->front_proxy_ca, err);
    identity_done(&own);
    return st;
}

static lw_status open_connect(lw_server_parts *parts, const lw_server_proxies *options,
                              const lw_pki *pki, lw_error *err)
{
    identity own;
    lw_buf ca;
    lw_buf_init(&ca, LW_PKI_PEM_MAX);
    lw_status st = identity_open(&own, "--kubelet-client-certificate",
                                 options->kubelet_client_certificate, options->kubelet_client_key,
                                 pki->kubelet_client_cert, pki->kubelet_client_key, err);
    if (st == LW_OK && options->kubelet_certificate_authority)
        st = lw_file_read(options->kubelet_certificate_authority, &ca, err);
    const char *types = options->kubelet_preferred_address_types;
    int64_t timeout_s =
        options->kubelet_timeout_s > 0 ? options->kubelet_timeout_s : KUBELET_TIMEOUT_S;
    const lw_connect_options wanted = {
        .proxy = parts->forwarding,
        .kubelet_ca = lw_buf_view(&ca),
        .kubelet_cert = own.cert_text,
        .kubelet_key = own.key_text,
        .is_generated =
            !options->kubelet_client_certificate && !options->kubelet_certificate_authority,
        .address_types = types ? lw_str_of(types) : address_types,
        .kubelet_timeout_ns = timeout_s * LW_NS_PER_S,
        .reaches_any_address = options->proxy_any_address,
    };
    if (st == LW_OK)
        st = lw_connect_new(&parts->connect, &wanted, err);
    identity_done(&own);
    lw_buf_done(&ca);
    return st;
}

lw_status lw_proxies_open(lw_server_parts *parts, const lw_server_options *options,
                          const lw_pki *pki, lw_error *err)
{
    static const lw_server_proxies defaults = LW_SERVER_PROXIES_INIT;
    const lw_server_proxies *proxies = options->proxies ? options->proxies : &defaults;
    if (lw_reverse_proxy_new(&parts->forwarding, parts->loops->list, parts->loops->serving) < 0)
        return lw_error_nomem(err);
    if (parts->mirror)
        return LW_OK; /* its upstream does the rest */
    lw_status st = open_aggregator(parts, proxies, pki, err);
    return st == LW_OK ? open_connect(parts, proxies, pki, err) : st;
}
