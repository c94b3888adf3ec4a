/* SPDX-License-Identifier: Apache-2.0 */
/* finalizer.h -- finalizers: a deleted object exists until all are removed, so that a controller
 * can clean up what belongs to it. */
#ifndef LISTWATCH_FINALIZER_H
#define LISTWATCH_FINALIZER_H

#include <stdbool.h>

#include <listwatch/client.h>
#include <listwatch/document.h>

LW_BEGIN_DECLS

/* Returns true if |obj| has the finalizer |name| ("example.com/routes"). */
LW_API bool lw_finalizer_has(const lw_object *obj, const char *name);

/* Returns true if |obj| is being deleted (metadata.deletionTimestamp). */
LW_API bool lw_object_is_deleting(const lw_object *obj);

/* Add a finalizer to the document of an object, and remove it.  Return true if that was a
 * change. */
LW_API bool lw_finalizer_add(lw_document *doc, const char *name);
LW_API bool lw_finalizer_remove(lw_document *doc, const char *name);

/* Makes the merge patch that adds (|is_wanted|) or removes the finalizer |name| of |obj|, for this
 * version of |obj| only; the caller frees it.  |*out| is NULL if nothing is to be changed.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_finalizer_patch(const lw_object *obj, const char *name,
                                                  bool is_wanted, lw_document **out, lw_error *err);

/* Sends that patch if there is something to change; then |*is_changed| (may be NULL) is true.  An
 * object that does not exist any more needs no removal.  LW_ERR_CONFLICT: |obj| is not the current
 * version; its next event brings the current one.  Other errors as lw_client_patch. */
LW_MUST_CHECK LW_API lw_status lw_finalizer_write(lw_client *client, lw_gvr gvr,
                                                  const lw_object *obj, const char *name,
                                                  bool is_wanted, bool *is_changed, lw_error *err);

LW_END_DECLS

#endif
