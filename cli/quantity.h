/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.h -- sizes and times as people write them. */
#ifndef LISTWATCH_CLI_QUANTITY_H
#define LISTWATCH_CLI_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* "65536", "512K", "64M", "2G", also "64Mi" and "64MiB"; each step is 1024.  False: it is none. */
bool quantity_parse_size(const char *text, uint64_t *bytes);

/* "90", "90s", "30m", "2h", "7d".  False: it is none. */
bool quantity_parse_seconds(const char *text, int64_t *seconds);

/* "3": digits alone, that fit.  False: it is none. */
bool quantity_parse_count(const char *text, unsigned *count);

#endif
