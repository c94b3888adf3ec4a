/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.h -- amounts of resources as Kubernetes writes them: "100m", "0.5Gi", "1e3".
 *
 * As in Kubernetes, an amount is a number of billionths: anything finer is rounded up, and an
 * amount that does not fit into 63 bits of whole units becomes the largest one that does. */
#ifndef LISTWATCH_QUANTITY_H
#define LISTWATCH_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

enum {
    LW_QUANTITY_SIZE = 32, /* bytes of the longest text, with its NUL */
};

/* The notation of an amount; it is written again in the notation it was read in. */
typedef enum lw_quantity_form {
    LW_QUANTITY_DECIMAL,  /* 100m, 5k */
    LW_QUANTITY_BINARY,   /* 5Ki */
    LW_QUANTITY_EXPONENT, /* 5e3 */
} lw_quantity_form;

/* A number of billionths. */
__extension__ typedef __int128 lw_quantity_nanos;

/* An amount and its notation. */
typedef struct lw_quantity {
    lw_quantity_nanos nanos;
    lw_quantity_form form;
} lw_quantity;

/* Parses all of |text|.  Returns false, and does not change |*out|, if it is not a quantity. */
LW_MUST_CHECK LW_API bool lw_quantity_parse(lw_str text, lw_quantity *out);

/* Writes the canonical text of an amount: "1" for "1000m", "512Mi" for "0.5Gi". */
LW_API void lw_quantity_format(char text[LW_QUANTITY_SIZE], lw_quantity quantity);

/* Returns |a| + |b|, limited to the range of quantities, in the notation of |a|, or of |b| if |a|
 * is zero. */
LW_API lw_quantity lw_quantity_add(lw_quantity a, lw_quantity b);

/* Returns |a| - |b|, limited to the range of quantities, in the notation of |a|, or of |b| if |a|
 * is zero. */
LW_API lw_quantity lw_quantity_subtract(lw_quantity a, lw_quantity b);

/* Orders two amounts, whatever their notation: <0, 0, >0. */
LW_API int lw_quantity_compare(lw_quantity a, lw_quantity b);

/* Returns the amount rounded to whole units, away from zero. */
LW_API lw_quantity lw_quantity_whole(lw_quantity quantity);

/* Returns |count| units. */
LW_API lw_quantity lw_quantity_of_count(int64_t count);

/* Returns how many whole units an amount is, rounded away from zero. */
LW_API int64_t lw_quantity_units(lw_quantity quantity);

/* Returns how many thousandths an amount is, rounded away from zero; INT64_MAX or INT64_MIN if
 * there are more. */
LW_API int64_t lw_quantity_milli(lw_quantity quantity);

LW_END_DECLS

#endif
