/* SPDX-License-Identifier: Apache-2.0 */
/* model_history.h -- a model of the objects of a server: every change with its revision, and how
 * far back the history goes.
 *
 * A test generates a history and derives the expected state at each revision from it. */
#ifndef LW_TESTS_SUPPORT_MODEL_HISTORY_H
#define LW_TESTS_SUPPORT_MODEL_HISTORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <listwatch/watch_event.h>

#include "base/random.h"

enum {
    MODEL_NAMES = 8,
    MODEL_EVENTS = 512,
    MODEL_FIRST_RV = 100,
};

typedef struct model_event {
    lw_watch_event_type type;
    unsigned name;
    uint64_t rv;
    unsigned generation; /* how often the name was created */
} model_event;

/* The state of one name; rv 0: there is no such object. */
typedef struct model_object {
    uint64_t rv;
    unsigned generation;
} model_object;

typedef struct model_history {
    model_event log[MODEL_EVENTS];
    size_t count;
    uint64_t rv, compacted;
} model_history;

static inline void model_history_init(model_history *h)
{
    h->count = 0;
    h->rv = MODEL_FIRST_RV;
    h->compacted = MODEL_FIRST_RV;
}

static inline void model_history_state_at(const model_history *h, uint64_t rv, model_object *state)
{
    memset(state, 0, MODEL_NAMES * sizeof(*state));
    for (size_t i = 0; i < h->count && h->log[i].rv <= rv; i++) {
        const model_event *event = &h->log[i];
        state[event->name].rv = event->type == LW_WATCH_DELETED ? 0 : event->rv;
        state[event->name].generation = event->generation;
    }
}

/* Creates, changes or deletes a random object. */
static inline void model_history_mutate(model_history *h, lw_random *random)
{
    model_object state[MODEL_NAMES];
    if (h->count == MODEL_EVENTS)
        return;
    unsigned name = (unsigned)lw_random_below(random, MODEL_NAMES);
    model_history_state_at(h, h->rv, state);
    bool is_there = state[name].rv != 0;
    lw_watch_event_type type = !is_there                         ? LW_WATCH_ADDED
                               : lw_random_below(random, 3) == 0 ? LW_WATCH_DELETED
                                                                 : LW_WATCH_MODIFIED;
    h->rv += 1 + lw_random_below(random, 3); /* revisions of other resources */
    h->log[h->count++] =
        (model_event){ type, name, h->rv, state[name].generation + (is_there ? 0 : 1) };
}

/* Compacts a part of the history, or all of it. */
static inline void model_history_compact(model_history *h, lw_random *random)
{
    h->compacted += lw_random_below(random, h->rv - h->compacted + 1);
}

/* Returns the first event after |rv|, or NULL. */
static inline const model_event *model_history_after(const model_history *h, uint64_t rv)
{
    for (size_t i = 0; i < h->count; i++) {
        if (h->log[i].rv > rv)
            return &h->log[i];
    }
    return NULL;
}

/* The same for one name. */
static inline const model_event *model_history_after_of(const model_history *h, uint64_t rv,
                                                        unsigned name)
{
    for (size_t i = 0; i < h->count; i++) {
        if (h->log[i].rv > rv && h->log[i].name == name)
            return &h->log[i];
    }
    return NULL;
}

#endif
