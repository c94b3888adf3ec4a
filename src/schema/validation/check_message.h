/* SPDX-License-Identifier: Apache-2.0 */
/* check_message.h -- the messages of a check: paths, findings and faults; private to check.c. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_MESSAGE_H
#define LW_SCHEMA_VALIDATION_CHECK_MESSAGE_H

#include "schema/validation/check.h"
#include "json/cursor.h"

/* One step of the path from the root to a value; a linked list on the stack. */
typedef struct lw_check_place {
    const struct lw_check_place *up;
    const lw_type *owner;    /* the struct that declares |member| */
    const lw_member *member; /* NULL: a map key or a list element */
    lw_str raw_key;          /* its ptr is NULL for a list element */
    size_t index;
} lw_check_place;

/* The state of a walk through a document. */
typedef struct lw_check_walk {
    lw_check *check;
    lw_buf path;    /* the path written last */
    lw_buf key;     /* the string decoded last */
    unsigned quiet; /* how many values with a custom Go unmarshaler enclose the current one */
    bool is_over;
    lw_status st;
} lw_check_walk;

/* Records that memory ran out, which ends the walk. */
void lw_check_fail(lw_check_walk *w);

/* Returns |raw| decoded, valid until the next call. */
lw_str lw_check_decoded(lw_check_walk *w, lw_str raw);

/* Adds a finding for the member |raw_key| of the value at |here|; |what| begins the message. */
void lw_check_find(lw_check_walk *w, const char *what, const lw_check_place *here, lw_str raw_key);

/* True if the caller is to write the fault now, to an empty buffer.  The first fault is kept, but a
 * fault with |last|, which ends Go's decoder, replaces it and ends the walk. */
bool lw_check_begin_fault(lw_check_walk *w, bool last);
void lw_check_end_fault(lw_check_walk *w);

/* Reports a value of JSON type |json|, or the number |number| if that is not empty, where Go
 * expects the type |go|. */
void lw_check_wrong_type(lw_check_walk *w, const lw_check_place *here, lw_json_type json,
                         lw_str number, lw_str go, bool last);

#endif
