/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h -- what every fuzz target defines: one input in, and the process survives it. */
#ifndef LW_TESTS_FUZZ_FUZZ_H
#define LW_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0.  A finding is a crash: abort() where an answer is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
