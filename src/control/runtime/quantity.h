/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.h -- amounts of resources as Kubernetes writes them: "250m", "1.5", "64Mi", "2e3". */
#ifndef LW_CONTROL_RUNTIME_QUANTITY_H
#define LW_CONTROL_RUNTIME_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

/* Reads all of |text| into whole units, or into thousandths of one, rounding up; amounts that do
 * not fit become the largest number.  False, and |*out| left alone: it is no amount, or below
 * zero. */
bool lw_quantity_units(lw_str text, int64_t *out);
bool lw_quantity_milli(lw_str text, int64_t *out);

#endif
