/* SPDX-License-Identifier: Apache-2.0 */
/* api_reason.h -- Kubernetes' reasons, the HTTP codes they travel with, and our statuses. */
#ifndef LW_OBJECT_API_REASON_H
#define LW_OBJECT_API_REASON_H

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef enum lw_api_reason {
    LW_REASON_UNKNOWN, /* "", or one we have never heard of */
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

/* "NotFound"; "" for LW_REASON_UNKNOWN. */
lw_str lw_api_reason_text(lw_api_reason reason);

/* The reason spelled |text|, or LW_REASON_UNKNOWN. */
lw_api_reason lw_api_reason_of_text(lw_str text);

/* The HTTP code a server sends with |reason|; 500 for LW_REASON_UNKNOWN. */
int lw_api_reason_code(lw_api_reason reason);

/* What an HTTP |code| means when no reason is given: the reason clients assume, as client-go. */
lw_api_reason lw_api_reason_of_code(int code);

/* What a server says that fails with |st|, which is not LW_OK. */
lw_api_reason lw_api_reason_of_status(lw_status st);

/* Our status for an answer with |reason| and the HTTP |code|, which counts when the reason is
 * unknown.  Never LW_OK. */
lw_status lw_api_reason_status(lw_api_reason reason, int code);

#endif
