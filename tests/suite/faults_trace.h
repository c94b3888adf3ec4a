/* SPDX-License-Identifier: Apache-2.0 */
/* faults_trace.h -- what happened in a trial: a digest always, lines to read when one seed is run
 * alone. */
#ifndef LW_TESTS_SUITE_FAULTS_TRACE_H
#define LW_TESTS_SUITE_FAULTS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

/* Starts over; |is_shown|: lines are printed as they come. */
void faults_trace_begin(bool is_shown);

/* Notes one line. */
void faults_trace(const char *format, ...) LW_PRINTF(1, 2);

/* Of all lines since the beginning: the same for two trials that went the same way. */
uint64_t faults_trace_digest(void);

#endif
