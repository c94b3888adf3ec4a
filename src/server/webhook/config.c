/* SPDX-License-Identifier: Apache-2.0 */
/* config.c -- reads the file of a webhook with the kubeconfig reader. */
#include "server/webhook/config.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "base/text/base64.h"
#include "kubeconfig/core.h"
#include "kubeconfig/secret.h"
#include "server/webhook/address.h"

static lw_status take_url(lw_webhook_config *config, const char *url, lw_error *err)
{
    lw_webhook_address address;
    lw_status st = lw_webhook_address_read(&address, url, err);
    config->is_tls = address.is_tls;
    config->url = address.url;
    config->host = address.host;
    config->port = address.port;
    config->path = address.path;
    return st;
}

/* Settings that need a program, a proxy or another identity. */
static lw_status check_supported(const lw_config *config, lw_error *err)
{
    const char *what = NULL;
    if (config->credentials.plugin.command)
        what = "an exec plugin (exec)";
    else if (lw_config_get_endpoint(config)->proxy_url)
        what = "a proxy (proxy-url)";
    else if (lw_config_headers(config)[0])
        what = "impersonation (as)";
    if (!what)
        return LW_OK;
    return lw_error_set(err, LW_ERR_UNSUPPORTED,
                        "the server cannot use %s here: use a token or a client certificate", what);
}

/* What may change. */
struct lw_webhook_secret {
    lw_mutex mu; /* guards the others */
    lw_config *kube;
    lw_credentials credentials; /* the last that could be read */
    lw_tls_context *tls;        /* NULL: plain HTTP */
    lw_tls_context *others_tls; /* the same without the client certificate; NULL: |tls| has none */
    uint64_t tls_generation;    /* of the credentials that the two were made of */
};

/* Of "Bearer TOKEN", or "Basic " and base64. */
static size_t authorization_size(const lw_credentials *credentials)
{
    return 16 + credentials->token.len + 2 * credentials->basic.len;
}

/* Keeps |kube| with its |credentials|, which it takes on success. */
static lw_status take_secret(lw_webhook_config *config, lw_config *kube,
                             lw_credentials *credentials, lw_error *err)
{
    if (authorization_size(credentials) > LW_HTTP_CLIENT_HEAD_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the token or password is larger than %d bytes",
                            LW_HTTP_CLIENT_HEAD_MAX / 2);
    lw_webhook_secret *secret = lw_alloc_zero(1, sizeof(*secret));
    if (!secret)
        return lw_error_nomem(err);
    lw_mutex_init(&secret->mu);
    secret->kube = lw_config_ref(kube);
    secret->credentials = *credentials;
    lw_credentials_init(credentials);
    config->secret = secret;
    config->clock = lw_clock_system();
    return LW_OK;
}

static void secret_free(lw_webhook_secret *secret)
{
    if (!secret)
        return;
    lw_credentials_done(&secret->credentials);
    lw_tls_context_free(secret->tls);
    lw_tls_context_free(secret->others_tls);
    lw_config_unref(secret->kube);
    lw_mutex_done(&secret->mu);
    lw_free(secret);
}

/* Makes the contexts of the current certificates; on failure the old ones stay. */
static lw_status make_tls(lw_webhook_secret *secret, lw_error *err)
{
    const lw_credentials *credentials = &secret->credentials;
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&credentials->ca_pem),
                                     .cert = lw_buf_view(&credentials->cert_pem),
                                     .key = lw_buf_view(&credentials->key_pem),
                                     .skips_verification =
                                         lw_config_get_endpoint(secret->kube)->is_insecure };
    const lw_tls_pem_options no_cert = { .ca = pem.ca,
                                         .skips_verification = pem.skips_verification };
    lw_tls_context *tls = NULL, *others = NULL;
    lw_status st = lw_tls_client_context_new_pem(&tls, &pem, err);
    if (st == LW_OK && pem.cert.len > 0)
        st = lw_tls_client_context_new_pem(&others, &no_cert, err);
    if (st < 0) {
        lw_tls_context_free(tls);
        return st;
    }
    lw_tls_context_free(secret->tls);
    lw_tls_context_free(secret->others_tls);
    secret->tls = tls;
    secret->others_tls = others;
    secret->tls_generation = credentials->tls_generation;
    return LW_OK;
}

/* Reads again what has changed.  If it fails, what was read before is used. */
static void refresh_locked(const lw_webhook_config *config)
{
    lw_webhook_secret *secret = config->secret;
    (void)lw_config_credentials(secret->kube, config->clock, &secret->credentials, NULL);
    if (config->is_tls && secret->tls_generation != secret->credentials.tls_generation) {
        (void)make_tls(secret, NULL);
        /* If they are not valid, the next change is tried. */
        secret->tls_generation = secret->credentials.tls_generation;
    }
}

