/* SPDX-License-Identifier: Apache-2.0 */
/* age.h -- how long ago something happened, as kubectl writes it: "5s", "3m20s", "2d3h". */
#ifndef LISTWATCH_CLI_AGE_H
#define LISTWATCH_CLI_AGE_H

#include <stdint.h>

enum {
    AGE_SIZE = 32,
};

/* Writes a duration in at most two units. */
void age_of_seconds(char out[AGE_SIZE], int64_t seconds);

/* Writes the time since |timestamp| (RFC 3339); "<unknown>" if it is not a time. */
void age_since(char out[AGE_SIZE], const char *timestamp);

#endif
