/* SPDX-License-Identifier: Apache-2.0 */
/* sanitized.h -- whether this build has ASan or TSan: tests that take many times longer with them,
 * or need the address space or the signals that the sanitizers use, do less.
 *
 * gcc says it with a macro, clang 14 with a feature. */
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
