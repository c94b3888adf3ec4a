/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.h -- parses sizes, durations and counts of the command line. */
#ifndef LISTWATCH_CLI_QUANTITY_H
#define LISTWATCH_CLI_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* Parses "65536", "512K", "64M", "2G", "64Mi" or "64MiB"; units are powers of 1024.  False:
 * invalid. */
bool quantity_parse_size(const char *text, uint64_t *bytes);

/* Parses "90", "90s", "30m", "2h", "7d" and durations of Go such as "2m0s", "1h30m" or "1.5h";
 * parts of a second are rounded up.  False: invalid, or 0. */
bool quantity_parse_seconds(const char *text, int64_t *seconds);

/* Parses "3", digits only.  False: invalid or out of range. */
bool quantity_parse_count(const char *text, unsigned *count);

#endif
