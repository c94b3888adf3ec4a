/* SPDX-License-Identifier: Apache-2.0 */
/* check_tell.h -- what a check says: paths, findings, faults.  For check.c, which finds them. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_TELL_H
#define LW_SCHEMA_VALIDATION_CHECK_TELL_H

#include "schema/validation/check.h"
#include "json/cursor.h"

/* A step on the way from the root to a value; they hang together on the stack. */
typedef struct lw_check_place {
    const struct lw_check_place *up;
    const lw_type *owner;    /* the struct that has |member| */
    const lw_member *member; /* NULL: a key of a map, or an element of a list */
    lw_str raw_key;          /* its ptr is NULL for an element */
    size_t index;
} lw_check_place;

/* A walk through a document. */
typedef struct lw_check_walk {
    lw_check *check;
    lw_buf path;    /* the last one that was written */
    lw_buf key;     /* the last string that was decoded */
    unsigned quiet; /* inside of this many values that Go reads with code of its own */
    bool is_over;
    lw_status st;
} lw_check_walk;

/* Out of memory: ends the walk. */
void lw_check_fail(lw_check_walk *w);

/* The decoded |raw|; dies with the next call. */
lw_str lw_check_decoded(lw_check_walk *w, lw_str raw);

/* A finding about the member |raw_key| of what is at |here|; |what| is its first words. */
void lw_check_find(lw_check_walk *w, const char *what, const lw_check_place *here, lw_str raw_key);

/* True when the fault is to be written now, to an empty buffer, and then ended.  The first one
 * stays, but one that Go's decoder ends with, the |last|, replaces it and ends the walk. */
bool lw_check_begin_fault(lw_check_walk *w, bool last);
void lw_check_end_fault(lw_check_walk *w);

/* The fault of a value of |json|, or of the number |number| when that is not empty, where a value
 * of Go's type |go| should be. */
void lw_check_wrong_type(lw_check_walk *w, const lw_check_place *here, lw_json_type json,
                         lw_str number, lw_str go, bool last);

#endif
