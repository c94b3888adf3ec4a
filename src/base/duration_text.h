/* SPDX-License-Identifier: Apache-2.0 */
/* duration_text.h -- how long something took or how old it is, as people read it: "5s", "3m12s",
 * "47h", "8d".  The same steps as kubectl's: the longer, the coarser. */
#ifndef LW_BASE_DURATION_TEXT_H
#define LW_BASE_DURATION_TEXT_H

#include <stdint.h>

#include <listwatch/str.h>

#include "base/time_text.h"

enum {
    LW_DURATION_TEXT_SIZE = 24, /* "292277024626y" and its NUL fit */
};

/* Whole seconds from |from| to |to|, cut towards zero; negative when |to| is the earlier one. */
int64_t lw_time_seconds_between(lw_time from, lw_time to);

/* Writes |seconds| into |text|, NUL-terminated, and returns it as a view.  Clocks differ: one
 * second in the future is "0s", more is "<invalid>". */
lw_str lw_duration_format(char text[LW_DURATION_TEXT_SIZE], int64_t seconds);

#endif
