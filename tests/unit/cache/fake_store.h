/* SPDX-License-Identifier: Apache-2.0 */
/* fake_store.h -- a store for tests of the cache: a log of changes, read the slow and obvious way,
 * told to its watches by whoever calls.  One thread; none of the library's memory. */
#ifndef LW_TESTS_UNIT_CACHE_FAKE_STORE_H
#define LW_TESTS_UNIT_CACHE_FAKE_STORE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/str.h"
#include "store/store.h"

enum {
    FAKE_CHANGES_MAX = 20000,
    FAKE_KEY_SIZE = 96,
    FAKE_VALUE_SIZE = 240,
    FAKE_WATCHES_MAX = 8,
    FAKE_PREFIX_SIZE = 64,
};

typedef struct fake_change {
    char key[FAKE_KEY_SIZE];
    char value[FAKE_VALUE_SIZE];
    bool is_delete;
} fake_change;

struct lw_store_watch {
    bool is_open;
    char prefix[FAKE_PREFIX_SIZE];
    lw_store_sink sink;
};

/* The change with revision r is changes[r - 1]. */
typedef struct fake_store {
    lw_store base;
    fake_change *changes;
    uint64_t current, compacted;
    struct lw_store_watch watches[FAKE_WATCHES_MAX];
    bool compacts_under_hands; /* the next read of the past finds it gone, once */
    lw_status watch_fails;     /* what opening a watch answers */
    unsigned reads;
    /* Each is called once, and may put: before a new watch is told of the past, when it has been
     * but is not told yet of what comes, and before a watch is closed. */
    void (*before_replay)(void *arg);
    void (*after_replay)(void *arg);
    void (*before_close)(void *arg);
    void *arg;
} fake_store;

static inline fake_store *fake_of(lw_store *store)
{
    return (fake_store *)(void *)store;
}

/* What |key| was at |revision|: the number of the change, or 0. */
static inline uint64_t fake_find(const fake_store *fake, const char *key, uint64_t revision)
{
    for (uint64_t r = revision; r > 0; r--) {
        if (strcmp(fake->changes[r - 1].key, key) == 0)
            return fake->changes[r - 1].is_delete ? 0 : r;
    }
    return 0;
}

/* The lowest key of the range that lives at |revision|; 0: none. */
static inline uint64_t fake_lowest(const fake_store *fake, lw_str start, lw_str end,
                                   uint64_t revision)
{
    uint64_t lowest = 0;
    for (uint64_t r = 1; r <= revision; r++) {
        lw_str key = lw_str_of(fake->changes[r - 1].key);
        if (lw_str_compare(key, start) < 0 || (end.len && lw_str_compare(key, end) >= 0) ||
            (lowest && lw_str_compare(key, lw_str_of(fake->changes[lowest - 1].key)) >= 0))
            continue;
        uint64_t found = fake_find(fake, key.ptr, revision);
        if (found)
            lowest = found;
    }
    return lowest;
}

/* A store with checksums asks the reader. */
static inline bool fake_is_known(const lw_store *store, const lw_store_range *range,
                                 const lw_store_record *record, void *arg)
{
    const lw_store_head head = { .key = record->key,
                                 .mod_revision = record->mod_revision,
                                 .checksum = lw_crc32c(0, record->value.ptr, record->value.len) };
    return range->has && lw_store_has_checksums(store) && range->has(&head, arg);
}

static inline lw_status fake_range(lw_store *store, const lw_store_range *range,
                                   lw_store_record_fn fn, void *arg, lw_store_range_result *result,
                                   lw_error *err)
{
    fake_store *fake = fake_of(store);
    fake->reads++;
    uint64_t revision = range->revision ? range->revision : fake->current;
    if (fake->compacts_under_hands) {
        fake->compacts_under_hands = false;
        fake->compacted = fake->current;
    }
    if (revision < fake->compacted)
        return lw_error_set(err, LW_ERR_EXPIRED, "compacted");
    if (revision > fake->current)
        return lw_error_set(err, LW_ERR_TOO_LARGE_RV, "in the future");
    *result = (lw_store_range_result){ .revision = revision };
    char start[FAKE_KEY_SIZE + 1] = "";
    lw_str from = range->start;
    size_t count = 0;
    for (uint64_t r; (r = fake_lowest(fake, from, range->end, revision)); count++) {
        const fake_change *change = &fake->changes[r - 1];
        lw_store_record record = { .key = lw_str_of(change->key),
                                   .value = lw_str_of(change->value),
                                   .create_revision = r,
                                   .mod_revision = r };
        if (range->limit && count >= range->limit) {
            result->has_more = true;
            if (!range->is_counting)
                break;
            result->remaining++;
        } else if (!fake_is_known(store, range, &record, arg)) {
            lw_status st = fn(&record, arg, err);
            if (st < 0)
                return st;
        }
        memcpy(start, change->key, strlen(change->key) + 1); /* its NUL is part of the next key */
        from = lw_str_make(start, strlen(start) + 1);
    }
    return LW_OK;
}

static inline void fake_tell(fake_store *fake, struct lw_store_watch *watch, uint64_t revision,
                             void *attachment)
{
    const fake_change *change = &fake->changes[revision - 1];
    lw_store_event event = { .key = lw_str_of(change->key),
                             .value = lw_str_of(change->is_delete ? "" : change->value),
                             .revision = revision,
                             .is_delete = change->is_delete,
                             .attachment = attachment };
    bool is_ours = lw_str_starts_with(event.key, lw_str_of(watch->prefix));
    watch->sink.on_events(&event, is_ours, revision, watch->sink.arg);
}

