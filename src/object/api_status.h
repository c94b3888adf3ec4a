/* SPDX-License-Identifier: Apache-2.0 */
/* api_status.h -- the Status object, the error response of an API server, and its reasons with
 * their HTTP status codes and lw_status.
 *
 * The server builds one and writes it; the client parses one and makes an lw_error from it.  The
 * first failure while building is remembered: build freely and check once (lw_api_status_write
 * does). */
#ifndef LW_OBJECT_API_STATUS_H
#define LW_OBJECT_API_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/gvk.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "json/tree.h"
#include "json/writer.h"

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
    LW_REASON_INSUFFICIENT_STORAGE, /* of this server only */
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

enum {
    LW_API_STATUS_TEXT_MAX = 4 * 1024 * 1024, /* bytes of all its strings */
    LW_API_STATUS_CAUSES_MAX = 1024,
};

/* A string of the status, as a position in its text.  Read it with lw_api_status_str. */
typedef struct lw_api_text {
    size_t at;
    size_t len;
} lw_api_text;

/* One cause: e.g. an invalid field, or a conflicting manager. */
typedef struct lw_api_cause {
    lw_api_text reason; /* "FieldValueInvalid" */
    lw_api_text message;
    lw_api_text field; /* "metadata.name", or "" */
} lw_api_cause;

/* Strings are set with lw_api_status_set and written if they are not empty. */
typedef struct lw_api_status {
    lw_buf text;  /* the text that contains the strings */
    lw_status st; /* the first failure: LW_ERR_NOMEM or LW_ERR_LIMIT; see also text.st */
    bool is_success;
    int32_t code; /* HTTP status code; 0: not written */
    lw_api_text message;
    lw_api_text reason;
    lw_api_text continue_token; /* of metadata */
    bool has_details;           /* write details even if they are empty */
    lw_api_text name;           /* the following members are the details */
    lw_api_text group;
    lw_api_text kind; /* the resource, in most responses */
    lw_api_text uid;
    lw_api_cause *causes;
    size_t cause_count;
    size_t cause_cap;
    int32_t retry_after_s;
} lw_api_status;

/* Initialises an empty failure; does not allocate. */
void lw_api_status_init(lw_api_status *status);

void lw_api_status_done(lw_api_status *status);

/* Returns the first failure, or LW_OK. */
lw_status lw_api_status_state(const lw_api_status *status);

/* Returns one of its strings; valid until the next string is set. */
lw_str lw_api_status_str(const lw_api_status *status, lw_api_text text);

/* Sets |*field|, a string of |status|, to a copy of |value|. */
void lw_api_status_set(lw_api_status *status, lw_api_text *field, lw_str value);

/* Returns true if no more causes are accepted: there are too many, or the status has failed. */
bool lw_api_status_is_full(const lw_api_status *status);

/* Adds a cause; the strings are copied.  Causes above the limit are dropped. */
void lw_api_status_add_cause(lw_api_status *status, lw_str reason, lw_str message, lw_str field);

/* Writes the Status as the next value of |w|, with the members in the order of Kubernetes.  Returns
 * the first failure of the status or the writer; writes nothing if the status has failed. */
lw_status lw_api_status_write(const lw_api_status *status, lw_json_writer *w);

/* Initialises |status| from a parsed body.  LW_ERR_INVALID: it is not a Status.  Members of a wrong
 * type are ignored.  Call lw_api_status_done in any case. */
lw_status lw_api_status_from_tree(lw_api_status *status, const lw_node *root);

#endif
