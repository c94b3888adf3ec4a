/* SPDX-License-Identifier: Apache-2.0 */
/* hook_credentials.h -- how the server authenticates to admission webhooks: the file of
 * --admission-control-config-file.
 *
 *     kind: AdmissionConfiguration                 (apiserver.config.k8s.io/v1)
 *     plugins: [{name: MutatingAdmissionWebhook,   (and ValidatingAdmissionWebhook)
 *                configuration: {kind: WebhookAdmissionConfiguration, kubeConfigFile: FILE}}]
 *
 * A configuration can also be in a file of its own (path).  The users of the kubeconfig file are
 * named by the servers they are for: "name.ns.svc:8443", "name.ns.svc", "*.ns.svc", ..., "*"; the
 * most specific one counts.  Files are read once, at the start. */
#ifndef LW_SERVER_WEBHOOK_HOOK_CREDENTIALS_H
#define LW_SERVER_WEBHOOK_HOOK_CREDENTIALS_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_HOOK_CREDENTIALS_FILE_MAX = 1024 * 1024,
};

typedef struct lw_hook_credentials lw_hook_credentials;

/* What a server is shown; views live as long as the credentials, and may be empty. */
typedef struct lw_hook_credential {
    lw_str cert, key;     /* PEM */
    lw_str authorization; /* value of the header */
} lw_hook_credential;

/* Reads |file|.  The message names the file and the reason.  LW_ERR_INVALID, LW_ERR_IO,
 * LW_ERR_NOT_FOUND, LW_ERR_UNSUPPORTED, LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_hook_credentials_read(lw_hook_credentials **out, const char *file,
                                                 lw_error *err);
void lw_hook_credentials_free(lw_hook_credentials *credentials); /* NULL does nothing */

/* Finds what |host| with |port| is shown; false: nothing.  |credentials| may be NULL.  Threads:
 * any. */
bool lw_hook_credentials_find(const lw_hook_credentials *credentials, lw_str host, unsigned port,
                              lw_hook_credential *out);

#endif
