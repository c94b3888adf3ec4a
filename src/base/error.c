/* SPDX-License-Identifier: Apache-2.0 */
/* error.c -- names of status codes, and the text of errors. */
#include "base/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/line.h"

const char *lw_status_name(lw_status st)
{
    switch (st) {
    case LW_OK: return "ok";
    case LW_ERR_NOMEM: return "out of memory";
    case LW_ERR_INVALID: return "invalid";
    case LW_ERR_SYNTAX: return "malformed document";
    case LW_ERR_LIMIT: return "limit exceeded";
    case LW_ERR_NOT_FOUND: return "not found";
    case LW_ERR_EXISTS: return "already exists";
    case LW_ERR_CONFLICT: return "conflict";
    case LW_ERR_EXPIRED: return "expired";
    case LW_ERR_UNAUTHORIZED: return "unauthorized";
    case LW_ERR_FORBIDDEN: return "forbidden";
    case LW_ERR_TOO_MANY: return "too many requests";
    case LW_ERR_TIMEOUT: return "timeout";
    case LW_ERR_UNAVAILABLE: return "unavailable";
    case LW_ERR_TOO_LARGE_RV: return "resource version too large";
    case LW_ERR_UNSUPPORTED: return "unsupported";
    case LW_ERR_IO: return "input/output error";
    case LW_ERR_STOPPED: return "stopped";
    case LW_ERR_TEST_FAILED: return "test failed";
    case LW_ERR_INTERNAL: return "internal error";
    }
    return "unknown status";
}

static bool status_is_retriable(lw_status st)
{
    return st == LW_ERR_TOO_MANY || st == LW_ERR_TIMEOUT || st == LW_ERR_UNAVAILABLE ||
           st == LW_ERR_TOO_LARGE_RV;
}

void lw_error_copy_text(char *dst, size_t size, const char *text, size_t len)
{
    (void)lw_line_copy(dst, size, text, len);
}

/* Formats before it resets, so that an error can be wrapped in itself ("%s", err->message). */
static void error_fill(lw_error *err, lw_status st, uint64_t offset, const char *format,
                       va_list args)
{
    char message[LW_ERROR_MESSAGE_SIZE];
    size_t len = lw_line_format(message, sizeof(message), format, args);
    *err = (lw_error)LW_ERROR_INIT;
    err->code = st;
    err->offset = offset;
    err->retriable = status_is_retriable(st);
    memcpy(err->message, message, len + 1);
}

lw_status lw_error_set(lw_error *err, lw_status st, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        error_fill(err, st, LW_NO_OFFSET, format, args);
        va_end(args);
    }
    return st;
}

lw_status lw_error_set_at(lw_error *err, lw_status st, uint64_t offset, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        error_fill(err, st, offset, format, args);
        va_end(args);
    }
    return st;
}

lw_status lw_error_nomem(lw_error *err)
{
    return lw_error_set(err, LW_ERR_NOMEM, "out of memory");
}
