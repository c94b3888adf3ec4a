/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap_secret.h -- Secrets with bootstrap tokens: type bootstrap.kubernetes.io/token, name
 * bootstrap-token-ID, namespace kube-system. */
#ifndef LW_API_CERTIFICATES_BOOTSTRAP_SECRET_H
#define LW_API_CERTIFICATES_BOOTSTRAP_SECRET_H

#include <listwatch/object.h>

#include "base/buf.h"

#define LW_BOOTSTRAP_NAMESPACE     "kube-system"
#define LW_BOOTSTRAP_SECRET_PREFIX "bootstrap-token-"

/* Returns true if |secret| has the type of bootstrap tokens. */
bool lw_bootstrap_secret_is(const lw_object *secret);

/* Appends the decoded value of |key| ("token-secret") to |out|.  False: there is none, it is not
 * base64, or out->st says that it does not fit. */
bool lw_bootstrap_secret_value(const lw_object *secret, const char *key, lw_buf *out);

/* When the token expires, in nanoseconds since 1970; INT64_MAX: never; INT64_MIN: its time of
 * expiry cannot be read, which counts as expired. */
int64_t lw_bootstrap_secret_expiry_ns(const lw_object *secret);

#endif
