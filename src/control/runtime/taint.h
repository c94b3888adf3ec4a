/* SPDX-License-Identifier: Apache-2.0 */
/* taint.h -- taints of nodes and tolerations of pods. */
#ifndef LW_CONTROL_RUNTIME_TAINT_H
#define LW_CONTROL_RUNTIME_TAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch.h>

#define LW_TAINT_NOT_READY   "node.kubernetes.io/not-ready"
#define LW_TAINT_UNREACHABLE "node.kubernetes.io/unreachable"

typedef enum lw_taint_effect {
    LW_TAINT_ANY_EFFECT = 0, /* for a toleration */
    LW_TAINT_NO_SCHEDULE,
    LW_TAINT_PREFER_NO_SCHEDULE,
    LW_TAINT_NO_EXECUTE,
} lw_taint_effect;

/* A taint; views into the object. */
typedef struct lw_taint {
    lw_str key;
    lw_str value;
    lw_taint_effect effect;
} lw_taint;

/* A toleration; without a key it matches every taint. */
typedef struct lw_toleration {
    lw_str key;
    lw_str value;
    bool is_for_any_value; /* operator Exists */
    lw_taint_effect effect;
    int64_t seconds; /* how long it tolerates NoExecute; -1: forever */
} lw_toleration;

enum {
    LW_TAINTS_MAX = 32,      /* per node; further ones are ignored */
    LW_TOLERATIONS_MAX = 64, /* per pod */
};

/* Read at most |max| taints or tolerations; return their number. */
size_t lw_taints_read(const lw_object *node, lw_taint *taints, size_t max);
size_t lw_tolerations_read(const lw_object *pod, lw_toleration *tolerations, size_t max);

/* Returns the one of |count| tolerations that tolerates |taint| for the longest time; NULL:
 * none. */
const lw_toleration *lw_taint_tolerated_by(const lw_taint *taint, const lw_toleration *tolerations,
                                           size_t count);

/* Returns how many seconds a pod with these tolerations may stay on a node with these taints: -1
 * forever, 0 not at all. */
int64_t lw_taints_stay_s(const lw_taint *taints, size_t taint_count,
                         const lw_toleration *tolerations, size_t toleration_count);

#endif
