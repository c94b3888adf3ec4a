/* SPDX-License-Identifier: Apache-2.0 */
/* retry.h -- repeats a change of an object that another client has changed at the same time. */
#ifndef LISTWATCH_RETRY_H
#define LISTWATCH_RETRY_H

#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>

LW_BEGIN_DECLS

/* One attempt: gets the object, changes it and updates it. */
typedef lw_status (*lw_attempt_fn)(void *arg, lw_error *err);

/* Initialise it with LW_RETRY_OPTIONS_INIT. */
typedef struct lw_retry_options {
    size_t size;
    unsigned attempts; /* at most so many; 0: 5 */
    int base_delay_ms; /* before the second attempt; doubles, with jitter; 0: 10 */
    int max_delay_ms;  /* 0: 1000 */
} lw_retry_options;

#define LW_RETRY_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(lw_retry_options), 0, 0, 0                                                          \
    }

/* Calls |attempt| until it returns something else than LW_ERR_CONFLICT, and returns that; after the
 * last attempt, LW_ERR_CONFLICT.  NULL |options| means the defaults.  It waits between the attempts
 * in the calling thread; LW_ERR_STOPPED: the reconciler or factory of the thread was stopped
 * meanwhile. */
LW_MUST_CHECK LW_API lw_status lw_retry_on_conflict(const lw_retry_options *options,
                                                    lw_attempt_fn attempt, void *arg,
                                                    lw_error *err);

LW_END_DECLS

#endif
