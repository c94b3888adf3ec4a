/* SPDX-License-Identifier: Apache-2.0 */
/* clock_waker.h -- tells threads that wait for a time that a manual clock was advanced: a wait of
 * the operating system does not follow a manual clock. */
#ifndef LW_BASE_CLOCK_WAKER_H
#define LW_BASE_CLOCK_WAKER_H

#include <listwatch/sys/clock.h>

#include "base/dlist.h"

/* Called after each advance, in the thread that advances the clock.  It must not add or remove
 * wakers. */
typedef struct lw_clock_waker {
    lw_dlist_node link;
    void (*wake)(void *arg);
    void *arg;
} lw_clock_waker;

/* Adds |waker|, which must stay until it is removed.  Other clocks than manual ones need none: both
 * functions do nothing then.  Must not be called with a lock that |wake| takes. */
void lw_clock_add_waker(const lw_clock *clock, lw_clock_waker *waker);
/* Removes |waker|; when it returns, |wake| is not running.  Does nothing if it was not added. */
void lw_clock_remove_waker(const lw_clock *clock, lw_clock_waker *waker);

#endif
