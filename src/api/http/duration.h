/* SPDX-License-Identifier: Apache-2.0 */
/* duration.h -- lengths of time as Go writes them: "32s", "1m30s", "1.5h". */
#ifndef LW_API_HTTP_DURATION_H
#define LW_API_HTTP_DURATION_H

#include "base/buf.h"

/* Reads |text|; a length beyond 290 years is no longer told apart.  False, and Go's complaint
 * appended to |message|: time: invalid duration "x". */
bool lw_duration_parse(lw_str text, int64_t *ns, lw_buf *message);

#endif
