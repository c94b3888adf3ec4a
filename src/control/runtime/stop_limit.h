/* SPDX-License-Identifier: Apache-2.0 */
/* stop_limit.h -- a stop that a server that hangs cannot hold up for ever.
 *
 * Stopping means requests: the lease is given back, events are sent.  They get a while; then the
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

/* From now on |client| has |seconds|.  Where there is no thread to wait it is closed at once. */
void lw_stop_limit_begin(lw_stop_limit *limit, lw_client *client, int seconds);

/* All is stopped: the client is not closed any more if it was not by now. */
void lw_stop_limit_end(lw_stop_limit *limit);

#endif
