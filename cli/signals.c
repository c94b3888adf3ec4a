/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c -- waits for signals, with a watchdog that ends the process if it does not stop in
 * time.
 *
 * The watchdog thread uses nothing that another thread could block: no allocation, no lock but its
 * own, no stdio.  It writes to standard error only if that does not block. */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "log_line.h"
#include "message.h"
#include "threads_left.h"

enum {
    LINE_SIZE = 1024,
    REPEAT_S = 1, /* seconds after which a second SIGTERM counts */
};

static struct {
    sigset_t signals;
    const char *component;
    int timeout_s;
    _Atomic(const char *) doing;

    void (*on_user)(void *arg); /* NULL: SIGUSR1 is not handled */
    void *user_arg;

    pthread_mutex_t mu; /* guards number and is_asked */
    pthread_cond_t changed;
    int number;    /* number of the first signal that ends the process; 0: none yet */
    bool is_asked; /* SIGUSR1 has arrived */
} watch = { .mu = PTHREAD_MUTEX_INITIALIZER, .doing = "starting" };

void signals_block(void)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigemptyset(&watch.signals);
    (void)sigaddset(&watch.signals, SIGINT);
    (void)sigaddset(&watch.signals, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &watch.signals, NULL);
}

void signals_on_user(void (*fn)(void *arg), void *arg)
{
    watch.on_user = fn;
    watch.user_arg = arg;
    (void)sigaddset(&watch.signals, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &watch.signals, NULL);
}

static double now_s(void)
{
    struct timespec now = { 0, 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Ends the process with the default action of the signal. */
static void end_by(int number)
{
    const struct sigaction end = { .sa_handler = SIG_DFL };
    sigset_t one;
    (void)sigaction(number, &end, NULL); /* in background jobs, shells set SIGINT to be ignored */
    (void)sigemptyset(&one);
    (void)sigaddset(&one, number);
    (void)raise(number);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

/* Writes one line to standard error, unless that would block. */
static void write_line(const char *line, size_t len)
{
    struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };
    if (poll(&to, 1, 0) == 1 && (to.revents & POLLOUT))
        (void)!write(STDERR_FILENO, line, len);
}

static void cut_off(void)
{
    char line[LINE_SIZE], threads[LINE_SIZE / 2], head[LOG_LINE_HEAD_SIZE];
    threads_left(threads, sizeof(threads));
    log_line_head(head, LW_LOG_ERROR, watch.component);
    int len = snprintf(
        line, sizeof(line),
        "%sdid not stop within %d seconds; forced to exit while %s; threads still running: %s\n",
        head, watch.timeout_s, atomic_load(&watch.doing), threads);
    write_line(line, len < (int)sizeof(line) ? (size_t)len : sizeof(line) - 1);
    _exit(EXIT_CUT);
}

/* Waits for the first signal that ends the process. */
static int await_first(void)
{
    int number = 0;
    do {
        if (sigwait(&watch.signals, &number) != 0)
            continue;
        pthread_mutex_lock(&watch.mu);
        if (number == SIGUSR1)
            watch.is_asked = true;
        else
            watch.number = number;
        pthread_cond_signal(&watch.changed);
        pthread_mutex_unlock(&watch.mu);
    } while (number == 0 || number == SIGUSR1);
    return number;
}

static void *watch_signals(void *arg)
{
    (void)arg;
    int first = await_first();
    double start = now_s(), left;
    while ((left = start + watch.timeout_s - now_s()) > 0) {
        const struct timespec wait = { .tv_sec = (time_t)left,
                                       .tv_nsec = (long)((left - (double)(time_t)left) * 1e9) };
        int number = sigtimedwait(&watch.signals, NULL, &wait);
        bool is_repeated = number == SIGTERM && first == SIGTERM && now_s() - start >= REPEAT_S;
        if (number == SIGINT || is_repeated)
            end_by(number);
    }
    cut_off();
    return NULL;
}

bool signals_watch(const char *component, int timeout_s)
{
    pthread_t thread;
    pthread_condattr_t steady;
    watch.component = component;
    watch.timeout_s = timeout_s;
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&watch.changed, &steady);
    (void)pthread_condattr_destroy(&steady);
    int fault = pthread_create(&thread, NULL, watch_signals, NULL);
    if (fault != 0) {
        message("cannot start a thread: %s", strerror(fault));
        return false;
    }
    (void)pthread_detach(thread);
    return true;
}

void signals_wait(int every_s, void (*fn)(void *arg), void *arg)
{
    pthread_mutex_lock(&watch.mu);
    while (watch.number == 0) {
        struct timespec next;
        int fault = 0;
        (void)clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec += every_s;
        while (watch.number == 0 && !watch.is_asked && fault == 0)
            fault = fn ? pthread_cond_timedwait(&watch.changed, &watch.mu, &next)
                       : pthread_cond_wait(&watch.changed, &watch.mu);
        if (watch.number != 0)
            break;
        bool is_asked = watch.is_asked;
        watch.is_asked = false;
        pthread_mutex_unlock(&watch.mu);
        if (is_asked)
            watch.on_user(watch.user_arg);
        else
            fn(arg);
        pthread_mutex_lock(&watch.mu);
    }
    int number = watch.number;
    pthread_mutex_unlock(&watch.mu);
    log_line_print(LW_LOG_INFO, watch.component,
                   number == SIGINT ? "interrupted; stopping" : "stopping", NULL);
}

void signals_doing(const char *what)
{
    atomic_store(&watch.doing, what);
}
