/* SPDX-License-Identifier: Apache-2.0 */
/* stop_limit.h -- limits the time of a stop if the server hangs.
 *
 * Stopping sends requests: the lease is released, events are written.  After the time limit the
 * client is closed, and everything that waits for the server returns. */
#ifndef LW_CONTROL_RUNTIME_STOP_LIMIT_H
#define LW_CONTROL_RUNTIME_STOP_LIMIT_H

#include <pthread.h>
#include <stdbool.h>

#include <listwatch.h>

typedef struct lw_stop_limit {
    lw_client *client;
    int seconds;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t mu; /* guards is_over */
    pthread_cond_t over;
    bool is_over;
} lw_stop_limit;

/* Closes |client| after |seconds|; at once if there is no thread to wait. */
void lw_stop_limit_begin(lw_stop_limit *limit, lw_client *client, int seconds);

/* The stop is complete: the client is not closed any more. */
void lw_stop_limit_end(lw_stop_limit *limit);

#endif
