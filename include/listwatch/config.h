/* SPDX-License-Identifier: Apache-2.0 */
/* config.h -- which API server to use and with which credentials: from kubeconfig files, or from
 * the pod that the program runs in.
 *
 * A configuration is read once.  Token files, certificates and credentials of exec plugins are read
 * again when they change or expire.  Any thread may use a configuration. */
#ifndef LISTWATCH_CONFIG_H
#define LISTWATCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>

LW_BEGIN_DECLS

/* Options of the program, which override the configuration; all are optional.
 * Initialise it with LW_CONFIG_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_config_options {
    size_t size;            /* set by LW_CONFIG_OPTIONS_INIT */
    const char *kubeconfig; /* a file that must exist; NULL: $KUBECONFIG, then ~/.kube/config, then
                               the pod that the program runs in */
    const char *context;    /* NULL: current-context */
    const char *server;     /* "https://host:6443"; with it, a kubeconfig file is not required */
    const char *ns;         /* NULL: the namespace of the context, of the pod, or "default" */
    const char *token;
    const char *ca_file;
    const char *impersonate;               /* impersonate this user */
    bool is_insecure;                      /* do not verify the certificate of the server */
    bool is_in_cluster;                    /* use only the pod that the program runs in */
    const char *const *impersonate_groups; /* ... as a member of these groups; NULL-terminated;
                                              NULL: none */
} lw_config_options;

#define LW_CONFIG_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(lw_config_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL    \
    }

typedef struct lw_config lw_config;

/* Reads the configuration; NULL |options| means the defaults.  LW_ERR_NOT_FOUND: there is no
 * configuration, or the context, cluster or user does not exist.  LW_ERR_SYNTAX, LW_ERR_INVALID:
 * the message names the file and the field, and says what to do.  LW_ERR_UNSUPPORTED
 * (auth-provider), LW_ERR_LIMIT, LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_config_load(lw_config **out, const lw_config_options *options,
                                              lw_error *err);

/* Take and release a reference.  NULL does nothing. */
LW_API lw_config *lw_config_ref(lw_config *config);
LW_API void lw_config_unref(lw_config *config);

/* Returns the URL of the server, e.g. "https://host:6443", without a slash at the end. */
LW_API const char *lw_config_server(const lw_config *config);

/* Returns the CA certificates (PEM) that verify the server, as they were when the configuration was
 * read.  NULL: the CA certificates of the system are used. */
LW_API const char *lw_config_ca(const lw_config *config);

/* Returns the namespace that is used if a call specifies none. */
LW_API const char *lw_config_namespace(const lw_config *config);

/* Returns the origin of the configuration, for messages: the name of a file, or "in-cluster". */
LW_API const char *lw_config_origin(const lw_config *config);

LW_END_DECLS

#endif
