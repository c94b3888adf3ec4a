/* SPDX-License-Identifier: Apache-2.0 */
/* authn.h -- who sends a request.
 *
 *     plain HTTP (which listens on the loopback only)      system:admin
 *     a certificate that the client CA signed              its common name; its organizations are
 *                                                          the groups
 *     Authorization: Bearer <token>                        whose token it is
 *     WebSocket: Sec-WebSocket-Protocol:
 *       base64url.bearer.authorization.k8s.io.<token>      likewise (browsers set no headers)
 *
 * There is no authorization: any authenticated user has full access.  Any thread. */
#ifndef LW_SERVER_AUTHN_AUTHN_H
#define LW_SERVER_AUTHN_AUTHN_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "api/context/user.h"
#include "net/http.h"

enum {
    LW_AUTHN_TOKEN_MAX = 8 * 1024, /* bytes of a token that is looked at */
};

typedef struct lw_authn lw_authn;

typedef struct lw_authn_options {
    const char *token_file;  /* NULL: none */
    lw_str admin_token;      /* copied; empty: none */
    const lw_clock *clock;   /* how often the file is looked at */
    const lw_logger *logger; /* may be NULL */
} lw_authn_options;

/* Errors as of lw_authn_tokens_open. */
lw_status lw_authn_new(lw_authn **out, const lw_authn_options *options, lw_error *err);
void lw_authn_free(lw_authn *auth);

/* 0 and the |*user|, who lives as long as |auth|; or the HTTP status to refuse the request with,
 * and why. */
int lw_authn_identify(lw_authn *auth, const lw_http_request *request, const lw_user **user,
                      lw_str *why);

/* True when |request| asks to be served as another user (a header Impersonate-*).  Serving it as
 * the caller instead would do with the caller's rights what another user may not do. */
bool lw_authn_wants_impersonation(const lw_http_request *request);

/* Whose |token| is.  LW_ERR_UNAUTHORIZED: nobody's; LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_authn_find_token(lw_authn *auth, lw_str token, const lw_user **user);

/* True when |name| is the administrator or a user of the token file.  Those of client certificates
 * cannot be enumerated. */
bool lw_authn_has_user(lw_authn *auth, lw_str name);

#endif
