/* SPDX-License-Identifier: Apache-2.0 */
/* duration.h -- durations as text, in two forms.
 *
 * lw_duration_format writes ages as kubectl prints them, with less precision the longer they are:
 * "5s", "3m12s", "47h", "8d".  lw_go_duration_parse reads what Go's time.ParseDuration reads:
 * "32s", "1m30s", "1.5h", "-2ms". */
#ifndef LW_BASE_TEXT_DURATION_H
#define LW_BASE_TEXT_DURATION_H

#include <stdint.h>

#include <listwatch/str.h>

#include "base/text/time_text.h"

enum {
    LW_DURATION_TEXT_SIZE = 24, /* "292277024626y" and its NUL fit */
};

/* Returns the whole seconds from |from| to |to|, rounded towards zero; negative if |to| is earlier.
 */
int64_t lw_time_seconds_between(lw_time from, lw_time to);

/* Writes |seconds| into |text|, NUL-terminated, and returns it as a view.  Clocks differ: one
 * second in the future is "0s", more is "<invalid>". */
lw_str lw_duration_format(char text[LW_DURATION_TEXT_SIZE], int64_t seconds);

/* The errors of Go's time.ParseDuration. */
typedef enum lw_go_duration_error {
    LW_GO_DURATION_OK,
    LW_GO_DURATION_INVALID, /* no number, or one that does not fit */
    LW_GO_DURATION_NO_UNIT,
    LW_GO_DURATION_UNKNOWN_UNIT,
} lw_go_duration_error;

/* Parses all of |text| into nanoseconds, as time.ParseDuration does.  |*ns| is written on success
 * only; |*unit| is the unit that is unknown, on that error only. */
lw_go_duration_error lw_go_duration_parse(lw_str text, int64_t *ns, lw_str *unit);

/* Returns the nanoseconds of a unit ("ns" to "h"); 0 if there is no unit of this name. */
int64_t lw_go_duration_unit(lw_str name);

#endif
