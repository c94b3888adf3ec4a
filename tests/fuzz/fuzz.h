/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h -- the entry point of every fuzz target: it handles one input without crashing. */
#ifndef LW_TESTS_FUZZ_FUZZ_H
#define LW_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0.  A finding is a crash: the target calls abort() if a result is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
