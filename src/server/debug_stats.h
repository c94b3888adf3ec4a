/* SPDX-License-Identifier: Apache-2.0 */
/* debug_stats.h -- what the page shows of the server at work, as one JSON document in three parts:
 * the store and the resources, the watches (told loop by loop, debug_watches.c), and the rest. */
#ifndef LW_SERVER_DEBUG_STATS_H
#define LW_SERVER_DEBUG_STATS_H

#include "server/server_internal.h"

enum {
    LW_FIGURES_MAX = 8 << 20,      /* bytes */
    LW_FIGURES_WATCHES_MAX = 1000, /* told one by one; the rest is counted */
};

/* The members before the watches; an object is open. */
void lw_debug_stats_write_stores(const lw_server_parts *parts, lw_json_writer *w);

/* One watch, an element of an array. */
void lw_debug_stats_write_watch(const lw_server_parts *parts, const lw_api_watch *watch,
                                lw_json_writer *w);

/* The members after the watches. */
void lw_debug_stats_write_rest(lw_server_parts *parts, const lw_latency_histogram *deliveries,
                               lw_json_writer *w);

#endif
