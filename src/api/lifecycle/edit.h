/* SPDX-License-Identifier: Apache-2.0 */
/* edit.h -- the server's own controllers change a stored object: as the PATCH of a controller of
 * kube-controller-manager does, through admission. */
#ifndef LW_API_LIFECYCLE_EDIT_H
#define LW_API_LIFECYCLE_EDIT_H

#include "api/pending/managed.h"
#include "api/write/write.h"
#include "json/tree.h"

typedef struct lw_edit {
    unsigned subresource;     /* one that is a part of the object, or 0 */
    lw_field_manager manager; /* of the fields that it sets */
    /* Changes |root|, the object in |tree|.  LW_ERR_NOMEM, LW_ERR_IO, LW_ERR_LIMIT. */
    lw_status (*change)(lw_tree *tree, lw_node *root, void *arg);
    void *arg;
} lw_edit;

/* Decides to change write->current, which exists: PUT, KEEP, REFUSE, ASK, or DELETE if it is being
 * deleted and has no finalizers left. */
lw_write_decision lw_edit_decide(lw_write *write, const lw_edit *edit);

#endif
