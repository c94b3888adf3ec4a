/* SPDX-License-Identifier: Apache-2.0 */
/* structural_types.h -- the type of the objects of a structural schema, for apply: which lists are
 * sets, which elements have keys, and which values are replaced as a whole.
 *
 * For a list or map, the type also has the rules of its elements.  Where a schema allows any value,
 * or declares more than LW_TYPE_MEMBERS_MAX members of one object, the type is unknown: objects are
 * maps, and all other values are atomic.
 *
 * Threads: one thread makes the types, then any number may use them. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_TYPES_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_TYPES_H

#include "schema/structural/structural.h"
#include "schema/types/type.h"

typedef struct lw_structural_types lw_structural_types;

/* Makes the type of the objects of |schema|, which must outlive it.  If |schema| is NULL, only the
 * metadata of objects has a type.  LW_ERR_NOMEM. */
lw_status lw_structural_types_new(lw_structural_types **out, const lw_structural *schema);
void lw_structural_types_free(lw_structural_types *types); /* NULL does nothing */

const lw_type *lw_structural_types_root(const lw_structural_types *types);

#endif
