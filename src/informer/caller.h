/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h -- which thread calls: so that nobody waits for himself. */
#ifndef LW_INFORMER_CALLER_H
#define LW_INFORMER_CALLER_H

#include <sys/types.h>
#include <unistd.h>

/* A number no other thread of the process has; never 0.  The kernel is asked once a thread: a turn
 * wants to know half a dozen times. */
static inline pid_t lw_caller(void)
{
    static _Thread_local pid_t known;
    if (known == 0)
        known = gettid();
    return known;
}

#endif
