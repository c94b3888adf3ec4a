/* SPDX-License-Identifier: Apache-2.0 */
/* structural_types.h -- the type that a structural schema gives its objects, for apply: which lists
 * are sets, which items have keys, what is replaced as a whole.
 *
 * Of a list or map it also says how its elements behave.  Where a schema lets anything be, or names
 * more than LW_TYPE_MEMBERS_MAX members of one object, nothing is known: objects are maps there,
 * and everything else is one thing.
 *
 * Threads: made by one, used by any number. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_TYPES_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_TYPES_H

#include "schema/structural/structural.h"
#include "schema/types/type.h"

typedef struct lw_structural_types lw_structural_types;

/* The type of the objects of |schema|, which must outlive it; NULL: objects are taken as they come,
 * and only their metadata is known.  LW_ERR_NOMEM. */
lw_status lw_structural_types_new(lw_structural_types **out, const lw_structural *schema);
void lw_structural_types_free(lw_structural_types *types); /* NULL does nothing */

const lw_type *lw_structural_types_root(const lw_structural_types *types);

#endif
