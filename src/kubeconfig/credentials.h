/* SPDX-License-Identifier: Apache-2.0 */
/* credentials.h -- what a request needs of a configuration, as of now: tokens, certificates,
 * headers.
 *
 * Files that rotate are read again here, and exec plugins run.  Any thread; a plugin runs once at a
 * time, and others wait for it. */
#ifndef LW_KUBECONFIG_CREDENTIALS_H
#define LW_KUBECONFIG_CREDENTIALS_H

#include <listwatch/config.h>
#include <listwatch/str.h>
#include <listwatch/sys/clock.h>

#include "base/buf.h"

/* How a server is reached and known.  Of an lw_config; lives as long as that. */
typedef struct lw_config_endpoint {
    const char *server;          /* URL without a slash at the end */
    const char *tls_server_name; /* NULL: the host's */
    const char *proxy_url;       /* NULL: the environment decides */
    bool is_insecure;
    bool is_compression_off;
} lw_config_endpoint;

const lw_config_endpoint *lw_config_get_endpoint(const lw_config *config);

/* Impersonation headers and the like, sent with every request: "Name: value", NULL-terminated. */
const char *const *lw_config_headers(const lw_config *config);

/* Where the credentials come from, for messages: token file /run/token, user "jane" in FILE.  It
 * contains no secrets and lives as long as the configuration.  NULL: no credentials are sent. */
const char *lw_config_credential_source(const lw_config *config);

/* One state of the credentials.  |generation| grows when anything changes; |tls_generation| when CA
 * or client certificate do, after which connections must not be used for new requests. */
typedef struct lw_credentials {
    lw_buf token;    /* for "Authorization: Bearer"; empty: none */
    lw_buf basic;    /* "user:password"; empty: none */
    lw_buf ca_pem;   /* empty: the system's */
    lw_buf cert_pem; /* with key_pem; empty: none */
    lw_buf key_pem;
    uint64_t generation;
    uint64_t tls_generation;
} lw_credentials;

void lw_credentials_init(lw_credentials *credentials);
void lw_credentials_done(lw_credentials *credentials); /* wipes what is secret */

/* Fills |credentials| as of now; does nothing but compare generations when nothing changed.  A file
 * that cannot be read keeps its last content.  May run a plugin and wait for it.
 * LW_ERR_UNAUTHORIZED: the plugin gave none; LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_config_credentials(lw_config *config, const lw_clock *clock,
                                lw_credentials *credentials, lw_error *err);

/* The server answered 401 to the |generation|: what can be read anew will be, once.  True when the
 * next lw_config_credentials may bring something else, so that trying again makes sense. */
bool lw_config_refused(lw_config *config, uint64_t generation);

#endif
