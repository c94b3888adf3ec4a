/* SPDX-License-Identifier: Apache-2.0 */
/* history.h -- how much of the past a store keeps. */
#ifndef LW_STORE_HISTORY_H
#define LW_STORE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/* Both bounds hold: what is older than the age, or beyond the size, is compacted in the background,
 * from the oldest on. */
typedef struct lw_history_options {
    size_t max_bytes;   /* of keys and values that changes superseded or brought; 0: the default */
    int64_t max_age_ns; /* 0: the default */
} lw_history_options;

#define LW_HISTORY_BYTES  ((size_t)64 << 20)
#define LW_HISTORY_AGE_NS (INT64_C(3600) * 1000000000)

enum {
    LW_HISTORY_SAMPLES = 256,   /* moments remembered; when all are taken, the newest is widened */
    LW_HISTORY_AGE_STEPS = 64,  /* a sample spans at most this part of the age ... */
    LW_HISTORY_BYTE_STEPS = 32, /* ... and about this part of the bytes */
};

/* At this time this was the revision, and all changes up to it weighed so much. */
typedef struct lw_history_sample {
    uint64_t revision;
    uint64_t weight;
    int64_t at_ns;
    int64_t opened_ns; /* of the first change in it */
} lw_history_sample;

/* Which revision was when, and how much came after it: what to compact follows.  Revisions, weights
 * and times only rise.  One thread. */
typedef struct lw_history {
    lw_history_options options;
    uint64_t floor; /* weight as of the compacted revision */
    size_t count;
    lw_history_sample samples[LW_HISTORY_SAMPLES]; /* above the compacted revision, rising */
} lw_history;

/* Starts at a compacted revision whose weight is |floor|. */
void lw_history_init(lw_history *history, const lw_history_options *options, uint64_t floor);

/* There have been changes: |revision| is the last one. */
void lw_history_note(lw_history *history, uint64_t revision, uint64_t weight, int64_t now_ns);

/* The revision to compact to; 0: nothing is too old or too much.  Beyond the size, it leaves three
 * quarters, so that compaction is rare and in large pieces. */
uint64_t lw_history_target(const lw_history *history, int64_t now_ns);

/* It has been compacted to |revision|, whose weight is |floor|. */
void lw_history_compacted(lw_history *history, uint64_t revision, uint64_t floor);

/* When something will be too old; INT64_MAX: never. */
int64_t lw_history_deadline(const lw_history *history);

#endif
