/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h -- statistics of an informer. */
#ifndef LISTWATCH_STATS_H
#define LISTWATCH_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* The reason of the last relist. */
typedef enum lw_relist_reason {
    LW_RELIST_NONE,        /* there was only the first list */
    LW_RELIST_EXPIRED,     /* 410: the revision is too old for the server */
    LW_RELIST_TOO_LARGE,   /* the revision is in the future for the server */
    LW_RELIST_ERROR,       /* the watch was rejected or failed, and cannot be resumed */
    LW_RELIST_SHORT_WATCH, /* watches end immediately, without an event */
    LW_RELIST_MALFORMED,   /* the server sent something that is not an event */
    LW_RELIST_STORE,       /* memory ran out in the informer */
} lw_relist_reason;

/* Returns the name of |reason| ("expired"), never NULL. */
LW_API const char *lw_relist_reason_name(lw_relist_reason reason);

typedef struct lw_informer_statistics {
    bool is_synced;
    uint64_t objects, bytes; /* in the cache */
    /* Lists that were sent, those of them after the first, and watches that the server has opened.
     * A streaming list is a list, and a watch when it is complete. */
    uint64_t lists, relists, watches;
    lw_relist_reason last_relist_reason;
    uint64_t adds, updates, deletes, bookmarks, errors; /* events by type */
    uint64_t
        bytes_received; /* bytes of objects after dropping members: less than what was received */
    int64_t last_byte_age_ns; /* time since the last byte from the server; -1: none yet */
    int64_t sync_ns;          /* time from the start to the first sync; -1: not synced yet */
    uint64_t revision;        /* revision of the cache */
    uint64_t queue_depth;     /* deltas that are queued for the cache */
    uint64_t handler_depth;   /* events that are queued for the slowest handler */
    uint64_t handler_merged;  /* events coalesced for slow handlers */
} lw_informer_statistics;

LW_END_DECLS

#endif
