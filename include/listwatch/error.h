/* SPDX-License-Identifier: Apache-2.0 */
/* error.h -- how calls fail: a typed status, and a caller-owned error with the detail.
 *
 * A function returns LW_OK or a negative lw_status.  Where it takes an lw_error, that is the last
 * argument, may be NULL, and is written on failure only.  An lw_error holds no memory: copy it,
 * keep it, drop it. */
#ifndef LISTWATCH_ERROR_H
#define LISTWATCH_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* Why a call failed.  The values are part of the ABI: new ones are added at the end. */
typedef enum lw_status {
    LW_OK = 0,
    LW_ERR_NOMEM = -1,         /* an allocation failed; nothing was changed */
    LW_ERR_INVALID = -2,       /* an argument, option or field has a value that cannot be used */
    LW_ERR_SYNTAX = -3,        /* a document is malformed; lw_error.offset says where */
    LW_ERR_LIMIT = -4,         /* a stated bound (size, depth, count) would be exceeded */
    LW_ERR_NOT_FOUND = -5,     /* no such object, resource, path or file */
    LW_ERR_EXISTS = -6,        /* it is there already */
    LW_ERR_CONFLICT = -7,      /* changed by somebody else meanwhile; read again and retry */
    LW_ERR_EXPIRED = -8,       /* the revision is compacted (410 Gone, Expired); relist */
    LW_ERR_UNAUTHORIZED = -9,  /* no credentials, or not accepted */
    LW_ERR_FORBIDDEN = -10,    /* known, but not allowed */
    LW_ERR_TOO_MANY = -11,     /* throttled (429); see retry_after_s */
    LW_ERR_TIMEOUT = -12,      /* not answered in time */
    LW_ERR_UNAVAILABLE = -13,  /* could not be reached, or is not ready */
    LW_ERR_TOO_LARGE_RV = -14, /* the resourceVersion asked for is in the future */
    LW_ERR_UNSUPPORTED = -15,  /* a media type, method or feature nobody here implements */
    LW_ERR_IO = -16,           /* the operating system refused; the message names the call */
    LW_ERR_STOPPED = -17,      /* the object was stopped or closed */
    LW_ERR_TEST_FAILED = -18,  /* a "test" operation of a JSON patch did not hold */
    LW_ERR_INTERNAL = -19,     /* a fault on the other side, or in here */
} lw_status;

/* An offset that means "not about a place in a document". */
#define LW_NO_OFFSET UINT64_MAX

enum {
    LW_ERROR_REASON_SIZE = 64,
    LW_ERROR_MESSAGE_SIZE = 512,
};

/* What went wrong, in full.  Messages longer than the field end in "...". */
typedef struct lw_error {
    lw_status code;
    int http_status;                   /* as the server answered; 0 when no server was involved */
    bool retriable;                    /* the same call may succeed later, unchanged */
    int retry_after_s;                 /* the server asked to wait this long; 0 = it did not say */
    uint64_t offset;                   /* byte in the document, or LW_NO_OFFSET */
    char reason[LW_ERROR_REASON_SIZE]; /* Kubernetes' reason ("NotFound"), or "" */
    char message[LW_ERROR_MESSAGE_SIZE]; /* one sentence for a person, without a newline */
} lw_error;

#define LW_ERROR_INIT                                                                              \
    {                                                                                              \
        LW_OK, 0, false, 0, LW_NO_OFFSET, "", ""                                                   \
    }

/* A short English name of |st| ("not found"), never NULL. */
LW_API const char *lw_status_name(lw_status st);

LW_END_DECLS

#endif
