/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c -- waiting to be told to stop. */
#include "signals.h"

#include <stddef.h>

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

void signals_wait(const sigset_t *signals, const char *component)
{
    const struct sigaction end = { .sa_handler = SIG_DFL };
    sigset_t interrupt;
    int number = 0;
    while (sigwait(signals, &number) != 0)
        ;
    (void)sigaction(SIGINT, &end, NULL); /* a shell's background job has it ignored */
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGINT);
    (void)sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
    log_line_print(LW_LOG_INFO, component, number == SIGINT ? "interrupted; stopping" : "stopping",
                   NULL);
}
