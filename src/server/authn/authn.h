/* SPDX-License-Identifier: Apache-2.0 */
/* authn.h -- authenticates requests.
 *
 *     plain HTTP (listens on the loopback only)            system:admin
 *     headers such as X-Remote-User, from a client         the user that they name
 *       certificate of the proxy's CA
 *     a certificate signed by the client CA                its common name; its organizations are
 *                                                          the groups
 *     Authorization: Bearer <token>                        the user of the token: the
 *                                                          administrator, one of the token file, a
 *                                                          service account, or a user of another
 *                                                          issuer (oidc/oidc_authn.h)
 *     WebSocket: Sec-WebSocket-Protocol:
 *       base64url.bearer.authorization.k8s.io.<token>      the same (browsers cannot set headers)
 *
 *     a cookie of the page (sessions.h), from its origin   the user of the session
 *
 * Any thread. */
#ifndef LW_SERVER_AUTHN_AUTHN_H
#define LW_SERVER_AUTHN_AUTHN_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "api/context/user.h"
#include "base/buf.h"
#include "net/http.h"
#include "server/authn/account_authn.h"
#include "server/authn/authn_users.h"
#include "server/authn/request_header.h"
#include "server/authn/sessions.h"

enum {
    LW_AUTHN_TOKEN_MAX = 32 * 1024, /* maximum length of a token in bytes; 200 groups need 12 KiB */
};

typedef struct lw_authn lw_authn;

typedef struct lw_authn_options {
    const char *token_file;          /* NULL: none */
    lw_str admin_token;              /* copied; empty: none */
    lw_str allowed_origins;          /* copied; of other sites' pages, separated by commas */
    lw_account_authn *accounts;      /* outlives the authenticator; NULL: no service accounts */
    const lw_audiences *audiences;   /* of this server, outlive it; NULL: none */
    const lw_request_headers *proxy; /* of an authenticating proxy, outlive it; NULL: none */
    lw_sessions *sessions;           /* of the page, outlive it; NULL: none */
    const lw_clock *clock;           /* for the interval at which the file is checked */
    const lw_logger *logger;         /* may be NULL */
} lw_authn_options;

/* Creates an authenticator.  Errors: those of lw_authn_tokens_open. */
lw_status lw_authn_new(lw_authn **out, const lw_authn_options *options, lw_error *err);
void lw_authn_free(lw_authn *auth);

/* Finds the user of a bootstrap token and stores it in |users|.  LW_ERR_UNAUTHORIZED: it is not a
 * valid one; LW_ERR_NOMEM, LW_ERR_LIMIT. */
typedef lw_status (*lw_authn_finder)(void *arg, lw_str token, lw_authn_users *users,
                                     const lw_user **user);

/* Accepts bootstrap tokens that |find| finds.  Before the first request. */
void lw_authn_set_bootstrap_finder(lw_authn *auth, lw_authn_finder find, void *arg);

/* Finds the users of tokens that other issuers sign; these are for this server's audiences.  NULL
 * members: there are none. */
typedef struct lw_authn_issuers {
    /* Finds the user of a token that was verified before, whom the caller unrefs; before anything
     * else is done with a JWT, because it is cheap.  LW_ERR_UNAUTHORIZED, LW_ERR_NOMEM. */
    lw_status (*recall)(void *arg, lw_str token, const lw_user **user);
    /* Verifies a token, after all others have refused it.  LW_ERR_UNAUTHORIZED, LW_ERR_NOMEM. */
    lw_status (*find)(void *arg, lw_str token, const lw_user **user);
    void *arg;
} lw_authn_issuers;

/* Accepts tokens of other issuers.  Before the first request. */
void lw_authn_set_issuers(lw_authn *auth, const lw_authn_issuers *issuers);

/* Authenticates |request|.  Returns 0 and sets |*user|, which the caller unrefs; or returns
 * the HTTP status of the refusal and sets |*why|. */
int lw_authn_identify(lw_authn *auth, const lw_http_request *request, const lw_user **user,
                      lw_str *why);

/* Returns the administrator, a static user. */
const lw_user *lw_authn_admin(void);

/* True if |request| has a bearer token, valid or not: it is never anonymous. */
bool lw_authn_has_token(const lw_http_request *request);

/* Gets the bearer token of |request|: a view of it or of |scratch|, which is empty and has the
 * limit LW_AUTHN_TOKEN_MAX.  False: there is none. */
bool lw_authn_bearer(const lw_http_request *request, lw_buf *scratch, lw_str *token);

/* Returns the stored copy of |user| with the group system:authenticated added, which the caller
 * unrefs.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_keep_authenticated(lw_authn *auth, const lw_user *user, const lw_user **kept);

/* Returns the stored copy of |user|, which the caller unrefs.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_keep(lw_authn *auth, const lw_user *user, const lw_user **kept);

/* Finds the user of |token|, whom the caller unrefs.  The token must be for one of |wanted| (NULL:
 * this server's audiences); |*matched| (may be NULL) is the intersection.  Tokens that name no
 * audience are for this server's.  LW_ERR_UNAUTHORIZED: the token is not valid; LW_ERR_NOMEM,
 * LW_ERR_LIMIT, LW_ERR_UNAVAILABLE. */
lw_status lw_authn_find_token(lw_authn *auth, lw_str token, const lw_audiences *wanted,
                              const lw_user **user, lw_audiences *matched);

/* True if |name| is the administrator, a user of the token file, or the name of a service account.
 * Users of client certificates cannot be enumerated. */
bool lw_authn_has_user(lw_authn *auth, lw_str name);

#endif
