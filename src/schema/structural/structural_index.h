/* SPDX-License-Identifier: Apache-2.0 */
/* structural_index.h -- values of schemas and of lists that are found by their hash, so that checks
 * take linear time; for structural*.c alone. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_INDEX_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_INDEX_H

#include "base/map.h"
#include "schema/structural/structural_lists.h"

/* The values of an enum, copied to the memory of |texts|; |*out| is NULL when |list| is no list.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_structural_enum_new(lw_map **out, lw_tree *texts, const lw_node *list);
void lw_structural_enum_free(lw_map *values);
bool lw_structural_enum_has(const lw_map *values, const lw_node *value);

/* The elements of the list that was there before, by their keys. */
typedef struct lw_structural_olds {
    const lw_structural_node *schema;
    lw_map map;
} lw_structural_olds;

/* Reads |old| (may be NULL) by |schema|, the schema of the list.  A list that is no map is empty
 * here: nobody can say which element was which.  Running out of memory is a failure of
 * c->faults. */
void lw_structural_olds_init(lw_structural_olds *olds, lw_structural_check *c,
                             const lw_structural_node *schema, const lw_node *old);
void lw_structural_olds_done(lw_structural_olds *olds);

/* What |element| was before; NULL: it is new, or nobody can say. */
const lw_node *lw_structural_olds_find(const lw_structural_olds *olds, const lw_node *element);

#endif
