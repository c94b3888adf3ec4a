/* SPDX-License-Identifier: Apache-2.0 */
/* taint.h -- what keeps pods off a node, and what pods put up with. */
#ifndef LW_CONTROL_RUNTIME_TAINT_H
#define LW_CONTROL_RUNTIME_TAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch.h>

#define LW_TAINT_NOT_READY   "node.kubernetes.io/not-ready"
#define LW_TAINT_UNREACHABLE "node.kubernetes.io/unreachable"

typedef enum lw_taint_effect {
    LW_TAINT_ANY_EFFECT = 0, /* of a toleration */
    LW_TAINT_NO_SCHEDULE,
    LW_TAINT_PREFER_NO_SCHEDULE,
    LW_TAINT_NO_EXECUTE,
} lw_taint_effect;

/* Views into the object it was read from. */
typedef struct lw_taint {
    lw_str key;
    lw_str value;
    lw_taint_effect effect;
} lw_taint;

/* A toleration without a key is for every taint. */
typedef struct lw_toleration {
    lw_str key;
    lw_str value;
    bool is_for_any_value; /* operator Exists */
    lw_taint_effect effect;
    int64_t seconds; /* how long it puts up with NoExecute; -1: for ever */
} lw_toleration;

enum {
    LW_TAINTS_MAX = 32,      /* of a node; later ones are passed over */
    LW_TOLERATIONS_MAX = 64, /* of a pod */
};

/* Reads them, at most |max|; returns how many. */
size_t lw_taints_read(const lw_object *node, lw_taint *taints, size_t max);
size_t lw_tolerations_read(const lw_object *pod, lw_toleration *tolerations, size_t max);

/* The toleration among |count| that puts up longest with |taint|; NULL: none does. */
const lw_toleration *lw_taint_tolerated_by(const lw_taint *taint, const lw_toleration *tolerations,
                                           size_t count);

/* How many seconds a pod with these tolerations may stay on a node with these taints: -1 for ever,
 * 0 not at all. */
int64_t lw_taints_stay_s(const lw_taint *taints, size_t taint_count,
                         const lw_toleration *tolerations, size_t toleration_count);

#endif
