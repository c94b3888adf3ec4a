/* SPDX-License-Identifier: Apache-2.0 */
/* owner_refs.h -- who owns an object (metadata.ownerReferences), and how its owners are. */
#ifndef LW_API_PENDING_OWNER_REFS_H
#define LW_API_PENDING_OWNER_REFS_H

#include "api/context/port.h"
#include "json/cursor.h"

/* The finalizers that ask for the collector's work. */
#define LW_FINALIZER_ORPHAN     LW_STR("orphan")
#define LW_FINALIZER_FOREGROUND LW_STR("foregroundDeletion")

/* One reference; views of the object's JSON.  Texts that were escaped stay so: no server makes
 * such names. */
typedef struct lw_owner_ref {
    lw_str api_version, kind, name, uid;
    bool blocks; /* blockOwnerDeletion */
} lw_owner_ref;

/* A walk over the references of an object, which stays. */
typedef struct lw_owner_walk {
    lw_json_cursor at;
    bool has_any;
} lw_owner_walk;

lw_owner_walk lw_owner_walk_begin(const lw_object *obj);
bool lw_owner_walk_next(lw_owner_walk *walk, lw_owner_ref *ref);

/* What an owner means to those who name it. */
typedef enum lw_owner_state {
    LW_OWNER_SOLID,     /* it is there; or it cannot own this object, which is left alone then */
    LW_OWNER_UNKNOWN,   /* nobody can say: its kind is not served */
    LW_OWNER_ABSENT,    /* gone, or another of the same name */
    LW_OWNER_WAITING,   /* being deleted, after its dependents */
    LW_OWNER_ORPHANING, /* being deleted, without them */
} lw_owner_state;

/* How the owner |ref| of an object of |kind| in |ns| is now.  It is looked for in the same
 * namespace, or in none if it has none; an object of no namespace cannot be owned by one in a
 * namespace, and is left alone.  LW_ERR_NOMEM, LW_ERR_IO: nobody can say. */
lw_status lw_owner_look(lw_api_port *port, const lw_kind *kind, lw_str ns, const lw_owner_ref *ref,
                        lw_owner_state *state);

/* What is said about the deletion of |obj| itself, and whether it names owners at all. */
typedef struct lw_owner_deletion {
    bool is_owned;
    bool is_deleting;
    bool orphans;  /* has LW_FINALIZER_ORPHAN */
    bool collects; /* has LW_FINALIZER_FOREGROUND */
} lw_owner_deletion;

lw_owner_deletion lw_owner_deletion_of(const lw_object *obj);

#endif
