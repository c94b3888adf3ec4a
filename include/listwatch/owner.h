/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h -- owner references: an object that belongs to another one is deleted after it, and its
 * events lead to its controller (lw_reconciler_watch_owned). */
#ifndef LISTWATCH_OWNER_H
#define LISTWATCH_OWNER_H

#include <stdbool.h>

#include <listwatch/document.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

/* Makes |owner| the controller of the object in |doc|: the owner reference with controller and
 * blockOwnerDeletion true.  An existing reference to |owner| (same group, kind and name) is
 * replaced.  LW_ERR_EXISTS: the object has another controller, which the message names.
 * LW_ERR_INVALID: |owner| has no uid, apiVersion, kind or name; or |owner| has a namespace, and the
 * object is cluster-scoped or in another one.  LW_ERR_NOMEM and other failures of the document. */
LW_MUST_CHECK LW_API lw_status lw_owner_set_controller(lw_document *doc, const lw_object *owner,
                                                       lw_error *err);

/* As lw_owner_set_controller, for one of several owners: the object is deleted after the last of
 * them.  It is not its controller. */
LW_MUST_CHECK LW_API lw_status lw_owner_set(lw_document *doc, const lw_object *owner,
                                            lw_error *err);

/* Removes the reference to |owner|.  Returns false if there was none. */
LW_API bool lw_owner_remove(lw_document *doc, const lw_object *owner);

/* Returns true if |owner| is the controller of |obj|, by its uid. */
LW_API bool lw_owner_controls(const lw_object *owner, const lw_object *obj);

LW_END_DECLS

#endif
