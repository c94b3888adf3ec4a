/* SPDX-License-Identifier: Apache-2.0 */
/* check_fits.h -- checks a tree against its type without error messages.
 *
 * This is the fast path for valid documents, which are nearly all.  For others, check.h reads the
 * JSON and reports the reason. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_FITS_H
#define LW_SCHEMA_VALIDATION_CHECK_FITS_H

#include "schema/types/type.h"
#include "json/tree.h"

/* True if lw_check_document is certain to find no fault in |document|; unknown fields are not
 * faults.  False: call it to find out.  Allocates memory only for invalid values. */
bool lw_check_fits(const lw_type *type, const lw_node *document);

/* As lw_check_fits, and there are no unknown fields.  If the document was parsed from text without
 * duplicate keys, lw_check_document finds nothing in that text.  |*is_typed| (may be NULL): and
 * lw_typed_read (typed.h) would change nothing. */
bool lw_check_fits_strictly(const lw_type *type, const lw_node *document, bool *is_typed);

/* As lw_check_fits, without a look at members that are also members of |known| (may be NULL), which
 * fits. */
bool lw_check_fits_beside(const lw_type *type, const lw_node *document, const lw_node *known);

#endif
