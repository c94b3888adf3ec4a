/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp.h -- moments as Kubernetes writes them: nanoseconds since 1970 to RFC 3339 and back. */
#ifndef LW_CONTROL_RUNTIME_TIMESTAMP_H
#define LW_CONTROL_RUNTIME_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#define LW_SECOND_NS INT64_C(1000000000)

enum {
    LW_TIMESTAMP_SIZE = 40, /* "2026-11-15T01:49:24.123456Z" and its NUL, with room to spare */
};

/* "2026-11-15T01:49:24Z", as metav1.Time. */
void lw_timestamp_format(char text[LW_TIMESTAMP_SIZE], int64_t wall_ns);

/* "2026-11-15T01:49:24.123456Z", as metav1.MicroTime. */
void lw_timestamp_format_micro(char text[LW_TIMESTAMP_SIZE], int64_t wall_ns);

/* Reads either; only UTC ("Z"), which is what API servers write.  False for anything else, NULL
 * too. */
bool lw_timestamp_parse(const char *text, int64_t *wall_ns);

#endif
