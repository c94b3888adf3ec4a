/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.h -- what the types (schema/check.h) say against a document, as plain texts. */
#ifndef LW_API_FIELD_FINDINGS_H
#define LW_API_FIELD_FINDINGS_H

#include <listwatch/gvk.h>

#include "base/buf.h"

/* Appends to |findings| a text for each field of |json| that |gvk| does not have or that is there
 * twice, each ended by a NUL, and to |strict| all of them in one sentence.  Nothing when the kind
 * is not known here, or when a value has the wrong type: that is told elsewhere.  LW_ERR_NOMEM. */
lw_status lw_field_findings(lw_gvk gvk, lw_str json, lw_buf *findings, lw_buf *strict);

#endif
