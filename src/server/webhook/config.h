/* SPDX-License-Identifier: Apache-2.0 */
/* config.h -- where a webhook of the server is and how to authenticate to it: a file in the format
 * of kubeconfig, as kube-apiserver uses it for --audit-webhook-config-file and its other webhooks.
 *
 *     clusters[].cluster   server (with its path), certificate-authority[-data], tls-server-name,
 *                          insecure-skip-tls-verify
 *     users[].user         client-certificate[-data], client-key[-data], token, tokenFile,
 *                          username and password
 *     current-context      says which of them
 *
 * The file is read once, at the start.  A tokenFile, the token of a service account, and files with
 * CA and client certificates are read again when they have changed.  New connections use the new
 * certificates; if they are not valid, the old ones are used.  Exec plugins, impersonation and
 * proxies are refused. */
#ifndef LW_SERVER_WEBHOOK_CONFIG_H
#define LW_SERVER_WEBHOOK_CONFIG_H

#include "net/client/http_client.h"

enum {
    LW_WEBHOOK_HEADERS = 4, /* at most: Accept, Content-Type, User-Agent, Authorization */
};

typedef struct lw_webhook_secret lw_webhook_secret;

/* Must be zeroed.  Once it is read, any thread. */
typedef struct lw_webhook_config {
    char *url;  /* for messages */
    char *host; /* without brackets */
    uint16_t port;
    char *server_name;         /* NULL: the host */
    char *path;                /* of the URL; "/" if it has none */
    lw_webhook_secret *secret; /* tokens, passwords and certificates, which may change */
    const lw_clock *clock;     /* says when to look at files again: the system's */
    bool is_tls;               /* otherwise plain HTTP */
    uint32_t ca_checksum;      /* CRC-32C of the CA certificates at the start; 0: none */
} lw_webhook_config;

/* The headers of a request. */
typedef struct lw_webhook_headers {
    lw_http_header at[LW_WEBHOOK_HEADERS];
    lw_buf authorization; /* a secret */
    lw_tls_context *tls;  /* a reference, for the target */
} lw_webhook_headers;

/* Reads |file| (NULL or "": as clients find theirs, or the service account of the pod).  The errors
 * of lw_config_load; LW_ERR_UNSUPPORTED: it has settings that webhooks do not support;
 * LW_ERR_INVALID: a certificate or key is malformed.  Messages name the file. */
LW_MUST_CHECK lw_status lw_webhook_config_read(lw_webhook_config *config, const char *file,
                                               lw_error *err);
void lw_webhook_config_done(lw_webhook_config *config);

/* Appends the current value of the header Authorization to |out|, which is initialised; nothing if
 * there are no credentials.  |out| must be wiped afterwards (kubeconfig/secret.h).  A failure is in
 * out->st. */
void lw_webhook_config_append_authorization(const lw_webhook_config *config, lw_buf *out);

/* Returns the context for new connections, with a reference; NULL: plain HTTP.  |is_own|: with the
 * client certificate; requests of others that are passed on must not use it, because they would be
 * those of this server. */
lw_tls_context *lw_webhook_config_tls_ref(const lw_webhook_config *config, bool is_own);

/* Sets target, method (POST), path and the headers for JSON in |options|; views of |config| and
 * |headers|, which must live until the call has started.  The caller sets body and deadline.
 * LW_ERR_NOMEM; |headers| must be released in any case. */
LW_MUST_CHECK lw_status lw_webhook_config_prepare(const lw_webhook_config *config,
                                                  lw_http_call_options *options,
                                                  lw_webhook_headers *headers);
void lw_webhook_headers_done(lw_webhook_headers *headers);

#endif
