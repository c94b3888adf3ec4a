/* SPDX-License-Identifier: Apache-2.0 */
/* upsert.h -- writes an object whether or not it exists, and only if there is something to change.
 *
 * The calls are blocking, as those of client.h. */
#ifndef LISTWATCH_UPSERT_H
#define LISTWATCH_UPSERT_H

#include <listwatch/client.h>
#include <listwatch/document.h>

LW_BEGIN_DECLS

/* What a call has done. */
typedef enum lw_change {
    LW_CHANGE_NONE = 0, /* the object was as wanted */
    LW_CHANGE_CREATED = 1,
    LW_CHANGE_UPDATED = 2,
} lw_change;

/* Sets the wanted fields of an object: |doc| is the current object, or a new one with apiVersion,
 * kind, namespace and name.  May be called several times.  A negative status ends the call. */
typedef lw_status (*lw_mutate_fn)(lw_document *doc, void *arg, lw_error *err);

/* Gets the object |name|, calls |mutate|, and creates the object if it does not exist, or updates
 * it if |mutate| has changed it; after a conflict, begins again (at most 5 times).  |out| (may be
 * NULL) is the object as it is then; the caller unrefs it.  |change| may be NULL.  LW_ERR_INVALID:
 * |mutate| has changed the name or the namespace.  Other errors as lw_client_get, _create, _update
 * and lw_retry_on_conflict.  The status of objects that have a subresource for it does not
 * change. */
LW_MUST_CHECK LW_API lw_status lw_create_or_update(lw_client *client, lw_gvr gvr, const char *ns,
                                                   const char *name, lw_mutate_fn mutate, void *arg,
                                                   lw_object **out, lw_change *change,
                                                   lw_error *err);

/* Server-side apply of |wanted|, which has apiVersion, kind, metadata and exactly the fields that
 * |field_manager| wants to own, with force: fields that others have changed are taken back.
 * |cached| is the object as the caller knows it, usually from a lister; NULL: if it exists is
 * asked first.  Only |change| depends on it.  |out| and |change| may be NULL.  Errors as
 * lw_client_apply. */
LW_MUST_CHECK LW_API lw_status lw_create_or_apply(lw_client *client, lw_gvr gvr,
                                                  lw_document *wanted, const lw_object *cached,
                                                  const char *field_manager, lw_object **out,
                                                  lw_change *change, lw_error *err);

/* Updates |before| to |doc|, which was made from it, unless both are equal; e.g. with "status" as
 * the subresource in |options|.  |out| and |change| may be NULL.  LW_ERR_CONFLICT: |before| is not
 * the current version.  Other errors as lw_client_update. */
LW_MUST_CHECK LW_API lw_status lw_update_if_changed(lw_client *client, lw_gvr gvr,
                                                    const lw_object *before, lw_document *doc,
                                                    const lw_update_options *options,
                                                    lw_object **out, lw_change *change,
                                                    lw_error *err);

LW_END_DECLS

#endif
