/* SPDX-License-Identifier: Apache-2.0 */
/* history.c -- decides which part of the history is too old or too large. */
#include "store/history.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

void lw_history_init(lw_history *history, const lw_history_options *options, uint64_t floor)
{
    *history = (lw_history){ .options = { LW_HISTORY_BYTES, LW_HISTORY_AGE_NS }, .floor = floor };
    if (options && options->max_bytes > 0)
        history->options.max_bytes = options->max_bytes;
    if (options && options->max_age_ns > 0)
        history->options.max_age_ns = options->max_age_ns;
}

/* The newest sample is extended instead of closed, so that an idle store still knows the age of its
 * last change. */
static bool newest_has_room(const lw_history *history, uint64_t weight, int64_t now_ns)
{
    const lw_history_sample *newest = &history->samples[history->count - 1];
    if (history->count == LW_HISTORY_SAMPLES)
        return true;
    uint64_t before = history->count > 1 ? newest[-1].weight : history->floor;
    return now_ns - newest->opened_ns < history->options.max_age_ns / LW_HISTORY_AGE_STEPS &&
           weight - before <= history->options.max_bytes / LW_HISTORY_BYTE_STEPS;
}

void lw_history_note(lw_history *history, uint64_t revision, uint64_t weight, int64_t now_ns)
{
    if (history->count == 0 || !newest_has_room(history, weight, now_ns))
        history->samples[history->count++].opened_ns = now_ns;
    lw_history_sample *newest = &history->samples[history->count - 1];
    newest->revision = revision;
    newest->weight = weight;
    newest->at_ns = now_ns;
}

static uint64_t target_by_age(const lw_history *history, int64_t now_ns)
{
    uint64_t target = 0;
    for (size_t i = 0; i < history->count; i++) {
        if (now_ns - history->samples[i].at_ns >= history->options.max_age_ns)
            target = history->samples[i].revision;
    }
    return target;
}

static uint64_t target_by_bytes(const lw_history *history)
{
    uint64_t weight = history->samples[history->count - 1].weight;
    if (weight - history->floor <= history->options.max_bytes)
        return 0;
    size_t kept = history->options.max_bytes / 4 * 3;
    size_t at = 0;
    while (weight - history->samples[at].weight > kept)
        at++;
    return history->samples[at].revision;
}

uint64_t lw_history_target(const lw_history *history, int64_t now_ns)
{
    if (history->count == 0)
        return 0;
    uint64_t by_age = target_by_age(history, now_ns);
    uint64_t by_bytes = target_by_bytes(history);
    return by_age > by_bytes ? by_age : by_bytes;
}

void lw_history_compacted(lw_history *history, uint64_t revision, uint64_t floor)
{
    size_t gone = 0;
    while (gone < history->count && history->samples[gone].revision <= revision)
        gone++;
    history->count -= gone;
    memmove(history->samples, history->samples + gone, history->count * sizeof(lw_history_sample));
    history->floor = floor;
}

int64_t lw_history_deadline(const lw_history *history)
{
    if (history->count == 0 || history->samples[0].at_ns > INT64_MAX - history->options.max_age_ns)
        return INT64_MAX;
    return history->samples[0].at_ns + history->options.max_age_ns;
}
