/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_internal.h -- the entries of the RBAC index.
 *
 * Invariants: a role is in the index while it exists or a grant refers to it; a grant exists while
 * a binding links to it; a subject exists while it has grants. */
#ifndef LW_API_AUTHZ_RBAC_INTERNAL_H
#define LW_API_AUTHZ_RBAC_INTERNAL_H

#include "api/authz/rbac.h"
#include "base/dlist.h"
#include "base/map.h"
#include "base/sync.h"

#define LW_RBAC_SERVICE_ACCOUNT_PREFIX "system:serviceaccount:"

typedef enum lw_rbac_subject_kind {
    LW_RBAC_NO_SUBJECT, /* of roles and bindings */
    LW_RBAC_USER,
    LW_RBAC_GROUP,
    LW_RBAC_SERVICE_ACCOUNT, /* only in links: is indexed as the user it authenticates as */
} lw_rbac_subject_kind;

/* Of a role, a binding or a subject: unique among its like. */
typedef struct lw_rbac_key {
    lw_str ns; /* of a subject: where it is granted something; empty: in the whole cluster */
    lw_str name;
    lw_rbac_subject_kind kind;
} lw_rbac_key;

typedef struct lw_rbac_role {
    lw_rbac_key key;      /* its texts follow the struct */
    lw_rbac_rules *rules; /* NULL: it does not exist, but is referred to */
    size_t grants;        /* that refer to it */
} lw_rbac_role;

typedef struct lw_rbac_subject {
    lw_rbac_key key; /* its texts follow the struct */
    lw_dlist grants; /* of lw_rbac_grant */
} lw_rbac_subject;

typedef struct lw_rbac_grant_key {
    const lw_rbac_subject *subject;
    const lw_rbac_role *role;
} lw_rbac_grant_key;

typedef struct lw_rbac_grant {
    lw_rbac_grant_key key;
    lw_dlist_node link; /* in subject->grants */
    lw_rbac_subject *subject;
    lw_rbac_role *role;
    lw_dlist links; /* of lw_rbac_link */
} lw_rbac_grant;

typedef struct lw_rbac_binding lw_rbac_binding;

/* One subject of one binding. */
typedef struct lw_rbac_link {
    lw_dlist_node link;   /* in grant->links */
    lw_rbac_grant *grant; /* NULL: not linked */
    const lw_rbac_binding *binding;
    lw_rbac_subject_kind kind; /* as the binding names it */
} lw_rbac_link;

struct lw_rbac_binding {
    lw_rbac_key key; /* its texts follow the links */
    size_t count;
    lw_rbac_link links[];
};

struct lw_rbac {
    /* Of the index: each change takes a new one, which no other index has.  Written under the lock;
     * a decision that was cached in this generation is read without it. */
    atomic_uint_least64_t generation;
    lw_rwlock lock; /* everything below */
    lw_map roles, bindings, subjects, grants;
};

#endif
