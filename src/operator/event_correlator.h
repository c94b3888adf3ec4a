/* SPDX-License-Identifier: Apache-2.0 */
/* event_correlator.h -- decides what becomes of an Event, as the correlator of client-go's record
 * package: it is created, combined with similar ones, counted up, or filtered.
 *
 * Does no I/O.  Its tables have a fixed size and are indexed by hash: an entry that is replaced by
 * another one starts again.  One thread at a time. */
#ifndef LW_OPERATOR_EVENT_CORRELATOR_H
#define LW_OPERATOR_EVENT_CORRELATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/object.h>

#include "base/hash.h"

enum {
    LW_CORRELATOR_ENTRIES = 4096, /* of each table, as in client-go */
    LW_CORRELATOR_BURST = 25,     /* Events of one object and component at once ... */
    LW_CORRELATOR_REFILL_S = 300, /* ... and the time until there may be one more */
    LW_CORRELATOR_SIMILAR = 10,   /* similar Events with different messages ... */
    LW_CORRELATOR_WINDOW_S = 600, /* ... in this time; further ones are combined */
};

/* An Event that was written. */
typedef struct lw_event_series {
    uint64_t hash; /* of its content; 0: free */
    int64_t count;
    int64_t first_wall_ns; /* of the first occurrence; it is part of the name of the Event */
} lw_event_series;

/* Similar Events. */
typedef struct lw_event_group {
    uint64_t hash; /* of all but the message; 0: free */
    int64_t last_ns;
    unsigned count;
    uint64_t messages[LW_CORRELATOR_SIMILAR]; /* hashes */
} lw_event_group;

/* How many more Events an object may have. */
typedef struct lw_event_allowance {
    uint64_t hash; /* of component and object; 0: free */
    double tokens;
    int64_t at_ns;
} lw_event_allowance;

typedef struct lw_event_correlator {
    lw_hash_seed seed;
    lw_event_series series[LW_CORRELATOR_ENTRIES];
    lw_event_group groups[LW_CORRELATOR_ENTRIES];
    lw_event_allowance allowances[LW_CORRELATOR_ENTRIES];
} lw_event_correlator;

/* What identifies an Event. */
typedef struct lw_event_content {
    const lw_object *object;
    const char *component, *host, *type, *reason, *message;
    int64_t wall_ns;
} lw_event_content;

/* The decision. */
typedef struct lw_event_verdict {
    bool is_filtered;
    bool is_combined;        /* the message stands for several */
    lw_event_series *series; /* with its new count; count 1: create it.  NULL if it is filtered */
} lw_event_verdict;

/* The correlator starts zeroed. */
void lw_event_correlator_init(lw_event_correlator *correlator);

lw_event_verdict lw_event_correlate(lw_event_correlator *correlator,
                                    const lw_event_content *content, int64_t now_ns);

#endif
