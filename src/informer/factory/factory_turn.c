/* SPDX-License-Identifier: Apache-2.0 */
/* factory_turn.c -- one turn of a factory, and the threads that execute turns: the thread of the
 * factory, the event loop of the program, or a thread that waits for a condition.
 *
 *   reset wake-ups ─▶ provider dispatches ─▶ each informer: queue, cache, handlers ─▶ drop
 *
 * While handlers in dispatch have many queued events, nothing is read from the network: a slow
 * handler slows the server down instead of filling the memory. */
#include "informer/factory/factory.h"

#include <limits.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread/caller.h"

static void notify_waiters(lw_factory *factory)
{
    if (atomic_load(&factory->waiters) == 0)
        return;
    lw_mutex_lock(&factory->mu);
    lw_cond_broadcast(&factory->changed);
    lw_mutex_unlock(&factory->mu);
}

void lw_factory__notify(void *arg)
{
    lw_factory *factory = arg;
    notify_waiters(factory);
    lw_driver_wake(&factory->driver); /* a waiting thread may be the one that executes turns */
}

/* A turn. */

/* Returns the informer after |informer| (NULL: the first).  New ones are appended; none is removed
 * during a turn. */
static lw_informer *next_informer(lw_factory *factory, lw_informer *informer)
{
    lw_mutex_lock(&factory->mu);
    lw_dlist_node *node = informer ? lw_dlist_next(&factory->informers, &informer->link)
                                   : lw_dlist_first(&factory->informers);
    lw_mutex_unlock(&factory->mu);
    return LW_DLIST_ITEM(node, lw_informer, link);
}

static bool is_behind(lw_factory *factory)
{
    lw_informer *informer = NULL;
    while ((informer = next_informer(factory, informer)) != NULL) {
        if (lw_informer__is_behind(informer))
            return true;
    }
    return false;
}

/* Frees informers that handlers have dropped, except those with a handler still running: this
 * thread may be the one that the handler waits for. */
static void drop_dropped(lw_factory *factory)
{
    lw_dlist gone;
    lw_dlist_init(&gone);
    lw_mutex_lock(&factory->mu);
    LW_DLIST_FOR_EACH_SAFE(lw_informer, informer, &factory->informers, link)
    {
        if (!atomic_load(&informer->is_dropped) || lw_processor_is_running(informer->processor))
            continue;
        lw_dlist_remove(&informer->link);
        lw_dlist_push_back(&gone, &informer->link);
    }
    lw_mutex_unlock(&factory->mu);
    LW_DLIST_FOR_EACH_SAFE(lw_informer, informer, &gone, link)
    {
        lw_dlist_remove(&informer->link);
        lw_informer__free(informer);
    }
}

static lw_status run_turn(lw_factory *factory, lw_error *err)
{
    lw_informer *informer = NULL;
    lw_status st = LW_OK;
    lw_driver_clear(&factory->driver);
    if (!is_behind(factory))
        st = factory->provider->ops->dispatch(factory->provider, err);
    while ((informer = next_informer(factory, informer)) != NULL &&
           !atomic_load(&factory->is_stopped)) {
        if (!atomic_load(&informer->is_dropped))
            lw_informer__turn(informer);
    }
    drop_dropped(factory);
    return st;
}

/* After a stop: cancels the requests. */
static void end_requests(lw_factory *factory)
{
    lw_informer *informer = NULL;
    if (factory->has_ended)
        return;
    factory->has_ended = true;
    while ((informer = next_informer(factory, informer)) != NULL)
        lw_informer__stop(informer);
}

lw_status lw_factory__turn(lw_factory *factory, lw_error *err)
{
    lw_status st = LW_OK;
    lw_turn_take_to_dispatch(&factory->turn);
    if (!atomic_load(&factory->is_stopped)) {
        lw_cancel_scope scope; /* for what the provider waits for: a credential plugin */
        lw_cancel_enter(&scope, &factory->cancel);
        st = run_turn(factory, err);
        lw_cancel_leave(&scope);
    }
    if (atomic_load(&factory->is_stopped)) {
        end_requests(factory);
        st = lw_error_set(err, LW_ERR_STOPPED, "the factory was stopped");
    }
    lw_turn_give(&factory->turn);
    notify_waiters(factory);
    return st;
}

/* Returns the time of the next turn. */

static int64_t deadline_of_informers(lw_factory *factory)
{
    int64_t deadline = LW_NEVER_NS;
    lw_informer *informer = NULL;
    while ((informer = next_informer(factory, informer)) != NULL) {
        int64_t wanted = lw_informer__deadline_ns(informer);
        if (wanted < deadline)
            deadline = wanted;
    }
    return deadline;
}

/* Returns the milliseconds until |deadline_ns|, rounded up, so that no thread wakes just before it.
 */
