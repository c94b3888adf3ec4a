/* SPDX-License-Identifier: Apache-2.0 */
/* last_applied.h -- the annotation in which kubectl apply, the older one of the client, keeps what
 * it applied last.  Where it is, server-side apply by kubectl goes on from it: what was applied so
 * is taken over without a conflict, and the annotation follows. */
#ifndef LW_API_PENDING_LAST_APPLIED_H
#define LW_API_PENDING_LAST_APPLIED_H

#include "api/pending/managed.h"

/* True when |manager| is kubectl and |live| (NULL: nothing) has the annotation. */
bool lw_last_applied_is_followed(const lw_field_manager *manager, const lw_node *live);

/* The fields of |live| that are as they were last applied; none when the annotation cannot be
 * read. */
lw_status lw_last_applied_fields(lw_tree *tree, const lw_type *type, const lw_node *live,
                                 const lw_node **out);

/* Makes the annotation of |object|, of |tree|, say |config|. */
lw_status lw_last_applied_set(lw_tree *tree, lw_node *object, const lw_node *config);

#endif
