/* SPDX-License-Identifier: Apache-2.0 */
/* user.h -- the credentials of a user: an entry of "users", or its equivalent for a pod. */
#ifndef LW_KUBECONFIG_USER_H
#define LW_KUBECONFIG_USER_H

#include <listwatch/config.h>

#include "kubeconfig/exec.h"
#include "kubeconfig/file.h"
#include "kubeconfig/secret.h"

enum {
    LW_TOKEN_LIMIT = 1 << 20, /* bytes of a token, or of user name and password */
};

/* Every member may be NULL or empty. */
typedef struct lw_kubeconfig_user {
    char *origin; /* where it was read, for messages: user "jane" in /home/jane/.kube/config */
    lw_buf token;
    char *token_file; /* takes precedence over the token while it can be read */
    lw_buf basic;     /* "name:password" */
    lw_buf cert_pem, key_pem;
    char *cert_file, *key_file; /* ignored if the PEM data is set */
    lw_strings headers;         /* for impersonation */
    lw_exec_spec exec;
} lw_kubeconfig_user;

void lw_kubeconfig_user_init(lw_kubeconfig_user *user);
void lw_kubeconfig_user_done(lw_kubeconfig_user *user);

/* Reads an entry into |user|, which must be initialised: at most one authentication method.
 * LW_ERR_INVALID, LW_ERR_UNSUPPORTED (auth-provider), LW_ERR_NOMEM. */
lw_status lw_kubeconfig_user_read(lw_kubeconfig_user *user, const lw_kube_entry *entry,
                                  lw_error *err);

/* Appends the credentials and their origin, without secrets: token file /run/token, user "jane" in
 * FILE.  Appends nothing if there are no credentials.  LW_ERR_NOMEM is in out->st. */
void lw_kubeconfig_user_describe(const lw_kubeconfig_user *user, lw_buf *out);

/* True if |token| can be sent in a header. */
bool lw_token_is_usable(lw_str token);

/* Adds the headers for impersonation: "as", "as-uid", "as-groups" and "as-user-extra" of the user
 * |entry|.  LW_ERR_INVALID, LW_ERR_NOMEM.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
lw_status lw_impersonate_read(lw_strings *headers, const lw_kube_entry *entry, lw_error *err);

/* Adds the headers for the user and the groups of |options|. */
lw_status lw_impersonate_user(lw_strings *headers, const lw_config_options *options, lw_error *err);

#endif
