/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation.h -- requests that a user makes as somebody else (Impersonate-User, -Group, -Uid,
 * -Extra-...), if it may. */
#ifndef LW_SERVER_IMPERSONATION_H
#define LW_SERVER_IMPERSONATION_H

#include "api/authz/authz.h"
#include "net/http.h"
#include "object/api_errors.h"
#include "server/authn/authn.h"

/* If |request| has headers Impersonate-*, replaces |*user| by the user they name; the reference
 * moves with it.  True: go on.  False: |status| says why it is refused (400, 403, 500); |*user| is
 * unchanged.  Without authorization (NULL) only members of system:masters may impersonate. */
bool lw_impersonate(lw_authz *authz, lw_authn *auth, const lw_http_request *request,
                    const lw_user **user, lw_api_status *status);

#endif
