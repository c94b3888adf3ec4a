/* SPDX-License-Identifier: Apache-2.0 */
/* owner_refs.h -- the owners of an object (metadata.ownerReferences), and their state. */
#ifndef LW_API_PENDING_OWNER_REFS_H
#define LW_API_PENDING_OWNER_REFS_H

#include "api/context/port.h"
#include "json/cursor.h"

/* The finalizers that the garbage collector handles. */
#define LW_FINALIZER_ORPHAN     LW_STR("orphan")
#define LW_FINALIZER_FOREGROUND LW_STR("foregroundDeletion")

/* One reference; views into the object's JSON.  Escaped texts are not decoded: valid names have no
 * escapes. */
typedef struct lw_owner_ref {
    lw_str api_version, kind, name, uid;
    bool blocks; /* blockOwnerDeletion */
} lw_owner_ref;

/* Iterates over the references of an object, which must not be freed meanwhile. */
typedef struct lw_owner_walk {
    lw_json_cursor at;
    bool has_any;
} lw_owner_walk;

/* Starts an iteration; lw_owner_walk_next returns false at the end. */
lw_owner_walk lw_owner_walk_begin(const lw_object *obj);
bool lw_owner_walk_next(lw_owner_walk *walk, lw_owner_ref *ref);

/* The state of an owner for its dependents. */
typedef enum lw_owner_state {
    LW_OWNER_SOLID,     /* it exists; or it cannot own this object, and is ignored */
    LW_OWNER_UNKNOWN,   /* its kind is not served */
    LW_OWNER_ABSENT,    /* deleted, or another object of the same name */
    LW_OWNER_WAITING,   /* being deleted, after its dependents */
    LW_OWNER_ORPHANING, /* being deleted, and its dependents are orphaned */
} lw_owner_state;

/* Sets |*state| to the state of the owner |ref| of an object of |kind| in |ns|.  The owner is
 * looked up in the same namespace, or in none if its kind is cluster-scoped; a cluster-scoped
 * object cannot be owned by a namespaced one.  LW_ERR_NOMEM, LW_ERR_IO: the cache cannot answer. */
lw_status lw_owner_look(lw_api_port *port, const lw_kind *kind, lw_str ns, const lw_owner_ref *ref,
                        lw_owner_state *state);

/* The state of the deletion of |obj|, and whether it has owners. */
typedef struct lw_owner_deletion {
    bool is_owned;
    bool is_deleting;
    bool orphans;  /* has LW_FINALIZER_ORPHAN */
    bool collects; /* has LW_FINALIZER_FOREGROUND */
} lw_owner_deletion;

/* Reads the state from the object. */
lw_owner_deletion lw_owner_deletion_of(const lw_object *obj);

#endif
