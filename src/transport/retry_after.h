/* SPDX-License-Identifier: Apache-2.0 */
/* retry_after.h -- parses Retry-After. */
#ifndef LW_TRANSPORT_RETRY_AFTER_H
#define LW_TRANSPORT_RETRY_AFTER_H

#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_RETRY_AFTER_MAX_S = 24 * 3600, /* upper limit */
};

/* Returns the seconds of |value|: a number, or a date (RFC 9110 section 10.2.3) relative to
 * |wall_ns|. 0: now, or invalid. */
int lw_retry_after_s(lw_str value, int64_t wall_ns);

#endif
