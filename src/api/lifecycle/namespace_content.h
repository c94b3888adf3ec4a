/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_content.h -- the objects left in a namespace that is being deleted, and the conditions
 * in its status that report them (NamespaceContentRemaining and others). */
#ifndef LW_API_LIFECYCLE_NAMESPACE_CONTENT_H
#define LW_API_LIFECYCLE_NAMESPACE_CONTENT_H

#include "api/context/port.h"
#include "base/buf.h"
#include "json/tree.h"

/* Both texts are empty if nothing is left.  Free it with lw_namespace_content_done. */
typedef struct lw_namespace_content {
    lw_buf kinds;      /* "configmaps. has 2 resource instances, pods. has 1 resource instances" */
    lw_buf finalizers; /* "ex.io/f in 2 resource instances" */
} lw_namespace_content;

/* Returns true if a namespace must be empty of |kind| before it is removed; for a definition with
 * several versions, true for one of them. */
bool lw_namespace_holds(const lw_kind *kind);

/* Sets |*is_empty|.  LW_ERR_NOMEM, LW_ERR_IO: the cache cannot answer. */
lw_status lw_namespace_is_empty(lw_api_port *port, lw_str ns, bool *is_empty);

/* Counts the objects that are left; finalizers only of the first few hundred objects of a kind.
 * LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_namespace_content_look(lw_namespace_content *content, lw_api_port *port, lw_str ns);
void lw_namespace_content_done(lw_namespace_content *content);

/* Writes the phase and the conditions into the status of the namespace |root| in |tree|; an
 * unchanged condition keeps its timestamp.  |failure| says why something could not be deleted;
 * empty: no failure.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_namespace_content_tell(const lw_namespace_content *content,
                                                  lw_str failure, lw_tree *tree, lw_node *root,
                                                  int64_t wall_ns);

#endif
