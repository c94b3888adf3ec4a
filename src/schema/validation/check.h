/* SPDX-License-Identifier: Apache-2.0 */
/* check.h -- checks a document against its type, with the messages of kube-apiserver.
 *
 * There are two sorts of problems.  A fault is a value of the wrong type: the document cannot be
 * used.  Findings are unknown fields and duplicate fields.  The request's fieldValidation says
 * whether they are an error, a warning or ignored, and they count only if there is no fault.
 *
 *     lw_check check;
 *     lw_check_init(&check);
 *     st = lw_check_document(&check, lw_type_of_kind(gvk), json);
 *     if (st == LW_OK && check.fault.len > 0)
 *         ... 400: <kind> in version <version> cannot be handled as a <kind>: <fault>
 *     lw_check_done(&check);
 *
 * The text of a fault, which of several faults is reported, and which parts are not checked (inside
 * managedFields, and inside schemas below "items" and similar) are as in Go's decoder.  Threads: a
 * check must be used by one thread at a time. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_H
#define LW_SCHEMA_VALIDATION_CHECK_H

#include "base/buf.h"
#include "schema/types/type.h"

enum {
    LW_CHECK_FINDINGS_MAX = 100, /* the limit of kube-apiserver; further ones are dropped */
    LW_CHECK_TEXT_MAX = 1 << 20, /* bytes of all findings, and of a fault, which is truncated */
};

typedef struct lw_check {
    lw_buf fault;                       /* empty: none */
    lw_buf findings;                    /* concatenated */
    size_t ends[LW_CHECK_FINDINGS_MAX]; /* the end of each finding */
    size_t count;
} lw_check;

/* Initializes without problems; allocates nothing. */
void lw_check_init(lw_check *check);

void lw_check_done(lw_check *check);

/* Checks |json| as a value of |type|.  |json| must be valid and nested at most LW_SCAN_DEPTH_MAX
 * deep.  The problems of an earlier document are cleared.  LW_ERR_NOMEM: there is no result. */
LW_MUST_CHECK lw_status lw_check_document(lw_check *check, const lw_type *type, lw_str json);

/* Returns finding number |i|, below |check->count|: unknown field "spec.contianers".  Findings are
 * in document order, and each text occurs once. */
lw_str lw_check_finding(const lw_check *check, size_t i);

/* Appends all findings as one message: strict decoding error: unknown field "a", duplicate field
 * "b". */
void lw_check_append_strict(const lw_check *check, lw_buf *out);

#endif