static int until_ms(int64_t deadline_ns, int64_t now_ns)
{
    if (deadline_ns == LW_NEVER_NS)
        return -1;
    if (deadline_ns <= now_ns)
        return 0;
    int64_t ms = (deadline_ns - now_ns - 1) / LW_NS_PER_MS + 1;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Returns the shorter of two timeouts; -1 means none. */
static int sooner(int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

/* In a turn. */
static int timeout_ms(lw_factory *factory)
{
    int provider = factory->provider->ops->timeout_ms(factory->provider);
    int64_t now = lw_clock_now(factory->options.clock);
    return sooner(provider, until_ms(deadline_of_informers(factory), now));
}

int lw_factory_timeout_ms(const lw_factory *const_factory)
{
    /* Reading changes only the turn. */
    lw_factory *factory = (lw_factory *)(uintptr_t)const_factory;
    if (atomic_load(&factory->is_stopped))
        return -1;
    if (lw_turn_is_mine(&factory->turn))
        return timeout_ms(factory);
    lw_turn_take_to_dispatch(&factory->turn);
    int ms = timeout_ms(factory);
    lw_turn_give(&factory->turn);
    return ms;
}

int lw_factory_fd(const lw_factory *factory)
{
    return lw_driver_fd(&factory->driver);
}

/* Who makes turns. */

void lw_factory__drive(lw_factory *factory, int64_t deadline_ns)
{
    int mine = until_ms(deadline_ns, lw_clock_now(lw_clock_system()));
    lw_driver_wait(&factory->driver, sooner(lw_factory_timeout_ms(factory), mine));
    (void)lw_factory__turn(factory, NULL);
}

static bool are_all_synced(lw_factory *factory)
{
    lw_informer *informer = NULL;
    while ((informer = next_informer(factory, informer)) != NULL) {
        if (!lw_informer_is_synced(informer))
            return false;
    }
    return true;
}

/* Lets events gather if the last ones were read just before; see lw_factory_options. */
static void pause_between_reads(lw_factory *factory)
{
    int64_t now = lw_clock_now(lw_clock_system());
    int64_t next = factory->read_at_ns + factory->options.read_interval_ms * LW_NS_PER_MS;
    if (next > now && are_all_synced(factory)) {
        int ms = sooner(lw_factory_timeout_ms(factory), until_ms(next, now));
        if (ms > 0)
            lw_driver_pause(&factory->driver, ms);
    }
}

static void drive_at_intervals(lw_factory *factory)
{
    pause_between_reads(factory);
    lw_driver_wait(&factory->driver, lw_factory_timeout_ms(factory));
    factory->read_at_ns = lw_clock_now(lw_clock_system());
    (void)lw_factory__turn(factory, NULL);
}

static void factory_main(void *arg)
{
    lw_factory *factory = arg;
    while (!atomic_load(&factory->is_stopped)) {
        if (factory->options.read_interval_ms > 0)
            drive_at_intervals(factory);
        else
            lw_factory__drive(factory, LW_NEVER_NS);
    }
    lw_turn_take_to_dispatch(&factory->turn);
    end_requests(factory);
    lw_turn_give(&factory->turn);
}

lw_status lw_factory_start(lw_factory *factory, lw_error *err)
{
    lw_status st;
    lw_mutex_lock(&factory->mu);
    if (atomic_load(&factory->is_stopped)) {
        st = lw_error_set(err, LW_ERR_STOPPED, "the factory was stopped");
    } else if (factory->has_thread) {
        st = lw_error_set(err, LW_ERR_EXISTS, "the factory is already running");
    } else {
        st = lw_thread_start(&factory->thread, "lw-factory", factory_main, factory, err);
        factory->has_thread = st == LW_OK;
        lw_cond_broadcast(&factory->changed);
    }
    lw_mutex_unlock(&factory->mu);
    return st;
}

/* Registers the caller as the thread that dispatches, unless another thread is. */
static lw_status enter(lw_factory *factory, lw_error *err)
{
    lw_status st = LW_OK;
    if (lw_turn_is_mine(&factory->turn))
        return lw_error_set(err, LW_ERR_INVALID,
                            "lw_factory_dispatch must not be called from a handler");
    lw_mutex_lock(&factory->mu);
    if (factory->has_thread) {
        st = lw_error_set(err, LW_ERR_INVALID,
                          "lw_factory_dispatch must not be called after lw_factory_start: the "
                          "factory has its own thread");
    } else {
        factory->home = lw_caller();
        factory->visitors++;
    }
    lw_mutex_unlock(&factory->mu);
    return st;
}

lw_status lw_factory_dispatch(lw_factory *factory, lw_error *err)
{
    lw_status st = enter(factory, err);
    if (st < 0)
        return st;
    st = lw_factory__turn(factory, err);
    lw_mutex_lock(&factory->mu);
    if (--factory->visitors == 0)
        lw_cond_broadcast(&factory->changed);
    lw_mutex_unlock(&factory->mu);
    return st;
}
