/* SPDX-License-Identifier: Apache-2.0 */
/* watch_count.h -- counts open watches by resource, namespace and name: a change of an object costs
 * the server as much as there are watches that get it.  Threads: any. */
#ifndef LW_SERVER_FLOWCONTROL_WATCH_COUNT_H
#define LW_SERVER_FLOWCONTROL_WATCH_COUNT_H

#include "api/http/request_info.h"
#include "base/map.h"
#include "base/sync.h"

typedef struct lw_watch_counts lw_watch_counts;

/* The watches of one resource, namespace and name.  Its admission removes a watch when its stream
 * is closed, so that an open watch needs no memory here. */
typedef struct lw_watch_count {
    lw_http_admission admission;
    lw_watch_counts *counts;
    lw_str key;
    size_t count;
} lw_watch_count;

struct lw_watch_counts {
    lw_mutex mu; /* guards |map| and the counts in it */
    lw_map map;  /* of lw_watch_count by key */
};

void lw_watch_counts_init(lw_watch_counts *counts);
void lw_watch_counts_done(lw_watch_counts *counts);

/* Adds a watch.  NULL: it is not counted, because it sees few changes or there is no memory. */
lw_watch_count *lw_watch_counts_add(lw_watch_counts *counts, const lw_request_info *info,
                                    lw_str query);
void lw_watch_counts_remove(lw_watch_count *count); /* NULL does nothing */

/* Returns how many watches may see a change by the request: those of the whole resource, of its
 * namespace, and of the object. */
size_t lw_watch_counts_of(lw_watch_counts *counts, const lw_request_info *info);

#endif
