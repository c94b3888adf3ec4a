/* SPDX-License-Identifier: Apache-2.0 */
/* cel_access.h -- the variable "authorizer" of CEL expressions: asks the authorizers of the server
 * about the user of the request, or about a service account. */
#ifndef LW_API_AUTHZ_CEL_ACCESS_H
#define LW_API_AUTHZ_CEL_ACCESS_H

#include "api/authz/authz.h"
#include "cel/session.h"

typedef struct lw_authz_access {
    lw_authz *authz; /* NULL: everything is allowed */
    const lw_user *user;
    struct lw_http_stream
        *stream;     /* waits for answers of webhooks; NULL: their answers are not awaited */
    bool is_pending; /* set: an authorizer waits for such an answer */
} lw_authz_access;

/* The authorizer for an expression; |access| outlives the evaluation. */
lw_cel_authorizer lw_authz_cel_authorizer(lw_authz_access *access);

#endif
