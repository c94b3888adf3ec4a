/* SPDX-License-Identifier: Apache-2.0 */
/* duration.h -- lengths of time as Go writes them: "32s", "1m30s", "1.5h". */
#ifndef LW_API_HTTP_DURATION_H
#define LW_API_HTTP_DURATION_H

#include "base/buf.h"

/* Parses |text| (base/text/duration.h).  False, and Go's error message appended to |message|, if it
 * is not a duration: time: invalid duration "x". */
bool lw_duration_parse(lw_str text, int64_t *ns, lw_buf *message);

#endif
