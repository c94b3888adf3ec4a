/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h -- the environment in which a configuration is searched, which tests replace; and
 * the configuration of a pod, from two environment variables and a service account. */
#ifndef LW_KUBECONFIG_ENVIRONMENT_H
#define LW_KUBECONFIG_ENVIRONMENT_H

#include <listwatch/config.h>

#include "kubeconfig/cluster.h"
#include "kubeconfig/user.h"

/* Environment variables; NULL and "" mean not set. */
typedef struct lw_config_environment {
    const char *kubeconfig;    /* $KUBECONFIG: "a:b:c" */
    const char *home;          /* $HOME */
    const char *service_host;  /* $KUBERNETES_SERVICE_HOST */
    const char *service_port;  /* $KUBERNETES_SERVICE_PORT */
    const char *pod_namespace; /* $POD_NAMESPACE */
    const char *account_dir;   /* directory of the service account; NULL: the default */
} lw_config_environment;

/* Returns the environment of the process. */
lw_config_environment lw_config_environment_read(void);

/* lw_config_load with an environment. */
lw_status lw_config__load(lw_config **out, const lw_config_options *options,
                          const lw_config_environment *env, lw_error *err);

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
