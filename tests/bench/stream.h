/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h -- peak memory of a process that streams a list through the scanner. */
#ifndef LW_TESTS_BENCH_STREAM_H
#define LW_TESTS_BENCH_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* What the child saw. */
typedef struct stream_result {
    uint64_t bytes;
    uint64_t items;
    uint64_t peak_kib; /* of the whole process */
} stream_result;

/* The child's work: generates |bytes| of list, scans them as they come, and prints the result for
 * stream_measure to read.  The exit code of the process. */
int stream_child(uint64_t bytes, uint64_t seed);

/* Runs this program again as `<program> --stream <bytes> --seed <seed>` and reads its result. */
bool stream_measure(uint64_t bytes, uint64_t seed, stream_result *out);

#endif
