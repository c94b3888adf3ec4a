/* SPDX-License-Identifier: Apache-2.0 */
/* skip.h -- where an object or array ends, and where a member of an object stands, found 64 bytes
 * at a time.
 *
 * For text that is known to be JSON: strings and brackets are counted, nothing is checked.  Bytes
 * that are no JSON make the answer meaningless, never a read before |at|, or at or past |end|. */
#ifndef LW_JSON_SKIP_H
#define LW_JSON_SKIP_H

#include <listwatch/str.h>

/* One past the bracket that closes the one at |at|, or |end| where there is none. */
typedef const char *(*lw_skip_fn)(const char *at, const char *end);

/* Looks in the object whose bracket is at |at| for members called |name|, which is a text that JSON
 * need not escape.  |*colon| is that of the last of them, or NULL.  False: a key or string of the
 * object itself has an escape, and whoever asks has to decode the names. */
typedef bool (*lw_member_fn)(const char *at, const char *end, lw_str name, const char **colon);

const char *lw_skip_scalar(const char *at, const char *end);
bool lw_member_scalar(const char *at, const char *end, lw_str name, const char **colon);
#if defined(__x86_64__)
const char *lw_skip_sse2(const char *at, const char *end);
const char *lw_skip_avx2(const char *at, const char *end);
const char *lw_skip_avx512(const char *at, const char *end);
bool lw_member_sse2(const char *at, const char *end, lw_str name, const char **colon);
bool lw_member_avx2(const char *at, const char *end, lw_str name, const char **colon);
bool lw_member_avx512(const char *at, const char *end, lw_str name, const char **colon);
#elif defined(__aarch64__)
const char *lw_skip_neon(const char *at, const char *end);
bool lw_member_neon(const char *at, const char *end, lw_str name, const char **colon);
#endif

#endif
