/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c -- handlers that write to an eventfd.  Signals belong to the process, and so does the
 * state here. */
#include "operator/signals.h"

#include <signal.h>
#include <stdatomic.h>

static const int numbers[] = { SIGTERM, SIGINT };

static atomic_bool is_watched;
static atomic_int seen;
static const lw_poll_set *wakes_set;
static struct sigaction before[2];

static void on_signal(int number)
{
    atomic_store(&seen, number);
    lw_poll_set_wake(wakes_set);
}

lw_status lw_signals_watch(const lw_poll_set *wakes, lw_error *err)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    if (atomic_exchange(&is_watched, true))
        return lw_error_set(err, LW_ERR_EXISTS,
                            "the signals of this process are already handled by a manager");
    wakes_set = wakes;
    atomic_store(&seen, 0);
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < 2; i++)
        (void)sigaction(numbers[i], &action, &before[i]); /* fails only for invalid numbers */
    return LW_OK;
}

int lw_signals_seen(void)
{
    return atomic_load(&seen);
}

void lw_signals_restore(void)
{
    for (size_t i = 0; i < 2; i++)
        (void)sigaction(numbers[i], &before[i], NULL);
    atomic_store(&is_watched, false);
}
