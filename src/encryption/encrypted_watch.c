/* SPDX-License-Identifier: Apache-2.0 */
/* encrypted_watch.c -- a watch of an encrypted store: decrypts the values of changes that have no
 * attachment, which are those of the history and those of other servers.
 *
 * A value that cannot be decrypted does not end the watch, which may be that of all resources: the
 * change says so (lw_store_event.unreadable). */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "encryption/encrypted_store_internal.h"

typedef struct encrypted_watch {
    lw_encrypted_store *store;
    lw_store_sink sink;
    lw_store_watch *inner;
    lw_dlist_node link; /* in store->watches */
    bool is_over;       /* the sink was told that the watch has ended */
    /* Used during a call of on_events. */
    lw_store_event *shown;
    size_t room;
    lw_buf values;
    lw_error why;
} encrypted_watch;

static bool needs_value(const lw_store_event *event)
{
    return !event->is_delete && !event->attachment;
}

/* Makes room for a copy of |events| and for all their values at once, so that views of the values
 * stay valid. */
static bool reserve(encrypted_watch *watch, const lw_store_event *events, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (needs_value(&events[i]) && lw_encryption_is_encrypted(events[i].value))
            bytes += events[i].value.len + LW_ENCRYPTION_OVERHEAD;
    }
    lw_buf_init(&watch->values, bytes);
    if (count > watch->room) {
        lw_store_event *shown = lw_realloc_array(watch->shown, count, sizeof(*shown));
        if (!shown)
            return false;
        watch->shown = shown;
        watch->room = count;
    }
    return lw_buf_reserve(&watch->values, bytes) == LW_OK;
}

static void on_end(const lw_error *err, void *arg)
{
    encrypted_watch *watch = arg;
    bool was_over = watch->is_over;
    watch->is_over = true;
    if (!was_over && watch->sink.on_end)
        watch->sink.on_end(err, watch->sink.arg);
}

static void decrypt_event(encrypted_watch *watch, lw_store_event *event)
{
    lw_error why = LW_ERROR_INIT;
    lw_status st =
        lw_encryption_open(lw_encrypted_store_keys(watch->store, event->key), event->key,
                           event->value, &watch->values, &event->value, &event->is_stale, &why);
    if (st < 0) {
        if (watch->why.code == LW_OK)
            watch->why = why; /* the first one; who reads the others needs no more */
        event->unreadable = &watch->why;
        event->value = LW_STR("");
    }
}

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    encrypted_watch *watch = arg;
    size_t first = 0;
    if (watch->is_over)
        return;
    while (first < count && !needs_value(&events[first]))
        first++;
    if (first == count) {
        watch->sink.on_events(events, count, revision, watch->sink.arg);
        return;
    }
    if (!reserve(watch, events, count)) {
        lw_error err = LW_ERROR_INIT;
        (void)lw_error_nomem(&err);
        lw_buf_done(&watch->values);
        on_end(&err, watch);
        return;
    }
    watch->why = (lw_error)LW_ERROR_INIT;
    for (size_t i = 0; i < count; i++) {
        watch->shown[i] = events[i];
        if (needs_value(&events[i]))
            decrypt_event(watch, &watch->shown[i]);
    }
    watch->sink.on_events(watch->shown, count, revision, watch->sink.arg);
    lw_buf_done(&watch->values);
}

static void on_compacted(uint64_t revision, void *arg)
{
    encrypted_watch *watch = arg;
    if (!watch->is_over && watch->sink.on_compacted)
        watch->sink.on_compacted(revision, watch->sink.arg);
}

static void watch_free(encrypted_watch *watch)
{
    lw_free(watch->shown);
    lw_free(watch);
}

lw_status lw_encrypted_watch_open(lw_store *base, lw_str prefix, uint64_t after,
                                  const lw_store_sink *sink, lw_store_watch **out, lw_error *err)
{
    lw_encrypted_store *store = (lw_encrypted_store *)(void *)base;
    encrypted_watch *watch = lw_alloc_zero(1, sizeof(*watch));
    if (!watch)
        return lw_error_nomem(err);
    watch->store = store;
    watch->sink = *sink;
    const lw_store_sink own = { on_events, on_compacted, on_end, watch };
    lw_status st = lw_store_watch_open(store->inner, prefix, after, &own, &watch->inner, err);
    if (st < 0) {
        watch_free(watch);
        return st;
    }
    lw_mutex_lock(&store->mu);
    lw_dlist_push_back(&store->watches, &watch->link);
    lw_mutex_unlock(&store->mu);
    *out = (lw_store_watch *)(void *)watch;
    return LW_OK;
}

void lw_encrypted_watch_close(lw_store *base, lw_store_watch *opened)
{
    lw_encrypted_store *store = (lw_encrypted_store *)(void *)base;
    encrypted_watch *watch = (encrypted_watch *)(void *)opened;
    lw_store_watch_close(store->inner, watch->inner);
    lw_mutex_lock(&store->mu);
    lw_dlist_remove(&watch->link);
    lw_mutex_unlock(&store->mu);
    watch_free(watch);
}

void lw_encrypted_watches_free(lw_encrypted_store *store)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&store->watches));)
        watch_free(LW_DLIST_ITEM(node, encrypted_watch, link));
}
