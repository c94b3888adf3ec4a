/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_authn.h -- authenticates users by JSON Web Tokens of other issuers, as kube-apiserver does
 * with --authentication-config and --oidc-issuer-url.
 *
 *     token ──SHA-256──▶ verified before, by the present configuration and keys? ──yes──▶ times ──▶
 * user │ no └▶ issuer ▶ algorithm ▶ signature ▶ audience ▶ times ▶ claims ──▶ user
 *
 * The file is checked for changes once per second and loaded again after a change; if it cannot be
 * used, the previous configuration stays in force.  The client does not learn why a token is
 * refused; the log says it. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_AUTHN_H
#define LW_SERVER_AUTHN_OIDC_OIDC_AUTHN_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "api/context/user.h"
#include "server/authn/oidc/oidc_fetch.h"
#include "server/authn/oidc/oidc_flags.h"

/* All but the strings outlive the authenticator. */
typedef struct lw_oidc_authn_options {
    const char *config_file;    /* NULL: |flags| */
    const lw_oidc_flags *flags; /* only during lw_oidc_authn_new */
    const lw_str *own_issuers;  /* of this server's own tokens */
    size_t own_issuer_count;
    lw_loop *loop; /* on which the keys are fetched */
    const lw_oidc_fetcher *fetcher;
    const lw_clock *clock;
    const lw_logger *logger; /* may be NULL */
} lw_oidc_authn_options;

typedef struct lw_oidc_authn lw_oidc_authn;

/* Reads and checks the configuration.  LW_ERR_INVALID, LW_ERR_SYNTAX, LW_ERR_LIMIT: the message
 * names the file and the field; LW_ERR_NOT_FOUND, LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_authn_new(lw_oidc_authn **out, const lw_oidc_authn_options *options,
                                          lw_error *err);
void lw_oidc_authn_free(lw_oidc_authn *authn); /* NULL does nothing */

/* Begin to fetch keys and to watch the file, and end it.  The thread of the loop, or while it does
 * not run; stop before the loop and the fetcher are freed. */
void lw_oidc_authn_start(lw_oidc_authn *authn);
void lw_oidc_authn_stop(lw_oidc_authn *authn); /* NULL does nothing */

/* Finds the user of a token that was verified before, whom the caller unrefs.  Any thread.
 * LW_ERR_UNAUTHORIZED: it was not, or has expired; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_authn_recall(lw_oidc_authn *authn, lw_str token,
                                             const lw_user **user);

/* Verifies |token| and finds its user, whom the caller unrefs.  Any thread.  LW_ERR_UNAUTHORIZED:
 * it is refused; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_authn_find(lw_oidc_authn *authn, lw_str token,
                                           const lw_user **user);

/* What the configuration says about requests without credentials: the same as long as the server
 * runs.  Valid as long as |authn|. */
const lw_oidc_anonymous *lw_oidc_authn_anonymous(const lw_oidc_authn *authn);

#endif
