/* SPDX-License-Identifier: Apache-2.0 */
/* entropy.h -- random bytes from the operating system. */
#ifndef LW_BASE_ENTROPY_H
#define LW_BASE_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

/* Fills |out| with |len| bytes for keys and tokens.  LW_ERR_IO if the system provides none; then
 * |out| is undefined.  Never blocks. */
LW_MUST_CHECK lw_status lw_entropy_fill(void *out, size_t len);

/* Fills |out| with seeds for hash tables and jitter.  Cannot fail: if the system provides none,
 * clocks, the process id and addresses are mixed; such a seed is unique, but not secret. */
void lw_entropy_seed(uint64_t *out, size_t count);

/* The fallback of lw_entropy_seed; declared for its test. */
void lw_entropy__seed_weak(uint64_t *out, size_t count);

#endif
