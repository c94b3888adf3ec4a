/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation.h -- requests that a user makes as somebody else (Impersonate-User, -Group, -Uid,
 * -Extra-...), if it may. */
#ifndef LW_SERVER_ENDPOINTS_IMPERSONATION_H
#define LW_SERVER_ENDPOINTS_IMPERSONATION_H

#include "api/authz/authz.h"
#include "net/http.h"
#include "object/api_errors.h"
#include "server/authn/authn.h"
#include "server/core/impersonation_modes.h"

typedef struct lw_impersonation {
    lw_authz *authz; /* NULL: no authorization; only members of system:masters may impersonate */
    lw_authn *auth;
    lw_impersonation_modes *modes;
} lw_impersonation;

/* If the request of |stream| has headers Impersonate-*, replaces |*user| by the user they name; the
 * reference moves with it.  True: go on.  False: |status| says why it is refused (400, 403, 500);
 * |*user| is unchanged.  The refusal is not final while the stream waits for the answer of a
 * webhook (asker.h). */
bool lw_impersonate(const lw_impersonation *how, lw_http_stream *stream, const lw_user **user,
                    lw_api_status *status);

#endif
