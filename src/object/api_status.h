/* SPDX-License-Identifier: Apache-2.0 */
/* api_status.h -- the Status object, which is how an API server says that it will not, and why.
 *
 * The server builds one and writes it, the client parses one and makes an lw_error of it.  Failures
 * while building stick in status->st: build freely, look once (lw_api_status_write does). */
#ifndef LW_OBJECT_API_STATUS_H
#define LW_OBJECT_API_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/gvk.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "object/api_reason.h"
#include "json/tree.h"
#include "json/writer.h"

enum {
    LW_API_STATUS_TEXT_MAX = 4 * 1024 * 1024, /* bytes of all its strings */
    LW_API_STATUS_CAUSES_MAX = 1024,
};

/* A string of the status, in its text.  Read it with lw_api_status_str. */
typedef struct lw_api_text {
    size_t at;
    size_t len;
} lw_api_text;

/* Why, in detail: one field that is wrong, one manager that disagrees. */
typedef struct lw_api_cause {
    lw_api_text reason; /* "FieldValueInvalid" */
    lw_api_text message;
    lw_api_text field; /* "metadata.name", or "" */
} lw_api_cause;

/* The strings are set with lw_api_status_set and written when not empty. */
typedef struct lw_api_status {
    lw_buf text;  /* what the lw_api_texts point into */
    lw_status st; /* the first failure: LW_ERR_NOMEM or LW_ERR_LIMIT; see also text.st */
    bool is_success;
    int32_t code; /* HTTP; 0: not written */
    lw_api_text message;
    lw_api_text reason;
    lw_api_text continue_token; /* of metadata */
    bool has_details;           /* write details even when they are empty */
    lw_api_text name;           /* the rest are the details */
    lw_api_text group;
    lw_api_text kind; /* the resource, in most answers */
    lw_api_text uid;
    lw_api_cause *causes;
    size_t cause_count;
    size_t cause_cap;
    int32_t retry_after_s;
} lw_api_status;

/* An empty failure; allocates nothing. */
void lw_api_status_init(lw_api_status *status);

void lw_api_status_done(lw_api_status *status);

/* The first failure so far, or LW_OK. */
lw_status lw_api_status_state(const lw_api_status *status);

/* The bytes of one of its strings; dies with the next string that is set. */
lw_str lw_api_status_str(const lw_api_status *status, lw_api_text text);

/* Sets |*field|, a string of |status|, to a copy of |value|. */
void lw_api_status_set(lw_api_status *status, lw_api_text *field, lw_str value);

/* True when no further cause is taken: there are too many, or the status has failed. */
bool lw_api_status_is_full(const lw_api_status *status);

/* Adds a cause; the strings are copied.  Those beyond the maximum are dropped: so many
 * nobody reads. */
void lw_api_status_add_cause(lw_api_status *status, lw_str reason, lw_str message, lw_str field);

/* Writes the Status as the next value of |w|, keys in Kubernetes' order.  Returns the first failure
 * of the status or the writer; nothing is written when the status has failed. */
lw_status lw_api_status_write(const lw_api_status *status, lw_json_writer *w);

/* Fills |status|, which is initialised here, from a parsed body.  LW_ERR_INVALID: it is not a
 * Status.  Members of a wrong type count as absent.  Call
 * lw_api_status_done in any case. */
lw_status lw_api_status_from_tree(lw_api_status *status, const lw_node *root);

#endif
