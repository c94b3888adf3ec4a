/* SPDX-License-Identifier: Apache-2.0 */
/* debug_stats.h -- writes the statistics that the page shows, as one JSON document in three parts:
 * the store and the resources, the watches (collected from each loop, see debug_watches.c), and the
 * rest. */
#ifndef LW_SERVER_ENDPOINTS_DEBUG_STATS_H
#define LW_SERVER_ENDPOINTS_DEBUG_STATS_H

#include "server/core/server_internal.h"

enum {
    LW_DEBUG_STATS_MAX = 8 << 20,      /* maximum size in bytes */
    LW_DEBUG_STATS_WATCHES_MAX = 1000, /* watches that are listed; the others are only counted */
};

/* Writes the members before the watches into an open object. */
void lw_debug_stats_write_stores(const lw_server_parts *parts, lw_json_writer *w);

/* Writes one watch as an element of an array. */
void lw_debug_stats_write_watch(const lw_server_parts *parts, const lw_api_watch *watch,
                                lw_json_writer *w);

/* Writes the members after the watches. */
void lw_debug_stats_write_rest(lw_server_parts *parts, const lw_latency_histogram *deliveries,
                               lw_json_writer *w);

#endif
