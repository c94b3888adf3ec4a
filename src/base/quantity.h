/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.h -- amounts of resources: "100m", "0.5Gi", "1e3".
 *
 * Amounts are counted in billionths, as Kubernetes does: what is finer is rounded up, what does not
 * fit into 63 bits of whole units is the largest that does. */
#ifndef LW_BASE_QUANTITY_H
#define LW_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_QUANTITY_SIZE = 32, /* bytes of the longest text, with its NUL */
};

/* How an amount was written, which is how it is written again. */
typedef enum lw_quantity_form {
    LW_QUANTITY_DECIMAL,  /* 100m, 5k */
    LW_QUANTITY_BINARY,   /* 5Ki */
    LW_QUANTITY_EXPONENT, /* 5e3 */
} lw_quantity_form;

__extension__ typedef __int128 lw_quantity_nanos;

typedef struct lw_quantity {
    lw_quantity_nanos nanos;
    lw_quantity_form form;
} lw_quantity;

/* Reads all of |text|; false: it is no quantity. */
bool lw_quantity_parse(lw_str text, lw_quantity *out);

/* Writes the one text that all ways to write this amount have in common: "1" for "1000m", "512Mi"
 * for "0.5Gi". */
void lw_quantity_format(char text[LW_QUANTITY_SIZE], lw_quantity quantity);

/* |a| + |b|, |a| - |b|.  Written as |a| is, or as |b| when |a| is nothing.  Beyond the largest
 * amount that there is, it is that one. */
lw_quantity lw_quantity_add(lw_quantity a, lw_quantity b);
lw_quantity lw_quantity_subtract(lw_quantity a, lw_quantity b);

/* Below, equal to or above 0, as |a| is less than, the same as or more than |b|; however they are
 * written. */
int lw_quantity_compare(lw_quantity a, lw_quantity b);

/* Rounded up to whole units. */
lw_quantity lw_quantity_whole(lw_quantity quantity);

/* |count| units. */
lw_quantity lw_quantity_of_count(int64_t count);

#endif
