/* SPDX-License-Identifier: Apache-2.0 */
/* api_reason.h -- the reasons of Kubernetes, their HTTP status codes, and the matching lw_status.
 */
#ifndef LW_OBJECT_API_REASON_H
#define LW_OBJECT_API_REASON_H

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef enum lw_api_reason {
    LW_REASON_UNKNOWN, /* "", or an unknown reason */
    LW_REASON_UNAUTHORIZED,
    LW_REASON_FORBIDDEN,
    LW_REASON_NOT_FOUND,
    LW_REASON_ALREADY_EXISTS,
    LW_REASON_CONFLICT,
    LW_REASON_GONE,
    LW_REASON_EXPIRED,
    LW_REASON_INVALID,
    LW_REASON_BAD_REQUEST,
    LW_REASON_METHOD_NOT_ALLOWED,
    LW_REASON_NOT_ACCEPTABLE,
    LW_REASON_REQUEST_ENTITY_TOO_LARGE,
    LW_REASON_UNSUPPORTED_MEDIA_TYPE,
    LW_REASON_TOO_MANY_REQUESTS,
    LW_REASON_INTERNAL_ERROR,
    LW_REASON_STORAGE_READ_ERROR,
    LW_REASON_SERVER_TIMEOUT,
    LW_REASON_SERVICE_UNAVAILABLE,
    LW_REASON_TIMEOUT,
} lw_api_reason;

/* Returns the text of |reason|, e.g. "NotFound"; "" for LW_REASON_UNKNOWN. */
lw_str lw_api_reason_text(lw_api_reason reason);

/* Returns the reason with |text|, or LW_REASON_UNKNOWN. */
lw_api_reason lw_api_reason_of_text(lw_str text);

/* Returns the HTTP status code of |reason|; 500 for LW_REASON_UNKNOWN. */
int lw_api_reason_code(lw_api_reason reason);

/* Returns the reason that clients assume for an HTTP |code| without a reason, like client-go. */
lw_api_reason lw_api_reason_of_code(int code);

/* Returns the reason for a server failure |st|, which is not LW_OK. */
lw_api_reason lw_api_reason_of_status(lw_status st);

/* Returns the lw_status for |reason| and the HTTP |code|, which is used if the reason is unknown.
 * Never LW_OK. */
lw_status lw_api_reason_status(lw_api_reason reason, int code);

#endif
