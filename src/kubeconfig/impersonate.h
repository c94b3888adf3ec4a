/* SPDX-License-Identifier: Apache-2.0 */
/* impersonate.h -- the headers for impersonation.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
#ifndef LW_KUBECONFIG_IMPERSONATE_H
#define LW_KUBECONFIG_IMPERSONATE_H

#include "kubeconfig/file.h"
#include "kubeconfig/strings.h"

/* Adds the headers for "as", "as-uid", "as-groups" and "as-user-extra" of the user |entry|.
 * LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_impersonate_read(lw_strings *headers, const lw_kube_entry *entry, lw_error *err);

/* Adds the header for |user|; |from| is its origin, for messages. */
lw_status lw_impersonate_user(lw_strings *headers, lw_str user, const char *from, lw_error *err);

#endif
