/* SPDX-License-Identifier: Apache-2.0 */
/* exec_credential.h -- the input and output of an exec plugin: ExecCredential of
 * client.authentication.k8s.io.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
#ifndef LW_KUBECONFIG_EXEC_CREDENTIAL_H
#define LW_KUBECONFIG_EXEC_CREDENTIAL_H

#include "kubeconfig/exec_spec.h"

/* The server, for a plugin; NULL and empty: not set. */
typedef struct lw_exec_cluster {
    const char *server;
    const char *tls_server_name;
    const char *proxy_url;
    const char *config_json;
    lw_str ca_pem;
    bool is_insecure;
    bool is_compression_off;
} lw_exec_cluster;

/* The credential of a plugin. */
typedef struct lw_exec_credential {
    lw_buf token;
    lw_buf cert_pem, key_pem;
    bool does_expire;
    int64_t expires_ns; /* nanoseconds since 1970 */
} lw_exec_credential;

void lw_exec_credential_init(lw_exec_credential *credential);
void lw_exec_credential_done(lw_exec_credential *credential); /* wipes */

/* Appends the value of KUBERNETES_EXEC_INFO; failures are in out->st.  NULL |cluster|: the plugin
 * does not request it. */
void lw_exec_info_write(lw_buf *out, const char *api_version, const lw_exec_cluster *cluster,
                        bool is_interactive);

/* Parses the output of a plugin into |credential|, which must be initialised: of |api_version|,
 * with a token, a certificate and its key, or both.  LW_ERR_UNAUTHORIZED: it is invalid;
 * LW_ERR_NOMEM. */
lw_status lw_exec_credential_read(lw_exec_credential *credential, lw_str json,
                                  const char *api_version, lw_error *err);

#endif
