/* SPDX-License-Identifier: Apache-2.0 */
/* api_reason.c -- the table of reasons, and the cases that are not in it. */
#include "object/api_reason.h"

#include "base/str.h"

/* By lw_api_reason. */
static const struct {
    lw_str text;
    int code;
    lw_status st;
} reasons[] = {
    [LW_REASON_UNKNOWN] = { { NULL, 0 }, 500, LW_ERR_INTERNAL },
    [LW_REASON_UNAUTHORIZED] = { LW_STR_INIT("Unauthorized"), 401, LW_ERR_UNAUTHORIZED },
    [LW_REASON_FORBIDDEN] = { LW_STR_INIT("Forbidden"), 403, LW_ERR_FORBIDDEN },
    [LW_REASON_NOT_FOUND] = { LW_STR_INIT("NotFound"), 404, LW_ERR_NOT_FOUND },
    [LW_REASON_ALREADY_EXISTS] = { LW_STR_INIT("AlreadyExists"), 409, LW_ERR_EXISTS },
    [LW_REASON_CONFLICT] = { LW_STR_INIT("Conflict"), 409, LW_ERR_CONFLICT },
    [LW_REASON_GONE] = { LW_STR_INIT("Gone"), 410, LW_ERR_EXPIRED },
    [LW_REASON_EXPIRED] = { LW_STR_INIT("Expired"), 410, LW_ERR_EXPIRED },
    [LW_REASON_INVALID] = { LW_STR_INIT("Invalid"), 422, LW_ERR_INVALID },
    [LW_REASON_BAD_REQUEST] = { LW_STR_INIT("BadRequest"), 400, LW_ERR_INVALID },
    [LW_REASON_METHOD_NOT_ALLOWED] = { LW_STR_INIT("MethodNotAllowed"), 405, LW_ERR_UNSUPPORTED },
    [LW_REASON_NOT_ACCEPTABLE] = { LW_STR_INIT("NotAcceptable"), 406, LW_ERR_UNSUPPORTED },
    [LW_REASON_REQUEST_ENTITY_TOO_LARGE] = { LW_STR_INIT("RequestEntityTooLarge"), 413,
                                             LW_ERR_LIMIT },
    [LW_REASON_UNSUPPORTED_MEDIA_TYPE] = { LW_STR_INIT("UnsupportedMediaType"), 415,
                                           LW_ERR_UNSUPPORTED },
    [LW_REASON_TOO_MANY_REQUESTS] = { LW_STR_INIT("TooManyRequests"), 429, LW_ERR_TOO_MANY },
    [LW_REASON_INTERNAL_ERROR] = { LW_STR_INIT("InternalError"), 500, LW_ERR_INTERNAL },
    [LW_REASON_STORAGE_READ_ERROR] = { LW_STR_INIT("StorageReadError"), 500, LW_ERR_INTERNAL },
    [LW_REASON_SERVER_TIMEOUT] = { LW_STR_INIT("ServerTimeout"), 500, LW_ERR_TIMEOUT },
    [LW_REASON_SERVICE_UNAVAILABLE] = { LW_STR_INIT("ServiceUnavailable"), 503,
                                        LW_ERR_UNAVAILABLE },
    [LW_REASON_TIMEOUT] = { LW_STR_INIT("Timeout"), 504, LW_ERR_TIMEOUT },
};

enum {
    REASON_COUNT = sizeof(reasons) / sizeof(reasons[0]),
};

lw_str lw_api_reason_text(lw_api_reason reason)
{
    return reasons[reason].text;
}

lw_api_reason lw_api_reason_of_text(lw_str text)
{
    for (int i = 1; i < REASON_COUNT; i++) {
        if (lw_str_equal(text, reasons[i].text))
            return (lw_api_reason)i;
    }
    return LW_REASON_UNKNOWN;
}

int lw_api_reason_code(lw_api_reason reason)
{
    return reasons[reason].code;
}

lw_api_reason lw_api_reason_of_code(int code)
{
    switch (code) {
    case 400: return LW_REASON_BAD_REQUEST;
    case 401: return LW_REASON_UNAUTHORIZED;
    case 403: return LW_REASON_FORBIDDEN;
    case 404: return LW_REASON_NOT_FOUND;
    case 405: return LW_REASON_METHOD_NOT_ALLOWED;
    case 406: return LW_REASON_NOT_ACCEPTABLE;
    case 409: return LW_REASON_CONFLICT;
    case 415: return LW_REASON_UNSUPPORTED_MEDIA_TYPE;
    case 422: return LW_REASON_INVALID;
    case 429: return LW_REASON_TOO_MANY_REQUESTS;
    case 503: return LW_REASON_SERVICE_UNAVAILABLE;
    case 504: return LW_REASON_TIMEOUT;
    default: return code >= 500 ? LW_REASON_INTERNAL_ERROR : LW_REASON_UNKNOWN;
    }
}

lw_api_reason lw_api_reason_of_status(lw_status st)
{
    switch (st) {
    case LW_ERR_INVALID:
    case LW_ERR_SYNTAX: return LW_REASON_BAD_REQUEST;
    case LW_ERR_LIMIT: return LW_REASON_REQUEST_ENTITY_TOO_LARGE;
    case LW_ERR_NOT_FOUND: return LW_REASON_NOT_FOUND;
    case LW_ERR_EXISTS: return LW_REASON_ALREADY_EXISTS;
    case LW_ERR_CONFLICT: return LW_REASON_CONFLICT;
    case LW_ERR_EXPIRED: return LW_REASON_EXPIRED;
    case LW_ERR_UNAUTHORIZED: return LW_REASON_UNAUTHORIZED;
    case LW_ERR_FORBIDDEN: return LW_REASON_FORBIDDEN;
    case LW_ERR_TOO_MANY: return LW_REASON_TOO_MANY_REQUESTS;
    case LW_ERR_TIMEOUT:
    case LW_ERR_TOO_LARGE_RV: return LW_REASON_TIMEOUT;
    case LW_ERR_UNAVAILABLE:
    case LW_ERR_STOPPED: return LW_REASON_SERVICE_UNAVAILABLE;
    case LW_ERR_UNSUPPORTED: return LW_REASON_UNSUPPORTED_MEDIA_TYPE;
    case LW_ERR_TEST_FAILED: return LW_REASON_INVALID;
    case LW_OK:
    case LW_ERR_NOMEM:
    case LW_ERR_IO:
    case LW_ERR_INTERNAL: break;
    }
    return LW_REASON_INTERNAL_ERROR;
}

lw_status lw_api_reason_status(lw_api_reason reason, int code)
{
    if (reason != LW_REASON_UNKNOWN)
        return reasons[reason].st;
    switch (code) {
    case 408: return LW_ERR_TIMEOUT;
    case 410: return LW_ERR_EXPIRED;
    case 413: return LW_ERR_LIMIT;
    case 502: return LW_ERR_UNAVAILABLE; /* a proxy could not reach the server */
    default: break;
    }
    reason = lw_api_reason_of_code(code);
    if (reason != LW_REASON_UNKNOWN)
        return reasons[reason].st;
    return code >= 400 && code < 500 ? LW_ERR_INVALID : LW_ERR_INTERNAL;
}
