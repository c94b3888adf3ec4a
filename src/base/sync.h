/* SPDX-License-Identifier: Apache-2.0 */
/* sync.h -- locks, conditions, threads and once; the only users of pthread.
 *
 * Functions that cannot fail if used correctly return nothing and assert.  Debug builds use
 * error-checking mutexes, which detect double locking and unlocking by another thread. */
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

/* Waits for a change of what a mutex guards.  Spurious wake-ups are possible: check the condition
 * in a loop. */
typedef struct lw_cond {
    pthread_cond_t impl;
} lw_cond;

/* A deadline that never comes. */
#define LW_NEVER_NS INT64_MAX

void lw_cond_init(lw_cond *cond);
void lw_cond_done(lw_cond *cond);

/* Unlocks |mutex|, waits for a signal, locks |mutex| again. */
void lw_cond_wait(lw_cond *cond, lw_mutex *mutex);

/* As lw_cond_wait until |deadline_ns| on the monotonic clock of the system (lw_clock_system), or
 * LW_NEVER_NS.  Returns false if the deadline has passed; the condition may still be true. */
bool lw_cond_wait_until(lw_cond *cond, lw_mutex *mutex, int64_t deadline_ns);

/* Wakes one waiter, or all of them. */
void lw_cond_signal(lw_cond *cond);
void lw_cond_broadcast(lw_cond *cond);

/* Many readers or one writer.  A waiting writer takes precedence over new readers, so that it does
 * not starve; therefore a thread must not read-lock twice. */
typedef struct lw_rwlock {
    pthread_rwlock_t impl;
} lw_rwlock;

void lw_rwlock_init(lw_rwlock *lock);
void lw_rwlock_done(lw_rwlock *lock);
void lw_rwlock_read(lw_rwlock *lock);
void lw_rwlock_write(lw_rwlock *lock);
void lw_rwlock_unlock(lw_rwlock *lock);

/* A thread; the struct must not move until it is joined. */
enum {
    LW_THREAD_NAME_SIZE = 16, /* the limit of the kernel; longer names are truncated */
};

typedef struct lw_thread {
    pthread_t id;
    void (*run)(void *arg);
    void *arg;
    char name[LW_THREAD_NAME_SIZE];
} lw_thread;

/* Starts |run(arg)| in a thread called |name| (copied).  All signals are blocked in it, except
 * those that report a fault of the thread.  LW_ERR_IO: cannot create a thread; then it must not be
 * joined. */
LW_MUST_CHECK lw_status lw_thread_start(lw_thread *thread, const char *name, void (*run)(void *arg),
                                        void *arg, lw_error *err);

/* Waits until the thread has ended.  Once, and not from the thread itself. */
void lw_thread_join(lw_thread *thread);

/* Detaches the thread instead: it must not be joined.  |thread| must not move until |run| has
 * returned, or |run| frees it. */
void lw_thread_detach(lw_thread *thread);

/* Adds |nice| to the nice value of the calling thread, which is a value of its own on Linux.  Where
 * that is not possible, the thread stays as urgent as the others. */
void lw_thread_add_nice(int nice);

/* Returns true if called from |thread|, which must have been started and not joined. */
bool lw_thread_is_self(const lw_thread *thread);

/* Work that the first caller does while all others wait for it. */
typedef struct lw_once {
    atomic_bool is_done;
    pthread_mutex_t mu; /* held while the work runs */
} lw_once;

#define LW_ONCE_INIT                                                                               \
    {                                                                                              \
        false, PTHREAD_MUTEX_INITIALIZER                                                           \
    }

/* Calls |work(arg)| once; when this returns, the work is done and its effects are visible.  |work|
 * must not use the same |once|. */
void lw_once_run(lw_once *once, void (*work)(void *arg), void *arg);

#endif
