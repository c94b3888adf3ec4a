/* SPDX-License-Identifier: Apache-2.0 */
/* go_duration.h -- durations as Go writes them: "32s", "1m30s", "1.5h", "-2ms". */
#ifndef LW_BASE_GO_DURATION_H
#define LW_BASE_GO_DURATION_H

#include <stdint.h>

#include <listwatch/str.h>

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

/* The nanoseconds of a unit ("ns" to "h"); 0 if there is no unit of this name. */
int64_t lw_go_duration_unit(lw_str name);

#endif
