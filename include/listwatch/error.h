/* SPDX-License-Identifier: Apache-2.0 */
/* error.h -- status codes and errors.
 *
 * A function returns LW_OK or a negative lw_status.  If it takes an lw_error, that is the last
 * argument, may be NULL, and is written only on failure.  An lw_error contains no pointers: it may
 * be copied and needs no cleanup. */
#ifndef LISTWATCH_ERROR_H
#define LISTWATCH_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* The reason why a call failed.  The values are part of the ABI; new ones are added at the end. */
typedef enum lw_status {
    LW_OK = 0,
    LW_ERR_NOMEM = -1,     /* an allocation failed; nothing was changed */
    LW_ERR_INVALID = -2,   /* an argument, option or field has an invalid value */
    LW_ERR_SYNTAX = -3,    /* a document is malformed; lw_error.offset is the position */
    LW_ERR_LIMIT = -4,     /* a documented limit (size, depth, count) would be exceeded */
    LW_ERR_NOT_FOUND = -5, /* the object, resource, path or file does not exist */
    LW_ERR_EXISTS = -6,    /* it already exists */
    LW_ERR_CONFLICT = -7,  /* the object was changed by another client; read it again and retry */
    LW_ERR_EXPIRED = -8,   /* the revision has been compacted (410 Gone, Expired); list again */
    LW_ERR_UNAUTHORIZED = -9,  /* there are no credentials, or the server did not accept them */
    LW_ERR_FORBIDDEN = -10,    /* the caller is authenticated, but not authorized */
    LW_ERR_TOO_MANY = -11,     /* the request was throttled (429); see retry_after_s */
    LW_ERR_TIMEOUT = -12,      /* there was no response in time */
    LW_ERR_UNAVAILABLE = -13,  /* the server cannot be reached, or is not ready */
    LW_ERR_TOO_LARGE_RV = -14, /* the requested resourceVersion is in the future */
    LW_ERR_UNSUPPORTED = -15,  /* a media type, method or feature that is not supported */
    LW_ERR_IO = -16,           /* an operating system call failed; the message names it */
    LW_ERR_STOPPED = -17,      /* the object was stopped or closed */
    LW_ERR_TEST_FAILED = -18,  /* a "test" operation of a JSON patch failed */
    LW_ERR_INTERNAL = -19,     /* an internal error of the server or of the library */
    LW_ERR_NO_SPACE = -20,     /* the store of the server is full (507) */
} lw_status;

/* The offset of an error that does not concern a position in a document. */
#define LW_NO_OFFSET UINT64_MAX

enum {
    LW_ERROR_REASON_SIZE = 64,
    LW_ERROR_MESSAGE_SIZE = 512,
};

/* The details of an error.  Messages that do not fit end in "...". */
typedef struct lw_error {
    lw_status code;
    int http_status;   /* status of the HTTP response; 0 if no server was involved */
    bool retriable;    /* the same call may succeed later */
    int retry_after_s; /* seconds that the server asked to wait; 0 if it did not */
    uint64_t offset;   /* byte position in the document, or LW_NO_OFFSET */
    char reason[LW_ERROR_REASON_SIZE];   /* reason of the Kubernetes Status ("NotFound"), or "" */
    char message[LW_ERROR_MESSAGE_SIZE]; /* one sentence for people, without a newline */
} lw_error;

#define LW_ERROR_INIT                                                                              \
    {                                                                                              \
        LW_OK, 0, false, 0, LW_NO_OFFSET, "", ""                                                   \
    }

/* Resets |err| (may be NULL) and sets |st| with a formatted message, for handlers and reconcile
 * functions; |st| determines whether it is retriable.  The message becomes one line.  Returns |st|,
 * so that a failure is one line: return lw_error_set(err, LW_ERR_INVALID, "no image").  The
 * arguments may point into |err| itself, to wrap an error. */
LW_API lw_status lw_error_set(lw_error *err, lw_status st, const char *format, ...) LW_PRINTF(3, 4);

/* Returns a short English name of |st| ("not found"), never NULL. */
LW_API const char *lw_status_name(lw_status st);

LW_END_DECLS

#endif
