/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig.h -- writes the administrator's kubeconfig. */
#ifndef LW_SERVER_SETUP_KUBECONFIG_H
#define LW_SERVER_SETUP_KUBECONFIG_H

#include "base/buf.h"

enum {
    LW_KUBECONFIG_MAX = 2 << 20, /* maximum size in bytes */
};

typedef struct lw_kubeconfig {
    lw_str url;
    lw_str trust; /* CA certificates, PEM; empty: plain HTTP */
    lw_str token; /* empty: none */
} lw_kubeconfig;

/* Appends a kubeconfig with one context, "listwatch", which is the current context. */
void lw_kubeconfig_write(const lw_kubeconfig *config, lw_buf *out);

/* Writes the kubeconfig to the file |path|, unless the file already has this content.  LW_ERR_IO,
 * LW_ERR_NOMEM. */
lw_status lw_kubeconfig_save(const lw_kubeconfig *config, const char *path, lw_error *err);

#endif
