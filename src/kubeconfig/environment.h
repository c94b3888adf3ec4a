/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h -- what a configuration is looked for in, so that a test can be somewhere else. */
#ifndef LW_KUBECONFIG_ENVIRONMENT_H
#define LW_KUBECONFIG_ENVIRONMENT_H

#include <listwatch/config.h>

/* Variables of the environment; NULL and "": not set. */
typedef struct lw_config_environment {
    const char *kubeconfig;    /* $KUBECONFIG: "a:b:c" */
    const char *home;          /* $HOME */
    const char *service_host;  /* $KUBERNETES_SERVICE_HOST */
    const char *service_port;  /* $KUBERNETES_SERVICE_PORT */
    const char *pod_namespace; /* $POD_NAMESPACE */
    const char *account_dir;   /* where a pod finds its service account; NULL: where they all do */
} lw_config_environment;

/* That of the process. */
lw_config_environment lw_config_environment_read(void);

/* lw_config_load in another environment. */
lw_status lw_config__load(lw_config **out, const lw_config_options *options,
                          const lw_config_environment *env, lw_error *err);

#endif
