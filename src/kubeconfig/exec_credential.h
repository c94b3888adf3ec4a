/* SPDX-License-Identifier: Apache-2.0 */
/* exec_credential.h -- what is said to an exec plugin and what it answers: ExecCredential of
 * client.authentication.k8s.io.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
#ifndef LW_KUBECONFIG_EXEC_CREDENTIAL_H
#define LW_KUBECONFIG_EXEC_CREDENTIAL_H

#include "kubeconfig/exec_spec.h"

/* What a plugin may be told of the server; NULL and empty: not there. */
typedef struct lw_exec_cluster {
    const char *server;
    const char *tls_server_name;
    const char *proxy_url;
    const char *config_json;
    lw_str ca_pem;
    bool is_insecure;
    bool is_compression_off;
} lw_exec_cluster;

/* What a plugin gave. */
typedef struct lw_exec_credential {
    lw_buf token;
    lw_buf cert_pem, key_pem;
    bool does_expire;
    int64_t expires_ns; /* since 1970 */
} lw_exec_credential;

void lw_exec_credential_init(lw_exec_credential *credential);
void lw_exec_credential_done(lw_exec_credential *credential); /* wipes */

/* Appends the value of KUBERNETES_EXEC_INFO; out->st tells about failure.  NULL |cluster|: the
 * plugin did not ask for it. */
void lw_exec_info_write(lw_buf *out, const char *api_version, const lw_exec_cluster *cluster,
                        bool is_interactive);

/* Reads what a plugin printed into the initialised |credential|: of |api_version|, with a token, a
 * certificate and its key, or both.  LW_ERR_UNAUTHORIZED: it is not that; LW_ERR_NOMEM. */
lw_status lw_exec_credential_read(lw_exec_credential *credential, lw_str json,
                                  const char *api_version, lw_error *err);

#endif
