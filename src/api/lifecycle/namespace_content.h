/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_content.h -- what is left in a namespace that is to end, and what its status says of
 * it: the conditions NamespaceContentRemaining and its siblings. */
#ifndef LW_API_LIFECYCLE_NAMESPACE_CONTENT_H
#define LW_API_LIFECYCLE_NAMESPACE_CONTENT_H

#include "api/pending/pending_object.h"
#include "base/buf.h"

/* Both texts are empty when nothing is left.  Give it back with lw_namespace_content_done. */
typedef struct lw_namespace_content {
    lw_buf kinds;      /* "configmaps. has 2 resource instances, pods. has 1 resource instances" */
    lw_buf finalizers; /* "ex.io/f in 2 resource instances" */
} lw_namespace_content;

/* True when objects of |kind| are emptied out of a namespace; of the versions of a definition one.
 */
bool lw_namespace_holds(const lw_kind *kind);

/* LW_ERR_NOMEM, LW_ERR_IO: nobody can say. */
lw_status lw_namespace_is_empty(lw_api_port *port, lw_str ns, bool *is_empty);

/* Looks at what is left; of finalizers at those of the first few hundred objects of a kind. */
lw_status lw_namespace_content_look(lw_namespace_content *left, lw_api_port *port, lw_str ns);
void lw_namespace_content_done(lw_namespace_content *left);

/* Writes the conditions into the status of a namespace; one that says the same keeps its date.
 * |failure|: why something could not be deleted; empty: everything could. */
void lw_namespace_content_tell(const lw_namespace_content *left, lw_str failure,
                               lw_pending_object *pending, int64_t wall_ns);

#endif
