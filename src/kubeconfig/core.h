/* SPDX-License-Identifier: Apache-2.0 */
/* core.h -- what an lw_config is made of. */
#ifndef LW_KUBECONFIG_CORE_H
#define LW_KUBECONFIG_CORE_H

#include "base/ref.h"
#include "kubeconfig/credential_cache.h"

/* Everything but |credentials| is set once and never changes. */
struct lw_config {
    lw_ref refs;
    char *origin;
    char *ns;
    char *server;            /* as a URL */
    char *ca;                /* PEM, as it was read first; NULL: the CAs of the system are used */
    char *credential_source; /* for messages; NULL: there are no credentials */
    lw_cluster cluster;
    lw_kubeconfig_user user;
    lw_config_endpoint endpoint; /* views of the above */
    lw_credential_cache credentials;
};

#endif
