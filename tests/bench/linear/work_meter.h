/* SPDX-License-Identifier: Apache-2.0 */
/* work_meter.h -- counts the work of this thread without a clock, so that the result does not
 * depend on the machine or on its load.
 *
 * The code that is measured is compiled with -fsanitize-coverage=trace-pc: the compiler inserts a
 * call into each basic block, and the meter counts these calls.  Functions of the C library that
 * copy, compare or search bytes are counted by their length, and allocations by their size.  So a
 * loop is seen whether or not it charges the budget of the request. */
#ifndef LW_BENCH_LINEAR_WORK_METER_H
#define LW_BENCH_LINEAR_WORK_METER_H

#include <stdint.h>

typedef struct work {
    uint64_t blocks; /* basic blocks, and 16 bytes each of the C library's loops */
    uint64_t bytes;  /* allocated */
} work;

/* Call it before any other function of the library: counts allocations from now on. */
void work_meter_start(void);

/* Returns what this thread has done so far. */
work work_meter_read(void);

/* Instrumented like the server: compares each of |count| numbers with each other one.  For the test
 * of the meter itself. */
uint64_t planted_quadratic(uint32_t count);

/* The same for a loop that moves the rest of an array for each element. */
uint64_t planted_moves(uint32_t count);

#endif
