/* SPDX-License-Identifier: Apache-2.0 */
/* fake_provider_core.h -- the state of the fake API server; private to fake_provider*.c.
 *
 * Objects are in an array sorted by resource and key, the history in another sorted by revision.
 * Threads: |mu| guards everything.  It is held while sinks are called, which must not call back. */
#ifndef LW_TESTS_SUPPORT_FAKE_PROVIDER_CORE_H
#define LW_TESTS_SUPPORT_FAKE_PROVIDER_CORE_H

#include <listwatch/label_selector.h>

#include "base/dlist.h"
#include "base/sync.h"
#include "support/fake_provider.h"

enum {
    FAKE_TEXT_SIZE = 256,
};

typedef struct stored {
    char *resource;
    lw_object *object;
    uint64_t generation; /* part of the uid */
} stored;

typedef struct past_event {
    lw_watch_event_type type;
    uint64_t revision;
    char *resource;
    lw_object *object;
    lw_object *before; /* the previous object of MODIFIED, for selectors */
    bool is_lost;      /* not sent to watches that were open before it */
} past_event;

struct fake_provider {
    lw_provider base;
    int fd;
    lw_mutex mu;
    stored *objects;
    size_t object_count, object_slots;
    past_event *events;
    size_t event_count, event_slots;
    uint64_t revision, compacted, generations;
    lw_dlist calls;      /* list of fake_call.link */
    const char *cluster; /* NULL: not known */
    bool is_lossy, is_held, has_streams;
    unsigned list_failures, watch_failures;
    lw_error list_error, watch_error;
    fake_provider_counts counts;
};

typedef struct fake_source {
    lw_source base;
    fake_provider *fake;
    char resource[FAKE_TEXT_SIZE];
    char ns[FAKE_TEXT_SIZE];
    lw_label_selector *selector;
} fake_source;

typedef struct fake_call {
    lw_dlist_node link;
    fake_source *source;
    lw_source_sink sink;
    bool is_watch, is_open;
    bool is_over; /* nothing more is sent; the caller cancels */
    bool tells_state, ends_state, wants_bookmark;
    bool is_ended;   /* ended by the test */
    bool has_failed; /* |error| must be reported */
    lw_error error;
    int64_t limit;
    uint64_t revision;          /* lists: the revision of the first page */
    uint64_t opened_at;         /* the revision when the watch began */
    uint64_t cursor;            /* watches: events up to it were sent */
    char after[FAKE_TEXT_SIZE]; /* lists: the key before the first of the page */
    char rv[FAKE_TEXT_SIZE];
} fake_call;

/* Makes the descriptor readable, so that dispatch is called. */
void fake_provider__poke(fake_provider *fake);

/* Drops the history. */
void fake_provider__forget_events(fake_provider *fake);

/* Parses "ns/name" as a key. */
lw_key fake_provider__key_of(const char *text);

/* Makes an object of |resource| as the server would show it; NULL: out of memory. */
lw_object *fake_provider__make_object(const char *resource, lw_key key, uint64_t revision,
                                      uint64_t generation, const char *app, const char *members);

#endif
