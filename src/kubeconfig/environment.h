/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h -- the environment in which a configuration is searched; tests replace it. */
#ifndef LW_KUBECONFIG_ENVIRONMENT_H
#define LW_KUBECONFIG_ENVIRONMENT_H

#include <listwatch/config.h>

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

#endif
