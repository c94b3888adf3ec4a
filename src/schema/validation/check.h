/* SPDX-License-Identifier: Apache-2.0 */
/* check.h -- whether a document is what its type says, in the words of kube-apiserver.
 *
 * Two sorts of things can be wrong.  A fault is a value of another type than its field: nothing can
 * be done with the document.  Findings are fields that the type does not have, and fields that are
 * there twice: whether they are an error, a warning or nothing is for the request to say
 * (fieldValidation), and they count only when there is no fault.
 *
 *     lw_check check;
 *     lw_check_init(&check);
 *     st = lw_check_document(&check, lw_type_of_kind(gvk), json);
 *     if (st == LW_OK && check.fault.len > 0)
 *         ... 400: <kind> in version <version> cannot be handled as a <kind>: <fault>
 *     lw_check_done(&check);
 *
 * What a fault says, which one is told when there are several, and where nothing is looked for
 * (inside of managed fields, and of schemas below "items" and the like) is as Go's decoder has it.
 * A check belongs to one thread at a time. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_H
#define LW_SCHEMA_VALIDATION_CHECK_H

#include "base/buf.h"
#include "schema/types/type.h"

enum {
    LW_CHECK_FINDINGS_MAX = 100, /* further ones are not kept; kube-apiserver's number */
    LW_CHECK_TEXT_MAX = 1 << 20, /* bytes of all findings, and of a fault, which is cut there */
};

typedef struct lw_check {
    lw_buf fault;                       /* empty: none */
    lw_buf findings;                    /* one after the other */
    size_t ends[LW_CHECK_FINDINGS_MAX]; /* where each of them ends */
    size_t count;
} lw_check;

/* Nothing is wrong so far; allocates nothing. */
void lw_check_init(lw_check *check);

void lw_check_done(lw_check *check);

/* Looks at |json|, valid and at most LW_SCAN_DEPTH_MAX deep, as a value of |type|.  What an earlier
 * document had is forgotten.  LW_ERR_NOMEM: nothing is known then. */
LW_MUST_CHECK lw_status lw_check_document(lw_check *check, const lw_type *type, lw_str json);

/* Finding number |i|, below |check->count|: unknown field "spec.contianers".  In the order of the
 * document, each text once. */
lw_str lw_check_finding(const lw_check *check, size_t i);

/* Appends all findings as one text: strict decoding error: unknown field "a", duplicate field "b".
 */
void lw_check_append_strict(const lw_check *check, lw_buf *out);

#endif
