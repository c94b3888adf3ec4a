/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c -- waiting to be told to stop. */
#include "signals.h"

#include <stddef.h>
#include <time.h>

#include "log_line.h"

void signals_block(sigset_t *signals)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGINT);
    (void)sigaddset(signals, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, signals, NULL);
}

static void stop_by(int number, const char *component)
{
    const struct sigaction end = { .sa_handler = SIG_DFL };
    sigset_t interrupt;
    (void)sigaction(SIGINT, &end, NULL); /* a shell's background job has it ignored */
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGINT);
    (void)sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
    log_line_print(LW_LOG_INFO, component, number == SIGINT ? "interrupted; stopping" : "stopping",
                   NULL);
}

void signals_wait(const sigset_t *signals, const char *component)
{
    int number = 0;
    while (sigwait(signals, &number) != 0)
        ;
    stop_by(number, component);
}

void signals_wait_doing(const sigset_t *signals, const char *component, int every_s,
                        void (*fn)(void *arg), void *arg)
{
    const struct timespec every = { .tv_sec = every_s };
    int number;
    while ((number = sigtimedwait(signals, NULL, &every)) < 0)
        fn(arg);
    stop_by(number, component);
}
