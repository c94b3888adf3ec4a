/* SPDX-License-Identifier: Apache-2.0 */
/* admission_plugins.h -- which admission plugins are enabled, from the options that
 * kube-apiserver has for it. */
#ifndef LW_SERVER_SETUP_ADMISSION_PLUGINS_H
#define LW_SERVER_SETUP_ADMISSION_PLUGINS_H

#include <stdbool.h>

#include <listwatch/error.h>

typedef struct lw_admission_plugins {
    bool has_service_account;
    unsigned disabled; /* bits of lw_admission_plugin */
} lw_admission_plugins;

/* Reads two lists of names, "A,B"; both may be NULL.  LW_ERR_INVALID: the message names the plugin
 * that cannot be enabled or disabled. */
LW_MUST_CHECK lw_status lw_admission_plugins_read(lw_admission_plugins *plugins,
                                                  const char *enabled, const char *disabled,
                                                  lw_error *err);

#endif
