/* SPDX-License-Identifier: Apache-2.0 */
/* heavy.h -- a bounded queue of heavy requests (api/request_cost.h), which worker loops serve.
 *
 *     connection's loop ──lw_offload.take──▶ queue ──▶ worker's loop: lw_api_serve ──▶ relay
 *
 * Each user has a queue, and the workers take turns between the users.  A user may fill what is
 * left of the whole queue: one user at most half of it, two a third each, and so on; so a new user
 * always finds room.  A request counts in the queue until a worker takes it, and its body until the
 * request is freed. */
#ifndef LW_SERVER_CORE_HEAVY_H
#define LW_SERVER_CORE_HEAVY_H

#include "api/api.h"

typedef struct lw_heavy lw_heavy;

enum {
    LW_HEAVY_REQUESTS_MAX = 512,                 /* in the queue */
    LW_HEAVY_BODY_BYTES_MAX = 128 * 1024 * 1024, /* of all requests */
};

/* Creates the queue, before the API.  LW_ERR_NOMEM. */
lw_status lw_heavy_new(lw_heavy **out);

/* For lw_api_options. */
lw_offload lw_heavy_offload(lw_heavy *heavy);

/* Sets the loops that serve requests, which are bound to |api|; before they run. */
void lw_heavy_serve(lw_heavy *heavy, lw_api *api, lw_loop *const *loops, size_t count);

/* Refuses the requests in the queue, and new ones, with 429 from now on.  Any thread. */
void lw_heavy_drain(lw_heavy *heavy);

/* Frees the queued requests.  After the threads have ended and all connections are closed. */
void lw_heavy_close(lw_heavy *heavy);

/* After the loops were freed.  NULL does nothing. */
void lw_heavy_free(lw_heavy *heavy);

typedef struct lw_heavy_stats {
    size_t queued, running; /* requests */
    size_t body_bytes;
    uint64_t taken, refused; /* in total */
} lw_heavy_stats;

void lw_heavy_read_stats(lw_heavy *heavy, lw_heavy_stats *stats); /* any thread */

#endif
