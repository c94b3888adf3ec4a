/* SPDX-License-Identifier: Apache-2.0 */
/* core.h -- the struct of an lw_config. */
#ifndef LW_KUBECONFIG_CORE_H
#define LW_KUBECONFIG_CORE_H

#include "base/ref.h"
#include "kubeconfig/credential_cache.h"

/* All members except |credentials| are set once and never change. */
struct lw_config {
    lw_ref refs;
    char *origin;
    char *ns;
    char *server;            /* URL */
    char *ca;                /* PEM, as it was read first; NULL: the CAs of the system are used */
    char *credential_source; /* for messages; NULL: there are no credentials */
    lw_cluster cluster;
    lw_kubeconfig_user user;
    lw_config_endpoint endpoint; /* views of the members above */
    lw_credential_cache credentials;
};

#endif
