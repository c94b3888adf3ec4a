/* SPDX-License-Identifier: Apache-2.0 */
/* skip.h -- where an object or array ends, found 64 bytes at a time.
 *
 * For text that is known to be JSON: strings and brackets are counted, nothing is checked.  Bytes
 * that are no JSON make the answer meaningless, never a read at or past |end|. */
#ifndef LW_JSON_SKIP_H
#define LW_JSON_SKIP_H

/* One past the bracket that closes the one at |at|, or |end| where there is none. */
typedef const char *(*lw_skip_fn)(const char *at, const char *end);

const char *lw_skip_scalar(const char *at, const char *end);
#if defined(__x86_64__)
const char *lw_skip_sse2(const char *at, const char *end);
const char *lw_skip_avx2(const char *at, const char *end);
const char *lw_skip_avx512(const char *at, const char *end);
#elif defined(__aarch64__)
const char *lw_skip_neon(const char *at, const char *end);
#endif

#endif
