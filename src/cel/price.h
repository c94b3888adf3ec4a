/* SPDX-License-Identifier: Apache-2.0 */
/* price.h -- what things cost while they are evaluated: cel-go's units, one of which is about 50 ns
 * there. */
#ifndef LW_CEL_PRICE_H
#define LW_CEL_PRICE_H

#include "cel/functions.h"

enum {
    LW_CEL_COST_SELECT = 1, /* a variable, a member */
    LW_CEL_COST_LIST = 10,  /* a list or map that is made */
    LW_CEL_COST_MAP = 30,
};

/* A tenth of |size|, rounded up: what going through it costs. */
static inline uint64_t lw_cel_tenth(uint64_t size)
{
    return size / 10 + (size % 10 != 0);
}

/* Of a call with |args|. */
uint64_t lw_cel_price_of(lw_cel_price price, const lw_cel_value *args, size_t count);

/* The same by sizes: of the arguments, and of the elements of the first or of its pattern. */
uint64_t lw_cel_price_of_sizes(lw_cel_price price, const uint64_t sizes[2], uint64_t elem);

/* Sums and products that stay at LW_CEL_UNBOUNDED. */
uint64_t lw_cel_cost_add(uint64_t a, uint64_t b);
uint64_t lw_cel_cost_multiply(uint64_t a, uint64_t b);

#endif
