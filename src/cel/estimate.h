/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.h -- upper bounds of costs and sizes; private to estimate*.c.
 *
 * Kubernetes accepts or rejects a rule by these bounds.  They follow cel-go's checker and the
 * schema, including quirks: the size of a declared value is looked up by its path from self, and a
 * computed value has no path. */
#ifndef LW_CEL_ESTIMATE_H
#define LW_CEL_ESTIMATE_H

#include "cel/expr.h"
#include "cel/functions.h"

/* From |min| to |max| characters, bytes, elements or members. */
typedef struct lw_cel_range {
    uint64_t min, max;
} lw_cel_range;

/* The path of a value from self. */
typedef struct lw_cel_path {
    bool is_path;            /* false: not a part of self */
    const lw_cel_type *type; /* the declared type; NULL: not declared */
} lw_cel_path;

typedef struct lw_cel_estimate {
    uint64_t cost; /* upper bound */
    bool has_size; /* false: the size is unknown */
    lw_cel_range size;
    lw_cel_path path;
    bool has_entry; /* lists and maps: the sizes of keys and values are known */
    lw_cel_range key, value;
} lw_cel_estimate;

typedef struct lw_cel_estimator {
    const lw_cel_type *root; /* the type of self */
    lw_cel_estimate *slots;  /* estimates of the variables in scope, by slot */
} lw_cel_estimator;

/* Returns the range of the size; 0 to LW_CEL_UNBOUNDED if it is unknown. */
lw_cel_range lw_cel_range_of(const lw_cel_estimate *e);
lw_cel_range lw_cel_range_add(lw_cel_range a, lw_cel_range b);
lw_cel_range lw_cel_range_union(lw_cel_range a, lw_cel_range b);

/* Returns the path of an element or value of the container at |path|. */
lw_cel_path lw_cel_path_items(const lw_cel_estimator *estimator, lw_cel_path path);

/* Returns the declared size of the value at |path|; false: not declared. */
bool lw_cel_path_size(lw_cel_path path, lw_cel_range *size);

/* Sets |out|, except its path, to the cost of a call of |overload| with |args|, without the cost of
 * the arguments, and to the size of the result. */
void lw_cel_estimate_overload(const lw_cel_estimator *estimator, const lw_cel_expr *expr,
                              const lw_cel_overload *overload, const lw_cel_estimate *args,
                              lw_cel_estimate *out);

#endif
