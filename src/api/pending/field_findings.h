/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.h -- the result of checking a document against its type
 * (schema/validation/check.h), as texts. */
#ifndef LW_API_PENDING_FIELD_FINDINGS_H
#define LW_API_PENDING_FIELD_FINDINGS_H

#include <listwatch/gvk.h>

#include "base/budget.h"
#include "base/buf.h"
#include "schema/kinds/kind.h"

typedef struct lw_field_check_result {
    lw_buf type_error; /* the value of the wrong type, in the words of Go; empty: none */
    lw_buf findings;   /* one text for each unknown or duplicate field; each ends with a NUL */
    lw_buf strict;     /* all findings in one sentence */
} lw_field_check_result;

/* Initialise and free a result. */
void lw_field_check_result_init(lw_field_check_result *result);
void lw_field_check_result_done(lw_field_check_result *result);

/* Checks |json| as a |gvk|, a document of |kind|; charged to |budget|.  For a custom kind, the
 * findings are the fields that its schema does not have, and unknown or duplicate fields of the
 * metadata.  There is no result if the kind has no type here, and no findings if a value has the
 * wrong type. LW_ERR_NOMEM, LW_ERR_LIMIT (the budget is over). */
lw_status lw_field_findings(const lw_kind *kind, lw_gvk gvk, lw_str json, lw_budget *budget,
                            lw_field_check_result *result);

#endif
