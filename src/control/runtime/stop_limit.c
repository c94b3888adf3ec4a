/* SPDX-License-Identifier: Apache-2.0 */
/* stop_limit.c -- a thread that closes the clients if a stop takes too long. */
#include "runtime/stop_limit.h"

#include <time.h>

static void close_clients(const lw_stop_limit *limit)
{
    for (size_t i = 0; i < limit->count; i++)
        lw_client_close(limit->clients[i]);
}

static void *limit_run(void *arg)
{
    lw_stop_limit *limit = arg;
    struct timespec until;
    int waited = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += limit->seconds;
    (void)pthread_mutex_lock(&limit->mu);
    while (!limit->is_over && waited == 0)
        waited = pthread_cond_timedwait(&limit->over, &limit->mu, &until);
    bool is_late = !limit->is_over;
    (void)pthread_mutex_unlock(&limit->mu);
    if (is_late)
        close_clients(limit);
    return NULL;
}

void lw_stop_limit_begin(lw_stop_limit *limit, lw_client *const *clients, size_t count, int seconds)
{
    pthread_condattr_t monotonic;
    *limit = (lw_stop_limit){ .clients = clients, .count = count, .seconds = seconds };
    (void)pthread_mutex_init(&limit->mu, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&limit->over, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    limit->has_thread = pthread_create(&limit->thread, NULL, limit_run, limit) == 0;
    if (!limit->has_thread)
        close_clients(limit);
}

void lw_stop_limit_end(lw_stop_limit *limit)
{
    (void)pthread_mutex_lock(&limit->mu);
    limit->is_over = true;
    (void)pthread_cond_signal(&limit->over);
    (void)pthread_mutex_unlock(&limit->mu);
    if (limit->has_thread)
        (void)pthread_join(limit->thread, NULL);
    (void)pthread_cond_destroy(&limit->over);
    (void)pthread_mutex_destroy(&limit->mu);
}
