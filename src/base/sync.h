/* SPDX-License-Identifier: Apache-2.0 */
/* sync.h -- locks, conditions, threads and once; the only door to pthread.
 *
 * What cannot fail when used right is asserted, not returned; debug builds use checking mutexes, so
 * locking twice and unlocking what another thread holds are caught there. */
#ifndef LW_BASE_SYNC_H
#define LW_BASE_SYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>

/* Not recursive; the thread that locked it unlocks it. */
typedef struct lw_mutex {
    pthread_mutex_t impl;
} lw_mutex;

void lw_mutex_init(lw_mutex *mutex);
void lw_mutex_done(lw_mutex *mutex);
void lw_mutex_lock(lw_mutex *mutex);
void lw_mutex_unlock(lw_mutex *mutex);

/* Waiting for what a mutex guards to change.  Waits may end for no reason: loop on what is waited
 * for. */
typedef struct lw_cond {
    pthread_cond_t impl;
} lw_cond;

/* A deadline that never comes. */
#define LW_NEVER_NS INT64_MAX

void lw_cond_init(lw_cond *cond);
void lw_cond_done(lw_cond *cond);

/* Unlocks |mutex|, waits for a signal, locks |mutex| again. */
void lw_cond_wait(lw_cond *cond, lw_mutex *mutex);

/* The same until |deadline_ns| on the system's monotonic clock (lw_clock_system), or LW_NEVER_NS.
 * False when the deadline has passed; look at what was waited for all the same. */
bool lw_cond_wait_until(lw_cond *cond, lw_mutex *mutex, int64_t deadline_ns);

/* Wakes one waiter, or all of them. */
void lw_cond_signal(lw_cond *cond);
void lw_cond_broadcast(lw_cond *cond);

/* Many readers or one writer.  A waiting writer goes before new readers, so readers
 * cannot starve it; therefore a thread must not read-lock twice. */
typedef struct lw_rwlock {
    pthread_rwlock_t impl;
} lw_rwlock;

void lw_rwlock_init(lw_rwlock *lock);
void lw_rwlock_done(lw_rwlock *lock);
void lw_rwlock_read(lw_rwlock *lock);
void lw_rwlock_write(lw_rwlock *lock);
void lw_rwlock_unlock(lw_rwlock *lock);

/* A thread; lives in its owner's memory, must stay there until joined. */
enum {
    LW_THREAD_NAME_SIZE = 16, /* what the kernel keeps; longer names are cut */
};

typedef struct lw_thread {
    pthread_t id;
    void (*run)(void *arg);
    void *arg;
    char name[LW_THREAD_NAME_SIZE];
} lw_thread;

/* Starts |run(arg)| in a thread called |name| (copied).  Signals are the program's: all are blocked
 * in the thread but those that report a fault of its own.  LW_ERR_IO when the system has no thread
 * to give; |thread| is not to be joined then. */
LW_MUST_CHECK lw_status lw_thread_start(lw_thread *thread, const char *name, void (*run)(void *arg),
                                        void *arg, lw_error *err);

/* Waits for the thread to end.  Once, and not from the thread itself. */
void lw_thread_join(lw_thread *thread);

/* Gives the thread away instead: it ends by itself and is not to be joined.  |thread| stays where
 * it is until |run| has returned, or |run| itself frees it. */
void lw_thread_detach(lw_thread *thread);

/* True in |thread| itself; it must have been started and not joined. */
bool lw_thread_is_self(const lw_thread *thread);

/* Work that the first caller does and all others wait for. */
typedef struct lw_once {
    atomic_bool is_done;
    pthread_mutex_t mu; /* held while the work runs */
} lw_once;

#define LW_ONCE_INIT                                                                               \
    {                                                                                              \
        false, PTHREAD_MUTEX_INITIALIZER                                                           \
    }

/* Calls |work(arg)| unless it has been done; it has when this returns, and what it wrote is seen.
 * |work| must not use the same |once|. */
void lw_once_run(lw_once *once, void (*work)(void *arg), void *arg);

#endif
