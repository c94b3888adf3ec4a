/* SPDX-License-Identifier: Apache-2.0 */
/* entropy.h -- unpredictable bytes from the operating system. */
#ifndef LW_BASE_ENTROPY_H
#define LW_BASE_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

/* Fills |out| with |len| bytes fit for keys and tokens.  LW_ERR_IO when the system has none to
 * give; |out| is undefined then.  Never waits. */
LW_MUST_CHECK lw_status lw_entropy_fill(void *out, size_t len);

/* Fills |out| with seeds for hash tables and jitter.  Cannot fail: where the system gives nothing,
 * clocks, the process id and addresses are mixed, which tells processes apart but is no secret. */
void lw_entropy_seed(uint64_t *out, size_t count);

/* What lw_entropy_seed falls back to; declared for its test. */
void lw_entropy__seed_weak(uint64_t *out, size_t count);

#endif
