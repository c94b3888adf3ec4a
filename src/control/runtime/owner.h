/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h -- the one object that manages another: the ownerReference with controller: true. */
#ifndef LW_CONTROL_RUNTIME_OWNER_H
#define LW_CONTROL_RUNTIME_OWNER_H

#include <listwatch.h>

enum {
    LW_UID_SIZE = 64,
    LW_NAME_SIZE = 254, /* a DNS subdomain and its NUL */
};

typedef struct lw_owner {
    char kind[64];
    char name[LW_NAME_SIZE];
    char uid[LW_UID_SIZE];
} lw_owner;

/* The controller of |obj|; false: it has none. */
bool lw_owner_of(const lw_object *obj, lw_owner *owner);

/* Adds |owner| to the ownerReferences of |doc| as its controller. */
void lw_owner_add(lw_document *doc, const lw_object *owner);

/* The index LW_OWNER_INDEX: an object's controller by uid, or "orphans/NAMESPACE". */
#define LW_OWNER_INDEX "controller"
void lw_owner_index(const lw_object *obj, void (*add)(void *to, lw_str value), void *to, void *arg);

/* Makes |obj| of |gvr| owned by |owner| (adopts it), or no longer (releases it).  Only the version
 * that was seen is changed: LW_ERR_CONFLICT. */
lw_status lw_owner_adopt(lw_client *client, lw_gvr gvr, const lw_object *obj,
                         const lw_object *owner, lw_error *err);
lw_status lw_owner_release(lw_client *client, lw_gvr gvr, const lw_object *obj,
                           const lw_object *owner, lw_error *err);

/* The selector of |owner|, at /spec/selector, which is a map of labels in a ReplicationController;
 * free it.  LW_ERR_INVALID: it has none. */
lw_status lw_owner_selector(lw_label_selector **out, const lw_object *owner, lw_error *err);

/* What claims, and what is claimed. */
typedef struct lw_claim {
    lw_client *client;
    const lw_object *owner;
    lw_gvr owner_gvr;
    const lw_informer *informer;          /* has the index above */
    lw_gvr gvr;                           /* of what is in it */
    struct lw_expectations *expectations; /* of what is adopted (expectations.h); NULL: none */
} lw_claim;

/* Those of the informer that the owner manages by its selector: those it owns, after releasing
 * those that do not match any more, and orphans that match, after adopting them.  An owner that is
 * being deleted claims nothing new; the server is asked about that before anything is adopted,
 * since what was orphaned on purpose must neither be taken back nor made anew by a cache that lags:
 * LW_ERR_CONFLICT.  Free the list. */
lw_status lw_owner_claim(const lw_claim *claim, lw_object_list **out, lw_error *err);

/* The second part of it alone: adopts orphans that match, and appends them to |adopted| (may be
 * NULL). */
lw_status lw_owner_adopt_orphans(const lw_claim *claim, lw_object_list *adopted, lw_error *err);

#endif
