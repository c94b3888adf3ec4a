/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.h -- upper bounds of costs and sizes, for estimate*.c.
 *
 * Kubernetes decides by these bounds whether it accepts a rule.  They follow cel-go's checker and
 * the schema, quirks included: the size of a declared value is looked up by its path from self, and
 * a value that was computed has no path. */
#ifndef LW_CEL_ESTIMATE_H
#define LW_CEL_ESTIMATE_H

#include "cel/expr.h"
#include "cel/functions.h"

/* Between |min| and |max| characters, bytes, elements or members. */
typedef struct lw_cel_range {
    uint64_t min, max;
} lw_cel_range;

/* Where a value is in self. */
typedef struct lw_cel_path {
    bool is_path;            /* false: it is not a part of self */
    const lw_cel_type *type; /* what is declared there; NULL: nothing is */
} lw_cel_path;

typedef struct lw_cel_estimate {
    uint64_t cost; /* at most */
    bool has_size; /* false: the size is unknown */
    lw_cel_range size;
    lw_cel_path path;
    bool has_entry; /* of a list or map: the sizes of its keys and values are known */
    lw_cel_range key, value;
} lw_cel_estimate;

typedef struct lw_cel_estimator {
    const lw_cel_type *root; /* the type of self */
    lw_cel_estimate *slots;  /* of the variables in scope, by their slots */
} lw_cel_estimator;

lw_cel_range lw_cel_range_of(const lw_cel_estimate *e); /* unknown: from 0 to LW_CEL_UNBOUNDED */
lw_cel_range lw_cel_range_add(lw_cel_range a, lw_cel_range b);
lw_cel_range lw_cel_range_union(lw_cel_range a, lw_cel_range b);

/* The path of an element or value of what is at |path|. */
lw_cel_path lw_cel_path_items(const lw_cel_estimator *estimator, lw_cel_path path);

/* The declared size of what is at |path|; false: nothing is declared there. */
bool lw_cel_path_size(lw_cel_path path, lw_cel_range *size);

/* Sets |out|, but for its path, to what a call by |overload| with |args| costs beyond its
 * arguments, and to the size of its result. */
void lw_cel_estimate_overload(const lw_cel_estimator *estimator, const lw_cel_expr *expr,
                              const lw_cel_overload *overload, const lw_cel_estimate *args,
                              lw_cel_estimate *out);

#endif
