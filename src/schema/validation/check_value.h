/* SPDX-License-Identifier: Apache-2.0 */
/* check_value.h -- texts that must be more than texts: quantities, times, base64.
 *
 * Each function appends what Go says about a bad one, and nothing when it is good. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_VALUE_H
#define LW_SCHEMA_VALIDATION_CHECK_VALUE_H

#include <stdbool.h>

#include <listwatch/str.h>

#include "base/buf.h"

/* Standard base64 with its padding; line breaks are passed over. */
void lw_check_base64(lw_str text, lw_buf *fault);

/* What stands between the quotes of a string, or all of another value: 100m, 1.5Gi, 1e3. */
void lw_check_quantity(lw_str text, lw_buf *fault);

/* RFC 3339; with |is_micro| exactly six digits behind the seconds. */
void lw_check_time(lw_str text, bool is_micro, lw_buf *fault);

#endif
