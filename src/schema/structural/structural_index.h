/* SPDX-License-Identifier: Apache-2.0 */
/* structural_index.h -- hash tables of schema values and list elements, so that validation takes
 * linear time; private to structural*.c. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_INDEX_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_INDEX_H

#include "base/map.h"
#include "schema/structural/structural_lists.h"

/* Copies the values of an enum to the memory of |texts|; |*out| is NULL if |list| is not a list.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_structural_enum_new(lw_map **out, lw_tree *texts, const lw_node *list);
void lw_structural_enum_free(lw_map *values);
bool lw_structural_enum_has(const lw_map *values, const lw_node *value);

/* The elements of the previous list, by their keys. */
typedef struct lw_structural_olds {
    const lw_structural_node *schema;
    lw_map map;
} lw_structural_olds;

/* Indexes |old| (may be NULL) by |schema|, the schema of the list.  If its x-kubernetes-list-type
 * is not map, the index stays empty: elements cannot be correlated.  If memory runs out, c->errors
 * fails. */
void lw_structural_olds_init(lw_structural_olds *olds, lw_structural_check *c,
                             const lw_structural_node *schema, const lw_node *old);
void lw_structural_olds_done(lw_structural_olds *olds);

/* Returns the previous value of |element|; NULL: it is new, or cannot be correlated. */
const lw_node *lw_structural_olds_find(const lw_structural_olds *olds, const lw_node *element);

#endif
