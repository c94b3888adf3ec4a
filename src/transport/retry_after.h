/* SPDX-License-Identifier: Apache-2.0 */
/* retry_after.h -- how long a server asks to be left alone. */
#ifndef LW_TRANSPORT_RETRY_AFTER_H
#define LW_TRANSPORT_RETRY_AFTER_H

#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_RETRY_AFTER_MAX_S = 24 * 3600, /* nobody is believed who asks for more */
};

/* The seconds that |value| asks for: a number, or a date (RFC 9110 section 10.2.3) seen from
 * |wall_ns|.  0: now, or nothing that could be understood. */
int lw_retry_after_s(lw_str value, int64_t wall_ns);

#endif
