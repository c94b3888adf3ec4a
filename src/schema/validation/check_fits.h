/* SPDX-License-Identifier: Apache-2.0 */
/* check_fits.h -- whether a tree is what its type says, without a word about what is not.
 *
 * For the documents that are right, which are nearly all: check.h looks at JSON, and says why. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_FITS_H
#define LW_SCHEMA_VALIDATION_CHECK_FITS_H

#include "schema/types/type.h"
#include "json/tree.h"

/* True when lw_check_document surely finds no fault in |document|; fields that |type| does not have
 * are none.  False: look there.  Memory is needed for bad values only. */
bool lw_check_fits(const lw_type *type, const lw_node *document);

/* The same, and it finds no field that |type| does not have.  Of one that was parsed, and had no
 * repeats, it finds nothing at all in the text that it came from. */
bool lw_check_fits_strictly(const lw_type *type, const lw_node *document);

#endif
