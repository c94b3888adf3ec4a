/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h -- identifies the calling thread, so that a thread does not wait for itself. */
#ifndef LW_BASE_THREAD_CALLER_H
#define LW_BASE_THREAD_CALLER_H

#include <sys/types.h>
#include <unistd.h>

/* Returns a number that is unique among the threads of the process; never 0.  It is cached per
 * thread, because each turn of a factory asks several times. */
static inline pid_t lw_caller(void)
{
    static _Thread_local pid_t known;
    if (known == 0)
        known = gettid();
    return known;
}

#endif
