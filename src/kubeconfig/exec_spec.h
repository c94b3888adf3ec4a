/* SPDX-License-Identifier: Apache-2.0 */
/* exec_spec.h -- the exec plugin of a user: "exec" of kubeconfig. */
#ifndef LW_KUBECONFIG_EXEC_SPEC_H
#define LW_KUBECONFIG_EXEC_SPEC_H

#include "kubeconfig/file.h"
#include "kubeconfig/strings.h"

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

#endif
