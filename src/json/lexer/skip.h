/* SPDX-License-Identifier: Apache-2.0 */
/* skip.h -- finds the end of an object or array, and a member of an object, 64 bytes at a time.
 *
 * The text must be valid JSON: strings and brackets are counted, nothing is validated.  For other
 * bytes the result is undefined, but no byte before |at|, or at or after |end|, is read. */
#ifndef LW_JSON_LEXER_SKIP_H
#define LW_JSON_LEXER_SKIP_H

#include <listwatch/str.h>

/* Returns the position after the bracket that closes the one at |at|, or |end| if there is none. */
typedef const char *(*lw_skip_fn)(const char *at, const char *end);

/* Searches the object whose bracket is at |at| for members called |name|, which needs no escapes in
 * JSON.  |*colon| is that of the last one, or NULL.  Returns false if a key or string of the object
 * itself has an escape; then the caller must decode the names. */
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
