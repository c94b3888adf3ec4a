/* SPDX-License-Identifier: Apache-2.0 */
/* faults_trace.h -- the log of a trial: always a digest, and printed lines if one seed is run
 * alone. */
#ifndef LW_TESTS_SUITE_FAULTS_TRACE_H
#define LW_TESTS_SUITE_FAULTS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

/* Starts over; |is_shown|: prints each line. */
void faults_trace_begin(bool is_shown);

/* Logs one line. */
void faults_trace(const char *format, ...) LW_PRINTF(1, 2);

/* Returns the digest of all lines since the beginning; equal for equal trials. */
uint64_t faults_trace_digest(void);

#endif
