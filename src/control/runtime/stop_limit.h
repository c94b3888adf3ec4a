/* SPDX-License-Identifier: Apache-2.0 */
/* stop_limit.h -- limits the time of a stop if the server hangs.
 *
 * Stopping sends requests: the lease is released, events are written.  After the time limit the
 * clients are closed, and everything that waits for the server returns. */
#ifndef LW_CONTROL_RUNTIME_STOP_LIMIT_H
#define LW_CONTROL_RUNTIME_STOP_LIMIT_H

#include <pthread.h>
#include <stdbool.h>

#include <listwatch.h>

typedef struct lw_stop_limit {
    lw_client *const *clients;
    size_t count;
    int seconds;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t mu; /* guards is_over */
    pthread_cond_t over;
    bool is_over;
} lw_stop_limit;

/* Closes the |count| |clients| after |seconds|; at once if there is no thread to wait.  They must
 * live until the end. */
void lw_stop_limit_begin(lw_stop_limit *limit, lw_client *const *clients, size_t count,
                         int seconds);

/* The stop is complete: the clients are not closed any more. */
void lw_stop_limit_end(lw_stop_limit *limit);

#endif
