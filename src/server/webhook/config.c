/* SPDX-License-Identifier: Apache-2.0 */
/* config.c -- reads the file of a webhook with the kubeconfig reader. */
#include "server/webhook/config.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "kubeconfig/core.h"
#include "kubeconfig/secret.h"

enum {
    HTTPS_PORT = 443,
    HTTP_PORT = 80,
};

/* Splits the URL of a server, which kubeconfig has checked, into scheme, host, port and path. */
static lw_status take_url(lw_webhook_config *config, const char *url, bool *is_tls, lw_error *err)
{
    lw_str all = lw_str_of(url), host, port;
    *is_tls = lw_str_starts_with(all, LW_STR("https://"));
    lw_str rest = lw_str_skip(all, *is_tls ? strlen("https://") : strlen("http://"));
    const char *slash = memchr(rest.ptr, '/', rest.len);
    size_t len = slash ? (size_t)(slash - rest.ptr) : rest.len;
    lw_str authority = lw_str_make(rest.ptr, len), path = lw_str_skip(rest, len);
    uint64_t number = *is_tls ? HTTPS_PORT : HTTP_PORT;
    if (lw_str_starts_with(authority, LW_STR("["))) {
        (void)lw_str_cut(lw_str_skip(authority, 1), ']', &host, &port);
        port = lw_str_skip(port, 1);
    } else {
        (void)lw_str_cut(authority, ':', &host, &port);
    }
    if (port.len > 0 && (!lw_str_to_uint64(port, &number) || number == 0 || number > UINT16_MAX))
        return lw_error_set(err, LW_ERR_INVALID, "the URL %s has an invalid port", url);
    config->port = (uint16_t)number;
    config->url = lw_str_dup(all);
    config->host = lw_str_dup(host);
    config->path = lw_str_dup(path.len > 0 ? path : LW_STR("/"));
    return config->url && config->host && config->path ? LW_OK : lw_error_nomem(err);
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
                        "webhooks do not support %s: use a token or a client certificate", what);
}

static lw_status take_authorization(lw_webhook_config *config, const lw_credentials *credentials,
                                    lw_error *err)
{
    lw_buf *text = &config->authorization;
    lw_buf_init(text, LW_HTTP_CLIENT_HEAD_MAX);
    /* Enough for base64, so that the buffer does not leave copies when it grows. */
    (void)lw_secret_reserve(text, 16 + credentials->token.len + 2 * credentials->basic.len);
    if (credentials->token.len > 0) {
        lw_buf_append_text(text, "Bearer ");
        lw_buf_append_str(text, lw_buf_view(&credentials->token));
    } else if (credentials->basic.len > 0) {
        lw_buf_append_text(text, "Basic ");
        lw_base64_encode(text, lw_buf_view(&credentials->basic));
    }
    if (text->st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "the token or password is larger than %d bytes",
                            LW_HTTP_CLIENT_HEAD_MAX / 2);
    return text->st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status take_tls(lw_webhook_config *config, const lw_config *kube,
                          const lw_credentials *credentials, lw_error *err)
{
    const lw_config_endpoint *endpoint = lw_config_get_endpoint(kube);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&credentials->ca_pem),
                                     .cert = lw_buf_view(&credentials->cert_pem),
                                     .key = lw_buf_view(&credentials->key_pem),
                                     .skips_verification = endpoint->is_insecure };
    if (endpoint->tls_server_name) {
        config->server_name = lw_str_dup(lw_str_of(endpoint->tls_server_name));
        if (!config->server_name)
            return lw_error_nomem(err);
    }
    return lw_tls_client_context_new_pem(&config->tls, &pem, err);
}

static lw_status take_config(lw_webhook_config *config, lw_config *kube, lw_error *err)
{
    lw_credentials credentials;
    bool is_tls = false;
    lw_status st = check_supported(kube, err);
    if (st < 0)
        return st;
    lw_credentials_init(&credentials);
    st = lw_config_credentials(kube, lw_clock_system(), &credentials, err);
    if (st == LW_OK)
        st = take_url(config, lw_config_server(kube), &is_tls, err);
    if (st == LW_OK)
        st = take_authorization(config, &credentials, err);
    if (st == LW_OK && is_tls)
        st = take_tls(config, kube, &credentials, err);
    lw_credentials_done(&credentials);
    return st;
}

lw_status lw_webhook_config_read(lw_webhook_config *config, const char *file, lw_error *err)
{
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    lw_error why = LW_ERROR_INIT;
    lw_config *kube = NULL;
    options.kubeconfig = file;
    lw_status st = lw_config_load(&kube, &options, err);
    if (st < 0)
        return st;
    st = take_config(config, kube, &why);
    lw_config_unref(kube);
    if (st == LW_OK)
        return LW_OK;
    lw_webhook_config_done(config);
    return lw_error_set(err, st, "%s: %s", file, why.message);
}

void lw_webhook_config_done(lw_webhook_config *config)
{
    lw_free(config->url);
    lw_free(config->host);
    lw_free(config->server_name);
    lw_free(config->path);
    lw_secret_done(&config->authorization);
    lw_tls_context_free(config->tls);
    memset(config, 0, sizeof(*config));
}

void lw_webhook_config_prepare(const lw_webhook_config *config, lw_http_call_options *options,
                               lw_http_header headers[LW_WEBHOOK_HEADERS])
{
    size_t count = 0;
    options->target = (lw_http_target){ .host = config->host,
                                        .port = config->port,
                                        .tls = config->tls,
                                        .server_name = config->server_name };
    options->method = LW_STR("POST");
    options->path = lw_str_of(config->path);
    headers[count++] = (lw_http_header){ LW_STR("accept"), LW_STR("application/json, */*") };
    headers[count++] = (lw_http_header){ LW_STR("content-type"), LW_STR("application/json") };
    headers[count++] = (lw_http_header){ LW_STR("user-agent"), LW_STR("listwatch") };
    if (config->authorization.len > 0)
        headers[count++] =
            (lw_http_header){ LW_STR("authorization"), lw_buf_view(&config->authorization) };
    options->headers = headers;
    options->header_count = count;
}
