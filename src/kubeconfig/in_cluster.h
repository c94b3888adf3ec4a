/* SPDX-License-Identifier: Apache-2.0 */
/* in_cluster.h -- the configuration of a pod: two environment variables and a service account. */
#ifndef LW_KUBECONFIG_IN_CLUSTER_H
#define LW_KUBECONFIG_IN_CLUSTER_H

#include "kubeconfig/cluster.h"
#include "kubeconfig/environment.h"
#include "kubeconfig/user.h"

/* Returns true if the program runs in a pod with a service account. */
bool lw_in_cluster_is_possible(const lw_config_environment *env);

/* Reads the server and the user of the pod into |cluster| and |user|, which must be initialised.
 * LW_ERR_NOT_FOUND: not running in a pod.  LW_ERR_NOMEM. */
lw_status lw_in_cluster_read(const lw_config_environment *env, lw_cluster *cluster,
                             lw_kubeconfig_user *user, lw_error *err);

/* Gets the namespace of the pod: $POD_NAMESPACE, otherwise that of its service account; NULL if
 * there is neither.  LW_ERR_NOMEM. */
lw_status lw_in_cluster_namespace(const lw_config_environment *env, char **out, lw_error *err);

#endif
