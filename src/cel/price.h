/* SPDX-License-Identifier: Apache-2.0 */
/* price.h -- the cost of an evaluation, in the units of cel-go; there one unit is about 50 ns. */
#ifndef LW_CEL_PRICE_H
#define LW_CEL_PRICE_H

#include "cel/functions.h"

enum {
    LW_CEL_COST_SELECT = 1, /* reading a variable or member */
    LW_CEL_COST_LIST = 10,  /* making a list or map */
    LW_CEL_COST_MAP = 30,
    LW_CEL_COST_STRUCT = 40,
};

/* Returns a tenth of |size|, rounded up: the cost of traversing it. */
static inline uint64_t lw_cel_tenth(uint64_t size)
{
    return size / 10 + (size % 10 != 0);
}

/* Returns the cost of a call with |args|. */
uint64_t lw_cel_price_of(lw_cel_price price, const lw_cel_value *args, size_t count);

/* The same from sizes: of the arguments, and of the elements or the pattern of the first
 * argument. */
uint64_t lw_cel_price_of_sizes(lw_cel_price price, const uint64_t sizes[2], uint64_t elem);

/* Add and multiply; the result saturates at LW_CEL_UNBOUNDED. */
uint64_t lw_cel_cost_add(uint64_t a, uint64_t b);
uint64_t lw_cel_cost_multiply(uint64_t a, uint64_t b);

#endif
