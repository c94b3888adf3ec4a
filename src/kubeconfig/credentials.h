/* SPDX-License-Identifier: Apache-2.0 */
/* credentials.h -- the current credentials of a configuration: tokens, certificates, headers.
 *
 * Rotating files are read again and exec plugins run here.  Any thread; one plugin runs at a time,
 * and other threads wait for it. */
#ifndef LW_KUBECONFIG_CREDENTIALS_H
#define LW_KUBECONFIG_CREDENTIALS_H

#include <listwatch/config.h>
#include <listwatch/str.h>
#include <listwatch/sys/clock.h>

#include "base/buf.h"

/* How to reach and verify a server.  Part of an lw_config; valid as long as it. */
typedef struct lw_config_endpoint {
    const char *server;          /* URL without a slash at the end */
    const char *tls_server_name; /* NULL: the host */
    const char *proxy_url;       /* NULL: from the environment */
    bool is_insecure;
    bool is_compression_off;
} lw_config_endpoint;

const lw_config_endpoint *lw_config_get_endpoint(const lw_config *config);

/* Returns headers that are sent with every request (impersonation): "Name: value",
 * NULL-terminated. */
const char *const *lw_config_headers(const lw_config *config);

/* Where the credentials come from, for messages: token file /run/token, user "jane" in FILE.  It
 * contains no secrets and lives as long as the configuration.  NULL: no credentials are sent. */
const char *lw_config_credential_source(const lw_config *config);

/* One state of the credentials.  |generation| increases with every change; |tls_generation|
 * increases if the CA or the client certificate changes; then existing connections must not be used
 * for new requests. */
typedef struct lw_credentials {
    lw_buf token;    /* for "Authorization: Bearer"; empty: none */
    lw_buf basic;    /* "user:password"; empty: none */
    lw_buf ca_pem;   /* empty: the CAs of the system */
    lw_buf cert_pem; /* with key_pem; empty: none */
    lw_buf key_pem;
    uint64_t generation;
    uint64_t tls_generation;
} lw_credentials;

void lw_credentials_init(lw_credentials *credentials);
void lw_credentials_done(lw_credentials *credentials); /* wipes secrets */

/* Updates |credentials|; only compares generations if nothing has changed.  If a file cannot be
 * read, its last content is used.  May run a plugin and wait for it.  LW_ERR_UNAUTHORIZED: the
 * plugin failed; LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_config_credentials(lw_config *config, const lw_clock *clock,
                                lw_credentials *credentials, lw_error *err);

/* The server responded with 401 to the credentials of |generation|: all sources are read again,
 * once.  Returns true if the next lw_config_credentials may return other credentials, so that a
 * retry makes sense. */
bool lw_config_refused(lw_config *config, uint64_t generation);

#endif
