/* SPDX-License-Identifier: Apache-2.0 */
/* in_cluster.h -- the configuration that every pod has: two variables and a service account. */
#ifndef LW_KUBECONFIG_IN_CLUSTER_H
#define LW_KUBECONFIG_IN_CLUSTER_H

#include "kubeconfig/cluster.h"
#include "kubeconfig/environment.h"
#include "kubeconfig/user.h"

/* True when this is a pod with a service account. */
bool lw_in_cluster_is_possible(const lw_config_environment *env);

/* The server and the user of the pod, into initialised ones.  LW_ERR_NOT_FOUND: this is no pod.
 * LW_ERR_NOMEM. */
lw_status lw_in_cluster_read(const lw_config_environment *env, lw_cluster *cluster,
                             lw_kubeconfig_user *user, lw_error *err);

/* The namespace of the pod: $POD_NAMESPACE, else that of its service account; NULL where neither
 * says so.  LW_ERR_NOMEM. */
lw_status lw_in_cluster_namespace(const lw_config_environment *env, char **out, lw_error *err);

#endif
