/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig.h -- how kubectl finds the server, and gets in. */
#ifndef LW_SERVER_KUBECONFIG_H
#define LW_SERVER_KUBECONFIG_H

#include "base/buf.h"

enum {
    LW_KUBECONFIG_MAX = 2 << 20, /* bytes */
};

typedef struct lw_kubeconfig {
    lw_str url;
    lw_str trust; /* PEM; empty: plain HTTP */
    lw_str token; /* empty: none */
} lw_kubeconfig;

/* Appends a kubeconfig with one context, "listwatch", which is the current one. */
void lw_kubeconfig_write(const lw_kubeconfig *config, lw_buf *out);

/* Has it in the file |path|, which is left alone when it is the same already.  LW_ERR_IO,
 * LW_ERR_NOMEM. */
lw_status lw_kubeconfig_save(const lw_kubeconfig *config, const char *path, lw_error *err);

#endif
