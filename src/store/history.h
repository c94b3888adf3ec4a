/* SPDX-License-Identifier: Apache-2.0 */
/* history.h -- limits the history of a store. */
#ifndef LW_STORE_HISTORY_H
#define LW_STORE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/* Both limits apply: history beyond the age or the size is compacted in the background, oldest
 * first. */
typedef struct lw_history_options {
    size_t max_bytes;   /* keys and values that changes wrote or superseded; 0: default */
    int64_t max_age_ns; /* 0: default */
} lw_history_options;

#define LW_HISTORY_BYTES  ((size_t)64 << 20)
#define LW_HISTORY_AGE_NS (INT64_C(3600) * 1000000000)

enum {
    /* Maximum number of samples; when all are used, the newest is extended. */
    LW_HISTORY_SAMPLES = 256,
    LW_HISTORY_AGE_STEPS = 64,  /* a sample covers at most this fraction of the age ... */
    LW_HISTORY_BYTE_STEPS = 32, /* ... and about this fraction of the bytes */
};

/* The revision at some time, and the weight of all changes up to it. */
typedef struct lw_history_sample {
    uint64_t revision;
    uint64_t weight;
    int64_t at_ns;
    int64_t opened_ns; /* time of its first change */
} lw_history_sample;

/* Records when each revision was made and how much data followed, and derives what to compact.
 * Revisions, weights and times only increase.  One thread. */
typedef struct lw_history {
    lw_history_options options;
    uint64_t floor; /* weight at the compacted revision */
    size_t count;
    lw_history_sample samples[LW_HISTORY_SAMPLES]; /* above the compacted revision, ascending */
} lw_history;

/* Starts at a compacted revision whose weight is |floor|. */
void lw_history_init(lw_history *history, const lw_history_options *options, uint64_t floor);

/* Records changes; |revision| is the last one. */
void lw_history_note(lw_history *history, uint64_t revision, uint64_t weight, int64_t now_ns);

/* Returns the revision to compact to; 0: none.  If the size limit is exceeded, three quarters are
 * kept, so that compactions are rare and large. */
uint64_t lw_history_target(const lw_history *history, int64_t now_ns);

/* Records a compaction to |revision|, whose weight is |floor|. */
void lw_history_compacted(lw_history *history, uint64_t revision, uint64_t floor);

/* Returns when history will be too old; INT64_MAX: never. */
int64_t lw_history_deadline(const lw_history *history);

#endif
