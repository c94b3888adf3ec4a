/* SPDX-License-Identifier: Apache-2.0 */
/* store_shifted.c -- a store with an offset between its revisions and those of an inner store. */
#include "suite/store_shifted.h"

#include <stdlib.h>

#include "base/dlist.h"

typedef struct shifted {
    lw_store base;
    lw_store *inner;
    uint64_t by;
    lw_dlist watches; /* used by one thread at a time: that of the suite */
} shifted;

struct shifted_watch {
    shifted *store;
    lw_store_sink sink;
    lw_store_watch *inner;
    lw_dlist_node link;
};

/* An open transaction, with the callback and the guard of its owner. */
typedef struct passing {
    shifted *store;
    void (*done)(lw_store_txn *txn);
    void *arg;
    uint64_t expected;
} passing;

static shifted *shifted_of(lw_store *store)
{
    return (shifted *)(void *)store;
}

static void *take(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

/* Converts to a revision of the inner store; 0 (now, or absent) stays 0. */
static uint64_t in(const shifted *store, uint64_t revision)
{
    return revision == 0 || revision > UINT64_MAX - store->by ? revision : revision + store->by;
}

static uint64_t out(const shifted *store, uint64_t revision)
{
    return revision > store->by ? revision - store->by : 0;
}

static void txn_done(lw_store_txn *txn)
{
    passing *own = txn->arg;
    txn->revision = out(own->store, txn->revision);
    txn->expected = own->expected;
    txn->done = own->done;
    txn->arg = own->arg;
    free(own);
    txn->done(txn);
}

static lw_status submit(lw_store *base, lw_store_txn *txn)
{
    shifted *store = shifted_of(base);
    passing *own = take(sizeof(*own));
    *own = (passing){ store, txn->done, txn->arg, txn->expected };
    txn->done = txn_done;
    txn->arg = own;
    txn->expected = in(store, txn->expected);
    lw_status st = lw_store_submit(store->inner, txn);
    if (st < 0)
        free(own);
    return st;
}

typedef struct reading {
    const shifted *store;
    lw_store_record_fn fn;
    void *arg;
} reading;

static lw_status on_record(const lw_store_record *record, void *arg, lw_error *err)
{
    const reading *own = arg;
    lw_store_record shown = *record;
    shown.create_revision = out(own->store, record->create_revision);
    shown.mod_revision = out(own->store, record->mod_revision);
    return own->fn(&shown, own->arg, err);
}

static lw_status range(lw_store *base, const lw_store_range *wanted, lw_store_record_fn fn,
                       void *arg, lw_store_range_result *result, lw_error *err)
{
    shifted *store = shifted_of(base);
    reading own = { store, fn, arg };
    lw_store_range shown = *wanted;
    shown.revision = in(store, wanted->revision);
    lw_status st = lw_store_read(store->inner, &shown, on_record, &own, result, err);
    if (st == LW_OK)
        result->revision = out(store, result->revision);
    return st;
}

static void on_events(const lw_store_event *events, size_t count, uint64_t revision, void *arg)
{
    struct shifted_watch *watch = arg;
    lw_store_event *shown = take((count + 1) * sizeof(*shown));
    for (size_t i = 0; i < count; i++) {
        shown[i] = events[i];
        shown[i].revision = out(watch->store, events[i].revision);
    }
    watch->sink.on_events(shown, count, out(watch->store, revision), watch->sink.arg);
    free(shown);
}

static void on_compacted(uint64_t revision, void *arg)
{
    struct shifted_watch *watch = arg;
    if (watch->sink.on_compacted)
        watch->sink.on_compacted(out(watch->store, revision), watch->sink.arg);
}

static void on_end(const lw_error *err, void *arg)
{
    struct shifted_watch *watch = arg;
    if (watch->sink.on_end)
        watch->sink.on_end(err, watch->sink.arg);
}

static lw_status watch_open(lw_store *base, lw_str prefix, uint64_t after,
                            const lw_store_sink *sink, lw_store_watch **opened, lw_error *err)
{
    shifted *store = shifted_of(base);
    struct shifted_watch *watch = take(sizeof(*watch));
    watch->store = store;
    watch->sink = *sink;
    const lw_store_sink own = { on_events, on_compacted, on_end, watch };
    lw_status st =
        lw_store_watch_open(store->inner, prefix, after + store->by, &own, &watch->inner, err);
    if (st < 0) {
        free(watch);
        return st;
    }
    lw_dlist_push_back(&store->watches, &watch->link);
    *opened = (lw_store_watch *)(void *)watch;
    return LW_OK;
}

static void unwatch(lw_store *base, lw_store_watch *opened)
{
    struct shifted_watch *watch = (struct shifted_watch *)(void *)opened;
    lw_store_watch_close(shifted_of(base)->inner, watch->inner);
    lw_dlist_remove(&watch->link);
    free(watch);
}

static lw_status compact(lw_store *base, uint64_t revision, lw_error *err)
{
    shifted *store = shifted_of(base);
    return lw_store_compact(store->inner, in(store, revision), err);
}

static void revisions(lw_store *base, uint64_t *current, uint64_t *compacted)
{
    shifted *store = shifted_of(base);
    lw_store_revisions(store->inner, current, compacted);
    *current = out(store, *current);
    *compacted = out(store, *compacted);
}

static size_t bytes(lw_store *base)
{
    return lw_store_bytes(shifted_of(base)->inner);
}

static lw_status confirm(lw_store *base, lw_store_confirmation *confirmation)
{
    return lw_store_confirm(shifted_of(base)->inner, confirmation);
}

static void store_free(lw_store *base)
{
    shifted *store = shifted_of(base);
    lw_store_free(store->inner);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&store->watches));)
        free(LW_DLIST_ITEM(node, struct shifted_watch, link));
    free(store);
}

lw_store *store_shifted_new(lw_store *inner, uint64_t base)
{
    static const lw_store_ops ops = { .submit = submit,
                                      .range = range,
                                      .watch = watch_open,
                                      .unwatch = unwatch,
                                      .compact = compact,
                                      .revisions = revisions,
                                      .bytes = bytes,
                                      .confirm = confirm,
                                      .free = store_free };
    shifted *store = take(sizeof(*store));
    store->base.ops = &ops;
    store->inner = inner;
    store->by = base;
    lw_dlist_init(&store->watches);
    return &store->base;
}
