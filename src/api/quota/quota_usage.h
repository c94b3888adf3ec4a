/* SPDX-License-Identifier: Apache-2.0 */
/* quota_usage.h -- the usage of one object, and the properties that quota scopes select by.
 *
 * Pure functions of the object and the time. */
#ifndef LW_API_QUOTA_QUOTA_USAGE_H
#define LW_API_QUOTA_QUOTA_USAGE_H

#include "api/pending/resource_amounts.h"
#include "schema/kinds/kind.h"

enum {
    LW_QUOTA_CLASSES = 3, /* volume attributes classes that a claim can have at once */
};

typedef struct lw_quota_usage {
    lw_amounts used;
    bool is_pod, is_claim;
    bool is_terminating;     /* a pod with an activeDeadlineSeconds */
    bool is_best_effort;     /* a pod without requests and limits */
    bool crosses_namespaces; /* a pod with affinity to pods of other namespaces */
    /* Its priority class, or the volume attributes classes of a claim; views into the object. */
    lw_str classes[LW_QUOTA_CLASSES];
    size_t class_count;
} lw_quota_usage;

/* Computes the usage of |object| of |kind| at |wall_ns|.  |usage| must be zeroed; call
 * lw_quota_usage_done in any case.  usage->used.st: LW_ERR_NOMEM, LW_ERR_LIMIT. */
void lw_quota_usage_of(lw_quota_usage *usage, const lw_kind *kind, const lw_node *object,
                       int64_t wall_ns);
void lw_quota_usage_done(lw_quota_usage *usage);

/* Returns true if any quota can count objects of |kind|. */
bool lw_quota_is_counted(const lw_kind *kind);

/* Returns true if objects of |kind| can use |resource| of a quota. */
bool lw_quota_concerns(const lw_kind *kind, lw_str resource);

/* Returns true if every object of |kind| has the same usage: one object. */
bool lw_quota_is_plain(const lw_kind *kind);

/* Returns true if an object with this usage matches the scopes in a quota's |spec|. */
bool lw_quota_has_in_scope(const lw_node *spec, const lw_quota_usage *usage);

#endif
