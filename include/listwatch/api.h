/* SPDX-License-Identifier: Apache-2.0 */
/* api.h -- symbol visibility and compiler attributes, which every public header needs. */
#ifndef LISTWATCH_API_H
#define LISTWATCH_API_H

#if defined(__GNUC__)
#define LW_API                      __attribute__((visibility("default")))
#define LW_PRINTF(text_at, args_at) __attribute__((format(printf, text_at, args_at)))
#else
#define LW_API
#define LW_PRINTF(text_at, args_at)
#endif

/* The compiler warns if a result is ignored; (void) in front of the call means that it is ignored
 * on purpose.  It stands before LW_API. */
#if defined(__clang__)
#define LW_MUST_CHECK __attribute__((warn_unused_result))
#elif defined(__GNUC__) && __GNUC__ >= 10
#define LW_MUST_CHECK __extension__ [[nodiscard]]
#else
#define LW_MUST_CHECK
#endif

#ifdef __cplusplus
#define LW_BEGIN_DECLS extern "C" {
#define LW_END_DECLS   }
#else
#define LW_BEGIN_DECLS
#define LW_END_DECLS
#endif

#endif
