/* SPDX-License-Identifier: Apache-2.0 */
/* sync.c -- the only users of pthread. */
#include "base/sync.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "base/error.h"

#define NS_PER_S INT64_C(1000000000)

/* A result that is 0 unless the caller broke a promise. */
static void must(int rc)
{
    assert(rc == 0);
    (void)rc;
}

void lw_mutex_init(lw_mutex *mutex)
{
    pthread_mutexattr_t attr;
    must(pthread_mutexattr_init(&attr));
#ifndef NDEBUG
    must(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
#endif
    must(pthread_mutex_init(&mutex->impl, &attr));
    must(pthread_mutexattr_destroy(&attr));
}

void lw_mutex_done(lw_mutex *mutex)
{
    must(pthread_mutex_destroy(&mutex->impl));
}

void lw_mutex_lock(lw_mutex *mutex)
{
    must(pthread_mutex_lock(&mutex->impl));
}

void lw_mutex_unlock(lw_mutex *mutex)
{
    must(pthread_mutex_unlock(&mutex->impl));
}

void lw_cond_init(lw_cond *cond)
{
    pthread_condattr_t attr;
    must(pthread_condattr_init(&attr));
    /* Deadlines must not depend on changes of the wall clock. */
    must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    must(pthread_cond_init(&cond->impl, &attr));
    must(pthread_condattr_destroy(&attr));
}

void lw_cond_done(lw_cond *cond)
{
    must(pthread_cond_destroy(&cond->impl));
}

void lw_cond_wait(lw_cond *cond, lw_mutex *mutex)
{
    must(pthread_cond_wait(&cond->impl, &mutex->impl));
}

bool lw_cond_wait_until(lw_cond *cond, lw_mutex *mutex, int64_t deadline_ns)
{
    if (deadline_ns == LW_NEVER_NS) {
        lw_cond_wait(cond, mutex);
        return true;
    }
    if (deadline_ns < 0)
        deadline_ns = 0;
    struct timespec until = {
        .tv_sec = (time_t)(deadline_ns / NS_PER_S),
        .tv_nsec = (long)(deadline_ns % NS_PER_S),
    };
    int rc = pthread_cond_timedwait(&cond->impl, &mutex->impl, &until);
    if (rc == ETIMEDOUT)
        return false;
    must(rc);
    return true;
}

void lw_cond_signal(lw_cond *cond)
{
    must(pthread_cond_signal(&cond->impl));
}

void lw_cond_broadcast(lw_cond *cond)
{
    must(pthread_cond_broadcast(&cond->impl));
}

void lw_rwlock_init(lw_rwlock *lock)
{
    pthread_rwlockattr_t attr;
    must(pthread_rwlockattr_init(&attr));
#ifdef __GLIBC__
    /* With the default of glibc, readers may starve a writer; other libraries have no such setting.
     */
    must(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
#endif
    must(pthread_rwlock_init(&lock->impl, &attr));
    must(pthread_rwlockattr_destroy(&attr));
}

void lw_rwlock_done(lw_rwlock *lock)
{
    must(pthread_rwlock_destroy(&lock->impl));
}

void lw_rwlock_read(lw_rwlock *lock)
{
    must(pthread_rwlock_rdlock(&lock->impl));
}

void lw_rwlock_write(lw_rwlock *lock)
{
    must(pthread_rwlock_wrlock(&lock->impl));
}

void lw_rwlock_unlock(lw_rwlock *lock)
{
    must(pthread_rwlock_unlock(&lock->impl));
}

static void *thread_main(void *arg)
{
    lw_thread *thread = arg;
    (void)pthread_setname_np(pthread_self(), thread->name);
    thread->run(thread->arg);
    return NULL;
}

/* All signals but those a thread causes itself: blocked, they would end the process without the
 * program's own crash handler having run. */
static void fill_foreign_signals(sigset_t *set)
{
    static const int own_faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    (void)sigfillset(set);
    for (size_t i = 0; i < sizeof(own_faults) / sizeof(own_faults[0]); i++)
        (void)sigdelset(set, own_faults[i]);
}

lw_status lw_thread_start(lw_thread *thread, const char *name, void (*run)(void *arg), void *arg,
                          lw_error *err)
{
    thread->run = run;
    thread->arg = arg;
    (void)snprintf(thread->name, sizeof(thread->name), "%s", name);
    /* A thread inherits the signal mask of its creator, so it is set before the thread is created.
     */
    sigset_t foreign;
    sigset_t before;
    fill_foreign_signals(&foreign);
    must(pthread_sigmask(SIG_BLOCK, &foreign, &before));
    int rc = pthread_create(&thread->id, NULL, thread_main, thread);
    must(pthread_sigmask(SIG_SETMASK, &before, NULL));
    if (rc != 0)
        return lw_error_set(err, LW_ERR_IO, "cannot start thread %s: pthread_create failed with %d",
                            thread->name, rc);
    return LW_OK;
}

void lw_thread_join(lw_thread *thread)
{
    must(pthread_join(thread->id, NULL));
}

void lw_thread_detach(lw_thread *thread)
{
    must(pthread_detach(thread->id));
}

void lw_thread_add_nice(int nice)
{
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + nice);
}

bool lw_thread_is_self(const lw_thread *thread)
{
    return pthread_equal(thread->id, pthread_self()) != 0;
}

void lw_once_run(lw_once *once, void (*work)(void *arg), void *arg)
{
    if (atomic_load_explicit(&once->is_done, memory_order_acquire))
        return;
    must(pthread_mutex_lock(&once->mu));
    if (!atomic_load_explicit(&once->is_done, memory_order_relaxed)) {
        work(arg);
        atomic_store_explicit(&once->is_done, true, memory_order_release);
    }
    must(pthread_mutex_unlock(&once->mu));
}
