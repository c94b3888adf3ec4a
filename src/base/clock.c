/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c -- the system clocks, and a manual clock that the program advances.
 * Threads: each of the two times of a manual clock is one atomic; a thread that reads both may see
 * an advance in between, as with real clocks.  A thread that sees the new time also sees what was
 * written before the advance, and the wakers are called after it. */
#include "base/clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock_waker.h"
#include "base/sync.h"

static int64_t read_clock(clockid_t id)
{
    struct timespec now = { 0 };
    int rc = clock_gettime(id, &now);
    assert(rc == 0);
    (void)rc;
    return (int64_t)now.tv_sec * LW_NS_PER_S + now.tv_nsec;
}

static int64_t system_now_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_wall_ns(void *arg)
{
    (void)arg;
    return read_clock(CLOCK_REALTIME);
}

const lw_clock *lw_clock_system(void)
{
    static const lw_clock system = { system_now_ns, system_wall_ns, NULL };
    return &system;
}

struct lw_manual_clock {
    lw_clock clock;
    _Atomic int64_t now_ns;
    _Atomic int64_t wall_ns;
    lw_mutex mu;     /* guards |wakers| */
    lw_dlist wakers; /* of threads that wait for a time */
};

static int64_t manual_now_ns(void *arg)
{
    lw_manual_clock *manual = arg;
    return atomic_load(&manual->now_ns);
}

static int64_t manual_wall_ns(void *arg)
{
    lw_manual_clock *manual = arg;
    return atomic_load(&manual->wall_ns);
}

lw_status lw_manual_clock_new(lw_manual_clock **out, int64_t wall_ns)
{
    lw_manual_clock *manual = lw_alloc(sizeof(*manual));
    if (!manual)
        return LW_ERR_NOMEM;
    manual->clock = (lw_clock){ manual_now_ns, manual_wall_ns, manual };
    /* Not 0, because 0 could mean "not set". */
    atomic_init(&manual->now_ns, LW_NS_PER_S);
    atomic_init(&manual->wall_ns, wall_ns);
    lw_mutex_init(&manual->mu);
    lw_dlist_init(&manual->wakers);
    *out = manual;
    return LW_OK;
}

void lw_manual_clock_free(lw_manual_clock *manual)
{
    if (!manual)
        return;
    assert(lw_dlist_is_empty(&manual->wakers));
    lw_mutex_done(&manual->mu);
    lw_free(manual);
}

static lw_manual_clock *manual_of(const lw_clock *clock)
{
    return clock->now_ns == manual_now_ns ? clock->arg : NULL;
}

void lw_clock_add_waker(const lw_clock *clock, lw_clock_waker *waker)
{
    lw_manual_clock *manual = manual_of(clock);
    if (!manual)
        return;
    lw_mutex_lock(&manual->mu);
    lw_dlist_push_back(&manual->wakers, &waker->link);
    lw_mutex_unlock(&manual->mu);
}

void lw_clock_remove_waker(const lw_clock *clock, lw_clock_waker *waker)
{
    lw_manual_clock *manual = clock ? manual_of(clock) : NULL;
    if (!manual)
        return;
    lw_mutex_lock(&manual->mu);
    if (lw_dlist_node_is_linked(&waker->link))
        lw_dlist_remove(&waker->link);
    lw_mutex_unlock(&manual->mu);
}

static void wake_all(lw_manual_clock *manual)
{
    lw_mutex_lock(&manual->mu);
    LW_DLIST_FOR_EACH(lw_clock_waker, waker, &manual->wakers, link)
    {
        waker->wake(waker->arg);
    }
    lw_mutex_unlock(&manual->mu);
}

const lw_clock *lw_manual_clock_as_clock(const lw_manual_clock *manual)
{
    return &manual->clock;
}

void lw_manual_clock_advance(lw_manual_clock *manual, int64_t ns)
{
    assert(ns >= 0);
    atomic_fetch_add(&manual->now_ns, ns);
    atomic_fetch_add(&manual->wall_ns, ns);
    wake_all(manual);
}

void lw_manual_clock_set_wall(lw_manual_clock *manual, int64_t wall_ns)
{
    atomic_store(&manual->wall_ns, wall_ns);
}
