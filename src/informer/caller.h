/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h -- which thread calls: so that nobody waits for himself. */
#ifndef LW_INFORMER_CALLER_H
#define LW_INFORMER_CALLER_H

#include <sys/types.h>
#include <unistd.h>

/* A number no other thread that lives has; never 0. */
static inline pid_t lw_caller(void)
{
    return gettid();
}

#endif
