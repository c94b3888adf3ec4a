/* SPDX-License-Identifier: Apache-2.0 */
/* sanitized.h -- whether this build has ASan or TSan.  Tests that are much slower with them, or
 * that need the address space or signals that sanitizers use, do less.
 *
 * gcc defines a macro; clang 14 has a feature test. */
#ifndef LW_TESTS_SANITIZED_H
#define LW_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#endif
