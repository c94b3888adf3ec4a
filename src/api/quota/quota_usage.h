/* SPDX-License-Identifier: Apache-2.0 */
/* quota_usage.h -- what one object takes from a quota, and what the scopes of quotas ask about it.
 *
 * Pure functions of the object and the time. */
#ifndef LW_API_QUOTA_QUOTA_USAGE_H
#define LW_API_QUOTA_QUOTA_USAGE_H

#include "api/pending/resource_amounts.h"
#include "schema/kinds/kind.h"

enum {
    LW_QUOTA_CLASSES = 3, /* volume attributes classes that a claim can name at once */
};

typedef struct lw_quota_usage {
    lw_amounts used;
    bool is_pod, is_claim;
    bool is_terminating;     /* a pod with an activeDeadlineSeconds */
    bool is_best_effort;     /* a pod that asks for nothing */
    bool crosses_namespaces; /* a pod with an affinity to pods of other namespaces */
    /* Its priority class, or the attributes classes of a claim; views of the object. */
    lw_str classes[LW_QUOTA_CLASSES];
    size_t class_count;
} lw_quota_usage;

/* Fills in, at |wall_ns|, what |object| of |kind| takes.  The usage is zeroed before, and done
 * after.  usage->used.st: LW_ERR_NOMEM, LW_ERR_LIMIT. */
void lw_quota_usage_of(lw_quota_usage *usage, const lw_kind *kind, const lw_node *object,
                       int64_t wall_ns);
void lw_quota_usage_done(lw_quota_usage *usage);

/* True when objects of |kind| can take anything from any quota. */
bool lw_quota_is_counted(const lw_kind *kind);

/* True when objects of |kind| can take from what a quota calls |resource|. */
bool lw_quota_concerns(const lw_kind *kind, lw_str resource);

/* True when all objects of |kind| take the same, whatever is in them: one of each. */
bool lw_quota_is_plain(const lw_kind *kind);

/* True when the scopes of a quota's |spec| let it count an object with this usage. */
bool lw_quota_has_in_scope(const lw_node *spec, const lw_quota_usage *usage);

#endif
