/* SPDX-License-Identifier: Apache-2.0 */
/* factory_wait.c -- waits for a condition: synced, a revision, the stop.
 *
 * If no other thread executes turns, the waiting thread does, so a program with one thread needs no
 * event loop.  If another thread dispatches, this one only waits until it is notified. */
#include "informer/factory/factory.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/thread/caller.h"

/* A condition. */
typedef struct wish {
    bool (*is_true)(const struct wish *wish,
                    lw_error *why); /* called with the lock of the factory held */
    lw_factory *factory;
    const lw_informer *informer;
    uint64_t revision;
    bool always_drives; /* execute turns if the factory has no thread, even if another thread
                           dispatched before */
} wish;

static bool drives_itself_locked(const lw_factory *factory, const wish *w)
{
    return !factory->has_thread &&
           (w->always_drives || factory->home == 0 || factory->home == lw_caller());
}

/* Executes one turn; this thread is the one that dispatches meanwhile. */
static void drive_locked(lw_factory *factory, int64_t deadline_ns)
{
    pid_t home = factory->home;
    factory->home = lw_caller();
    lw_mutex_unlock(&factory->mu);
    lw_factory__drive(factory, deadline_ns);
    lw_mutex_lock(&factory->mu);
    if (factory->home == lw_caller())
        factory->home = home;
    lw_cond_broadcast(&factory->changed); /* another thread may continue */
}

static lw_status wait_locked(lw_factory *factory, const wish *w, int64_t deadline_ns, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    while (!w->is_true(w, &why)) {
        if (atomic_load(&factory->is_stopped))
            return lw_error_set(err, LW_ERR_STOPPED, "the factory was stopped");
        if (lw_clock_now(lw_clock_system()) >= deadline_ns) {
            if (err)
                *err = why;
            return LW_ERR_TIMEOUT;
        }
        if (drives_itself_locked(factory, w))
            drive_locked(factory, deadline_ns);
        else
            (void)lw_cond_wait_until(&factory->changed, &factory->mu, deadline_ns);
    }
    return LW_OK;
}

static int64_t deadline_in(int timeout_s)
{
    return timeout_s < 0 ? LW_NEVER_NS : lw_clock_now(lw_clock_system()) + timeout_s * LW_NS_PER_S;
}

static lw_status wait_for(lw_factory *factory, const wish *w, int timeout_s, lw_error *err)
{
    int64_t deadline_ns = deadline_in(timeout_s);
    if (lw_turn_is_mine(&factory->turn))
        return lw_error_set(err, LW_ERR_INVALID, "a handler must not wait for its own factory");
    lw_mutex_lock(&factory->mu);
    factory->visitors++;
    atomic_fetch_add(&factory->waiters, 1);
    lw_status st = wait_locked(factory, w, deadline_ns, err);
    atomic_fetch_sub(&factory->waiters, 1);
    if (--factory->visitors == 0)
        lw_cond_broadcast(&factory->changed);
    lw_mutex_unlock(&factory->mu);
    return st;
}

static bool have_all_synced(const wish *w, lw_error *why)
{
    LW_DLIST_FOR_EACH(lw_informer, informer, &w->factory->informers, link)
    {
        if (!atomic_load(&informer->is_dropped) && !lw_informer__has_synced_handlers(informer, why))
            return false;
    }
    return true;
}

lw_status lw_factory_wait_for_sync(lw_factory *factory, int timeout_s, lw_error *err)
{
    const wish w = { .is_true = have_all_synced, .factory = factory };
    return wait_for(factory, &w, timeout_s, err);
}

static bool is_over(const wish *w, lw_error *why)
{
    (void)why;
    return atomic_load(&w->factory->is_stopped);
}

void lw_factory_run(lw_factory *factory)
{
    const wish w = { .is_true = is_over, .factory = factory, .always_drives = true };
    (void)wait_for(factory, &w, -1, NULL);
}

static bool is_revision_seen(const wish *w, lw_error *why)
{
    uint64_t seen = lw_indexer_revision(w->informer->indexer);
    if (seen >= w->revision && lw_informer_is_synced(w->informer))
        return true;
    if (lw_informer_last_error(w->informer, why) == LW_OK || !why)
        (void)lw_error_set(why, LW_ERR_TIMEOUT,
                           "%s: timed out waiting for revision %llu (current revision: %llu)",
                           w->informer->key.spec.resource, (unsigned long long)w->revision,
                           (unsigned long long)seen);
    else
        why->code = LW_ERR_TIMEOUT;
    return false;
}

lw_status lw_informer_wait_for_revision(lw_informer *informer, uint64_t revision, int timeout_s,
                                        lw_error *err)
{
    lw_factory *factory = informer->host.factory;
    const wish w = {
        .is_true = is_revision_seen, .factory = factory, .informer = informer, .revision = revision
    };
    return wait_for(factory, &w, timeout_s, err);
}
