/* SPDX-License-Identifier: Apache-2.0 */
/* exec.h -- the exec plugin of a user ("exec" of kubeconfig): its specification, its input and
 * output (ExecCredential of client.authentication.k8s.io), and running it.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
#ifndef LW_KUBECONFIG_EXEC_H
#define LW_KUBECONFIG_EXEC_H

#include "kubeconfig/file.h"
#include "kubeconfig/secret.h"

/* Whether the plugin may interact with the user at the terminal. */
typedef enum lw_exec_interactive {
    LW_EXEC_NEVER,
    LW_EXEC_IF_AVAILABLE,
    LW_EXEC_ALWAYS,
} lw_exec_interactive;

/* Starts zeroed. */
typedef struct lw_exec_spec {
    char *
        command; /* NULL: no plugin.  With a slash: an absolute path; otherwise searched in $PATH */
    char *
        api_version; /* "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1" */
    char *install_hint;
    lw_strings args; /* without the name of the program */
    lw_strings env;  /* "NAME=value", added to the environment of the process */
    lw_exec_interactive interactive;
    bool wants_cluster_info;
} lw_exec_spec;

void lw_exec_spec_done(lw_exec_spec *spec);

/* Reads the object |exec| of the user |entry|.  LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_exec_spec_read(lw_exec_spec *spec, const lw_kube_entry *entry, const lw_node *exec,
                            lw_error *err);

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

/* Runs the plugin of |spec| and waits for it, at most |timeout_ms| (0: one minute, or ten if a user
 * may have to answer).  |cluster| is passed if the plugin requests it.  |credential| must be
 * initialised.  LW_ERR_UNAUTHORIZED: it failed; the message contains the reason and the install
 * hint.  LW_ERR_IO (cannot create a pipe), LW_ERR_NOMEM.  The caller makes sure that one runs at a
 * time. */
lw_status lw_exec_plugin_run(const lw_exec_spec *spec, const lw_exec_cluster *cluster,
                             int timeout_ms, lw_exec_credential *credential, lw_error *err);

#endif
