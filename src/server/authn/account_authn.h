/* SPDX-License-Identifier: Apache-2.0 */
/* account_authn.h -- authenticates service accounts by their tokens, and signs the tokens.
 *
 *     token ──SHA-256──▶ verified before? ──yes──────────────────────────┐
 *                          │ no                                          ▼
 *                          └▶ issuer ▶ signature ▶ claims ──▶ times, audience, account and bound
 *                                                             objects exist ──▶ user
 *
 * What can change (time, objects) is checked with each use, from the watch cache.  The client does
 * not learn why a token is refused; the log says it.  Any thread. */
#ifndef LW_SERVER_AUTHN_ACCOUNT_AUTHN_H
#define LW_SERVER_AUTHN_ACCOUNT_AUTHN_H

#include <listwatch/log.h>
#include <listwatch/object.h>
#include <listwatch/sys/clock.h>

#include "api/context/account_token.h"
#include "api/context/user.h"
#include "server/authn/account_keys.h"

enum {
    LW_ISSUERS_MAX = 16,
    LW_ACCOUNT_LEEWAY_S = 60, /* clocks may differ by this much; also how long deleted objects
                                 count as existing, as in kube-apiserver */
};

/* The kinds that tokens name. */
typedef enum lw_token_object_kind {
    LW_TOKEN_ACCOUNT,
    LW_TOKEN_POD,
    LW_TOKEN_NODE,
    LW_TOKEN_SECRET,
} lw_token_object_kind;

/* Finds the objects that tokens name. */
typedef struct lw_token_objects {
    /* Sets |*out| to the object, which the caller unrefs, or to NULL.  An error: it is not known
     * whether it exists. */
    lw_status (*find)(void *arg, lw_token_object_kind kind, lw_str ns, lw_str name,
                      lw_object **out);
    void *arg;
} lw_token_objects;

typedef struct lw_account_authn_options {
    const lw_account_keys *keys; /* outlive the authenticator, as the issuers and audiences */
    const lw_str *issuers;       /* the first one issues; the others are accepted, too */
    size_t issuer_count;
    const lw_audiences *audiences; /* of this server */
    const lw_clock *clock;
    const lw_logger *logger; /* may be NULL */
    bool has_others;         /* others are asked about tokens of unknown issuers: these are refused
                                without a line in the log */
} lw_account_authn_options;

typedef struct lw_account_authn lw_account_authn;

LW_MUST_CHECK lw_status lw_account_authn_new(lw_account_authn **out,
                                             const lw_account_authn_options *options,
                                             lw_error *err);
void lw_account_authn_free(lw_account_authn *accounts); /* NULL does nothing */

/* Sets where objects are found.  Once, before the first token is verified; until then no token is
 * valid. */
void lw_account_authn_connect(lw_account_authn *accounts, const lw_token_objects *objects);

/* Finds the user of |token|, whom the caller unrefs.  The token must be for one of |wanted| (NULL:
 * this server's audiences); |*matched| (may be NULL) is the intersection, views of |wanted|.
 * LW_ERR_UNAUTHORIZED: it is not valid; LW_ERR_NOMEM, LW_ERR_UNAVAILABLE. */
LW_MUST_CHECK lw_status lw_account_authn_find(lw_account_authn *accounts, lw_str token,
                                              const lw_audiences *wanted, const lw_user **user,
                                              lw_audiences *matched);

/* Append a token; see lw_token_issuer. */
LW_MUST_CHECK lw_status lw_account_authn_issue(const lw_account_authn *accounts,
                                               const lw_account_claims *claims, lw_buf *token);
LW_MUST_CHECK lw_status lw_account_authn_issue_for_secret(const lw_account_authn *accounts,
                                                          const lw_account_claims *claims,
                                                          lw_buf *token);

/* Sets |*out| to the members of |a| that |b| has. */
void lw_audiences_intersect(lw_audiences *out, const lw_audiences *a, const lw_audiences *b);

#endif
