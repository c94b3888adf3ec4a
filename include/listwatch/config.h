/* SPDX-License-Identifier: Apache-2.0 */
/* config.h -- which API server, and who we are there: kubeconfig files, or the pod we run in.
 *
 * A configuration is read once; what rotates (token files, certificates, exec plugins) is read
 * again when it is needed.  Any thread may use one. */
#ifndef LISTWATCH_CONFIG_H
#define LISTWATCH_CONFIG_H

#include <stdbool.h>

#include <listwatch/api.h>
#include <listwatch/error.h>

LW_BEGIN_DECLS

/* What the program says itself; everything may be left out.  Strings are copied. */
typedef struct lw_config_options {
    const char *kubeconfig; /* a file that must exist; NULL: $KUBECONFIG, ~/.kube/config, then the
                               pod we run in */
    const char *context;    /* NULL: current-context */
    const char *server;     /* "https://host:6443"; alone it needs no kubeconfig */
    const char *ns;         /* NULL: that of the context, of the pod we run in, "default" */
    const char *token;
    const char *ca_file;
    const char *impersonate; /* act as this user */
    bool is_insecure;        /* do not check the server's certificate */
    bool is_in_cluster;      /* only the pod we run in */
} lw_config_options;

#define LW_CONFIG_OPTIONS_INIT                                                                     \
    {                                                                                              \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false                                     \
    }

typedef struct lw_config lw_config;

/* Reads the configuration; NULL |options|: all defaults.  LW_ERR_NOT_FOUND: there is none, or no
 * such context, cluster or user.  LW_ERR_SYNTAX, LW_ERR_INVALID: names the file, the field and the
 * way out.  LW_ERR_UNSUPPORTED (auth-provider), LW_ERR_LIMIT, LW_ERR_IO, LW_ERR_NOMEM. */
LW_API lw_status lw_config_load(lw_config **out, const lw_config_options *options, lw_error *err);

/* Takes a further reference; gives one back.  NULL does nothing. */
LW_API lw_config *lw_config_ref(lw_config *config);
LW_API void lw_config_unref(lw_config *config);

/* "https://host:6443", without a slash at the end. */
LW_API const char *lw_config_server(const lw_config *config);

/* The certificates (PEM) that sign the server's, as they were when the configuration was read;
 * NULL: those of the system do. */
LW_API const char *lw_config_ca(const lw_config *config);

/* The namespace to work in where a call names none. */
LW_API const char *lw_config_namespace(const lw_config *config);

/* Where it came from, for messages: a file name, or "in-cluster". */
LW_API const char *lw_config_origin(const lw_config *config);

LW_END_DECLS

#endif
