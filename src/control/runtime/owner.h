/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h -- the controller of an object: the ownerReference with controller: true. */
#ifndef LW_CONTROL_RUNTIME_OWNER_H
#define LW_CONTROL_RUNTIME_OWNER_H

#include <listwatch.h>

enum {
    LW_UID_SIZE = 64,
    LW_NAME_SIZE = 254, /* a DNS subdomain and the NUL */
};

/* Finds the controller of |obj|; false: it has none, or without a uid. */
bool lw_controller_read(const lw_object *obj, lw_owner_reference *ref);

/* The same as texts that outlive the object. */
typedef struct lw_owner {
    char kind[64];
    char name[LW_NAME_SIZE];
    char uid[LW_UID_SIZE];
} lw_owner;

/* Gets the controller of |obj|; false: it has none. */
bool lw_owner_of(const lw_object *obj, lw_owner *owner);

/* Adds |owner| to the ownerReferences of |doc| as its controller. */
void lw_owner_add(lw_document *doc, const lw_object *owner);

/* The index LW_OWNER_INDEX: objects by the UID of their controller, or by "orphans/NAMESPACE". */
#define LW_OWNER_INDEX "controller"
void lw_owner_index(const lw_object *obj, void (*add)(void *to, lw_str value), void *to, void *arg);

/* Adopts |obj| of |gvr| for |owner|, or releases it.  Changes only the version that was read:
 * LW_ERR_CONFLICT. */
lw_status lw_owner_adopt(lw_client *client, lw_gvr gvr, const lw_object *obj,
                         const lw_object *owner, lw_error *err);
lw_status lw_owner_release(lw_client *client, lw_gvr gvr, const lw_object *obj,
                           const lw_object *owner, lw_error *err);

/* Gets the selector of |owner| at /spec/selector, which is a map of labels in a
 * ReplicationController; free it.  LW_ERR_INVALID: it has none. */
lw_status lw_owner_selector(lw_label_selector **out, const lw_object *owner, lw_error *err);

/* An owner, and the objects it may claim. */
typedef struct lw_claim {
    lw_client *client;
    const lw_object *owner;
    lw_gvr owner_gvr;
    const lw_informer *informer;          /* has the index above */
    lw_gvr gvr;                           /* of the objects in it */
    struct lw_expectations *expectations; /* for adopted objects (expectations.h); NULL: none */
} lw_claim;

/* Returns the objects that the owner manages by its selector: those it owns, after releasing those
 * that no longer match, and matching orphans, after adopting them.  An owner that is being deleted
 * claims nothing new; the server is asked about that before anything is adopted, because with a
 * stale cache objects that were orphaned on purpose could be adopted or created again:
 * LW_ERR_CONFLICT. Free the list. */
lw_status lw_owner_claim(const lw_claim *claim, lw_object_list **out, lw_error *err);

/* Only adopts matching orphans, and appends them to |adopted| (may be NULL). */
lw_status lw_owner_adopt_orphans(const lw_claim *claim, lw_object_list *adopted, lw_error *err);

#endif
