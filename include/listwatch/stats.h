/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h -- proof of life: what an informer has done and how it is. */
#ifndef LISTWATCH_STATS_H
#define LISTWATCH_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* Why the last list was made. */
typedef enum lw_relist_reason {
    LW_RELIST_NONE,        /* none but the first */
    LW_RELIST_EXPIRED,     /* 410: the server does not remember that far back */
    LW_RELIST_TOO_LARGE,   /* the server is older than we are */
    LW_RELIST_ERROR,       /* the watch was refused or broke in a way that resuming cannot mend */
    LW_RELIST_SHORT_WATCH, /* watches end at once, without an event */
    LW_RELIST_MALFORMED,   /* bytes that are no event */
    LW_RELIST_STORE,       /* memory ran out in here */
} lw_relist_reason;

/* "expired" and so on, never NULL. */
LW_API const char *lw_relist_reason_name(lw_relist_reason reason);

typedef struct lw_informer_statistics {
    bool is_synced;
    uint64_t objects, bytes; /* in the cache */
    /* Made so far; a list may also have come as the events a watch begins with. */
    uint64_t lists, relists, watches;
    lw_relist_reason last_relist_reason;
    uint64_t adds, updates, deletes, bookmarks, errors; /* events by type */
    uint64_t bytes_received;  /* of objects, as they are kept: less than what came */
    int64_t last_byte_age_ns; /* since anything came from the server; -1: never */
    int64_t sync_ns;          /* from the start to the first sync; -1: not yet */
    uint64_t revision;        /* the cache is as new as this */
    uint64_t queue_depth;     /* deltas not yet applied */
    uint64_t handler_depth;   /* events the slowest handler has not been told */
    uint64_t handler_merged;  /* events merged for slow handlers */
} lw_informer_statistics;

LW_END_DECLS

#endif