lw_tls_context *lw_webhook_config_tls_ref(const lw_webhook_config *config, bool is_own)
{
    lw_webhook_secret *secret = config->secret;
    if (!config->is_tls)
        return NULL;
    lw_mutex_lock(&secret->mu);
    refresh_locked(config);
    lw_tls_context *tls = !is_own && secret->others_tls ? secret->others_tls : secret->tls;
    (void)lw_tls_context_ref(tls);
    lw_mutex_unlock(&secret->mu);
    return tls;
}

static lw_status take_tls(lw_webhook_config *config, lw_error *err)
{
    lw_webhook_secret *secret = config->secret;
    const lw_config_endpoint *endpoint = lw_config_get_endpoint(secret->kube);
    const lw_buf *ca = &secret->credentials.ca_pem;
    config->ca_checksum = lw_crc32c(0, ca->data, ca->len);
    if (endpoint->tls_server_name) {
        config->server_name = lw_str_dup(lw_str_of(endpoint->tls_server_name));
        if (!config->server_name)
            return lw_error_nomem(err);
    }
    return make_tls(secret, err);
}

static lw_status take_config(lw_webhook_config *config, lw_config *kube, lw_error *err)
{
    lw_credentials credentials;
    lw_status st = check_supported(kube, err);
    if (st < 0)
        return st;
    lw_credentials_init(&credentials);
    st = lw_config_credentials(kube, lw_clock_system(), &credentials, err);
    if (st == LW_OK)
        st = take_url(config, lw_config_server(kube), err);
    if (st == LW_OK)
        st = take_secret(config, kube, &credentials, err);
    if (st == LW_OK && config->is_tls)
        st = take_tls(config, err);
    lw_credentials_done(&credentials);
    return st;
}

lw_status lw_webhook_config_read(lw_webhook_config *config, const char *file, lw_error *err)
{
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    lw_error why = LW_ERROR_INIT;
    lw_config *kube = NULL;
    options.kubeconfig = file && *file ? file : NULL;
    lw_status st = lw_config_load(&kube, &options, err);
    if (st < 0)
        return st;
    st = take_config(config, kube, &why);
    lw_config_unref(kube);
    if (st == LW_OK)
        return LW_OK;
    lw_webhook_config_done(config);
    return lw_error_set(err, st, "%s: %s", file && *file ? file : "kubeconfig", why.message);
}

void lw_webhook_config_done(lw_webhook_config *config)
{
    lw_free(config->url);
    lw_free(config->host);
    lw_free(config->server_name);
    lw_free(config->path);
    secret_free(config->secret);
    memset(config, 0, sizeof(*config));
}

void lw_webhook_config_append_authorization(const lw_webhook_config *config, lw_buf *out)
{
    lw_webhook_secret *secret = config->secret;
    lw_mutex_lock(&secret->mu);
    refresh_locked(config);
    const lw_credentials *credentials = &secret->credentials;
    /* Enough for base64, so that the buffer does not leave copies when it grows. */
    (void)lw_secret_reserve(out, authorization_size(credentials));
    if (credentials->token.len > 0) {
        lw_buf_append_text(out, "Bearer ");
        lw_buf_append_str(out, lw_buf_view(&credentials->token));
    } else if (credentials->basic.len > 0) {
        lw_buf_append_text(out, "Basic ");
        lw_base64_encode(out, lw_buf_view(&credentials->basic));
    }
    lw_mutex_unlock(&secret->mu);
}

lw_status lw_webhook_config_prepare(const lw_webhook_config *config, lw_http_call_options *options,
                                    lw_webhook_headers *headers)
{
    size_t count = 0;
    lw_http_header *at = headers->at;
    headers->tls = lw_webhook_config_tls_ref(config, true);
    options->target = (lw_http_target){ .host = config->host,
                                        .port = config->port,
                                        .tls = headers->tls,
                                        .server_name = config->server_name };
    options->method = LW_STR("POST");
    options->path = lw_str_of(config->path);
    lw_buf_init(&headers->authorization, LW_HTTP_CLIENT_HEAD_MAX);
    lw_webhook_config_append_authorization(config, &headers->authorization);
    at[count++] = (lw_http_header){ LW_STR("accept"), LW_STR("application/json, */*") };
    at[count++] = (lw_http_header){ LW_STR("content-type"), LW_STR("application/json") };
    at[count++] = (lw_http_header){ LW_STR("user-agent"), LW_STR("listwatch") };
    if (headers->authorization.len > 0)
        at[count++] =
            (lw_http_header){ LW_STR("authorization"), lw_buf_view(&headers->authorization) };
    options->headers = at;
    options->header_count = count;
    return headers->authorization.st;
}

void lw_webhook_headers_done(lw_webhook_headers *headers)
{
    lw_secret_done(&headers->authorization);
    lw_tls_context_free(headers->tls);
    headers->tls = NULL;
}