/* Commits a change; the value NULL deletes.  Returns its revision. */
static inline uint64_t fake_commit(fake_store *fake, const char *key, const char *value,
                                   void *attachment)
{
    if (fake->current == FAKE_CHANGES_MAX)
        abort();
    fake_change *change = &fake->changes[fake->current++];
    (void)snprintf(change->key, sizeof(change->key), "%s", key);
    (void)snprintf(change->value, sizeof(change->value), "%s", value ? value : "");
    change->is_delete = !value;
    for (size_t i = 0; i < FAKE_WATCHES_MAX; i++) {
        if (fake->watches[i].is_open)
            fake_tell(fake, &fake->watches[i], fake->current, attachment);
    }
    return fake->current;
}

static inline void fake_call_once(fake_store *fake, void (**call)(void *arg))
{
    void (*once)(void *arg) = *call;
    *call = NULL;
    if (once)
        once(fake->arg);
}

static inline lw_status fake_watch(lw_store *store, lw_str prefix, uint64_t after,
                                   const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    fake_store *fake = fake_of(store);
    if (fake->watch_fails < 0)
        return lw_error_set(err, fake->watch_fails, "no watch today");
    if (after < fake->compacted)
        return lw_error_set(err, LW_ERR_EXPIRED, "compacted");
    struct lw_store_watch *watch = fake->watches;
    while (watch->is_open)
        watch++;
    if (watch == fake->watches + FAKE_WATCHES_MAX)
        abort();
    *watch = (struct lw_store_watch){ .sink = *sink };
    (void)snprintf(watch->prefix, sizeof(watch->prefix), "%.*s", (int)prefix.len, prefix.ptr);
    fake_call_once(fake, &fake->before_replay);
    for (uint64_t r = after + 1; r <= fake->current; r++)
        fake_tell(fake, watch, r, NULL);
    fake_call_once(fake, &fake->after_replay);
    watch->is_open = true;
    *out = watch;
    return LW_OK;
}

static inline void fake_unwatch(lw_store *store, lw_store_watch *watch)
{
    fake_call_once(fake_of(store), &fake_of(store)->before_close);
    watch->is_open = false;
}

static inline lw_status fake_compact(lw_store *store, uint64_t revision, lw_error *err)
{
    fake_store *fake = fake_of(store);
    (void)err;
    fake->compacted = revision;
    for (size_t i = 0; i < FAKE_WATCHES_MAX; i++) {
        if (fake->watches[i].is_open && fake->watches[i].sink.on_compacted)
            fake->watches[i].sink.on_compacted(revision, fake->watches[i].sink.arg);
    }
    return LW_OK;
}

/* Ends every watch, as a store does that has lost its backend. */
static inline void fake_cut(fake_store *fake)
{
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_UNAVAILABLE, "cut");
    for (size_t i = 0; i < FAKE_WATCHES_MAX; i++) {
        if (!fake->watches[i].is_open)
            continue;
        fake->watches[i].is_open = false;
        if (fake->watches[i].sink.on_end)
            fake->watches[i].sink.on_end(&err, fake->watches[i].sink.arg);
    }
}

static inline void fake_revisions(lw_store *store, uint64_t *current, uint64_t *compacted)
{
    *current = fake_of(store)->current;
    *compacted = fake_of(store)->compacted;
}

static inline void fake_init(fake_store *fake)
{
    static const lw_store_ops ops = { .range = fake_range,
                                      .watch = fake_watch,
                                      .unwatch = fake_unwatch,
                                      .compact = fake_compact,
                                      .revisions = fake_revisions };
    *fake = (fake_store){ .base = { &ops } };
    fake->changes = calloc(FAKE_CHANGES_MAX, sizeof(fake_change));
    if (!fake->changes)
        abort();
}

/* As fake_init: a store that has checksums. */
static inline void fake_init_checked(fake_store *fake)
{
    static lw_store_ops ops;
    fake_init(fake);
    ops = *fake->base.ops;
    ops.has_checksums = true;
    fake->base.ops = &ops;
}

static inline void fake_done(fake_store *fake)
{
    free(fake->changes);
}

/* Puts the object |ns|/|name| (ns NULL: "name") of |resource| with the label app=|app|. */
static inline uint64_t fake_put(fake_store *fake, const char *resource, const char *ns,
                                const char *name, const char *app)
{
    char key[FAKE_KEY_SIZE], value[FAKE_VALUE_SIZE];
    (void)snprintf(key, sizeof(key), "/registry/%s/%s%s%s", resource, ns ? ns : "", ns ? "/" : "",
                   name);
    (void)snprintf(value, sizeof(value),
                   "{\"kind\":\"Thing\",\"metadata\":{\"name\":\"%s\"%s%s%s,"
                   "\"labels\":{\"app\":\"%s\"},\"managedFields\":[]}}",
                   name, ns ? ",\"namespace\":\"" : "", ns ? ns : "", ns ? "\"" : "", app);
    return fake_commit(fake, key, value, NULL);
}

static inline uint64_t fake_delete(fake_store *fake, const char *resource, const char *ns,
                                   const char *name)
{
    char key[FAKE_KEY_SIZE];
    (void)snprintf(key, sizeof(key), "/registry/%s/%s%s%s", resource, ns ? ns : "", ns ? "/" : "",
                   name);
    return fake_commit(fake, key, NULL, NULL);
}

#endif
