/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_flags.h -- one issuer of tokens, as the options --oidc-* of kube-apiserver describe it. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_FLAGS_H
#define LW_SERVER_AUTHN_OIDC_OIDC_FLAGS_H

#include "server/authn/oidc/oidc_config.h"

/* NULL: the option is not set. */
typedef struct lw_oidc_flags {
    const char *issuer_url, *client_id; /* both are required */
    const char *username_claim;         /* NULL: sub */
    const char *username_prefix; /* NULL: the issuer URL and "#", except for email; "-": none */
    const char *groups_claim, *groups_prefix;
    const char *const *required_claims; /* "name=value"; NULL-terminated */
    const char *ca_file;                /* PEM */
    const char *signing_algs;           /* "RS256,ES256"; NULL: RS256 */
} lw_oidc_flags;

/* Makes the configuration, which is not validated yet.  LW_ERR_INVALID: the message names the
 * option; LW_ERR_NOT_FOUND, LW_ERR_IO (the CA file), LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_config_of_flags(lw_oidc_config **out, const lw_oidc_flags *flags,
                                                lw_error *err);

#endif
