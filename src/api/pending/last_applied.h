/* SPDX-License-Identifier: Apache-2.0 */
/* last_applied.h -- the annotation in which kubectl's client-side apply stores the last applied
 * configuration.  If it exists, a server-side apply by kubectl migrates from it: fields that were
 * applied that way are taken over without a conflict, and the annotation is updated. */
#ifndef LW_API_PENDING_LAST_APPLIED_H
#define LW_API_PENDING_LAST_APPLIED_H

#include "api/pending/managed.h"

/* Returns true if |manager| is kubectl and |live| (NULL: no object) has the annotation. */
bool lw_last_applied_is_followed(const lw_field_manager *manager, const lw_node *live);

/* Sets |*out| to the fields of |live| that are unchanged since they were applied; none if the
 * annotation cannot be parsed. */
lw_status lw_last_applied_fields(lw_tree *tree, const lw_type *type, const lw_node *live,
                                 const lw_node **out);

/* Sets the annotation of |object|, a node of |tree|, to |config|. */
lw_status lw_last_applied_set(lw_tree *tree, lw_node *object, const lw_node *config);

#endif
