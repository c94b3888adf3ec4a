/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.h -- what the types (schema/validation/check.h) say against a document, as plain
 * texts. */
#ifndef LW_API_PENDING_FIELD_FINDINGS_H
#define LW_API_PENDING_FIELD_FINDINGS_H

#include <listwatch/gvk.h>

#include "base/buf.h"
#include "schema/kinds/kind.h"

typedef struct lw_field_check_result {
    lw_buf fault;    /* what is of the wrong type, in Go's words; empty: nothing is */
    lw_buf findings; /* of each field that is not the type's, or there twice, a text and a NUL */
    lw_buf strict;   /* these in one sentence */
} lw_field_check_result;

void lw_field_check_result_init(lw_field_check_result *verdict);
void lw_field_check_result_done(lw_field_check_result *verdict);

/* Judges |json| as a |gvk|, a document of |kind|, whose schema is asked if it is a custom one: then
 * findings are what it does not know, and what is odd about the metadata.  Nothing is said when the
 * kind has no type here; of a document with a fault there are no findings.  LW_ERR_NOMEM. */
lw_status lw_field_findings(const lw_kind *kind, lw_gvk gvk, lw_str json,
                            lw_field_check_result *verdict);

#endif
