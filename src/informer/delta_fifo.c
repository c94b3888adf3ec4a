/* SPDX-License-Identifier: Apache-2.0 */
/* delta_fifo.c -- ordered queue of changes between the reflector and the controller.
 *
 *   arrival:   A+  B+  A~  |R|  A-  C+        all deltas; |R| concerns all keys
 *   of key A:  A+ ─── A~ ─────── A-           the same deltas, in a second list
 *                era 0     era 1              by key, A+ and A~ leave together; A- waits for |R|
 *
 * Invariant, by key: each delta of an object is in |arrival| and in the list of its key, in the
 * same order; a key without deltas is not in |keys|.  In the order of arrival, only |arrival| is
 * used. */
#include "informer/delta_fifo.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "object/key.h"

/* The deltas of one object.  |key| points into the oldest object. */
typedef struct key_deltas {
    lw_key key;
    lw_dlist deltas; /* of lw_delta.of_key */
} key_deltas;

struct lw_delta_fifo {
    lw_dlist arrival; /* of lw_delta.arrival */
    lw_map keys;      /* of key_deltas; empty unless |is_by_key| */
    size_t count, max;
    uint64_t era;
    bool is_by_key;
    bool is_initial_popped; /* the first Replace was popped */
    bool has_synced;
};

static uint64_t key_hash(const void *key, lw_hash_seed seed)
{
    return lw_key_hash(seed, *(const lw_key *)key);
}

static bool deltas_have_key(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_key_equal(((const key_deltas *)entry)->key, *(const lw_key *)key);
}

static const lw_map_type deltas_by_key = { .hash = key_hash, .has_key = deltas_have_key };

lw_status lw_delta_fifo_new(lw_delta_fifo **out, const lw_delta_fifo_options *options)
{
    lw_delta_fifo *fifo = lw_alloc_zero(1, sizeof(*fifo));
    if (!fifo)
        return LW_ERR_NOMEM;
    fifo->max = options && options->max_deltas ? options->max_deltas : LW_DELTA_FIFO_MAX;
    fifo->is_by_key = options && options->is_by_key;
    lw_dlist_init(&fifo->arrival);
    lw_map_init(&fifo->keys, &deltas_by_key, lw_hash_seed_random(), LW_MAP_MAX);
    *out = fifo;
    return LW_OK;
}

void lw_delta_fifo_free(lw_delta_fifo *fifo)
{
    lw_dlist deltas;
    if (!fifo)
        return;
    while (lw_delta_fifo_pop(fifo, &deltas)) {
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        lw_delta_free(delta);
    }
    lw_map_done(&fifo->keys);
    lw_free(fifo);
}

void lw_delta_free(lw_delta *delta)
{
    if (!delta)
        return;
    assert(!lw_dlist_node_is_linked(&delta->of_key));
    if (lw_dlist_node_is_linked(&delta->arrival))
        lw_dlist_remove(&delta->arrival);
    lw_object_unref(delta->object);
    lw_replacement_free(delta->replacement);
    lw_free(delta->rv);
    lw_free(delta);
}

/* Queueing. */

static lw_status delta_new(const lw_delta_fifo *fifo, lw_delta_type type, lw_delta **out)
{
    if (fifo->count >= fifo->max)
        return LW_ERR_LIMIT;
    lw_delta *delta = lw_alloc_zero(1, sizeof(*delta));
    if (!delta)
        return LW_ERR_NOMEM;
    delta->type = type;
    delta->era = fifo->era;
    *out = delta;
    return LW_OK;
}

static void arrive(lw_delta_fifo *fifo, lw_delta *delta)
{
    lw_dlist_push_back(&fifo->arrival, &delta->arrival);
    fifo->count++;
}

/* Gets the list of the key of |obj|; makes an empty one if there is none. */
static lw_status find_or_make_key(lw_delta_fifo *fifo, const lw_object *obj, key_deltas **out)
{
    lw_key key = lw_object_key(obj);
    void *replaced;
    *out = lw_map_get(&fifo->keys, &key);
    if (*out)
        return LW_OK;
    key_deltas *of_key = lw_alloc(sizeof(*of_key));
    if (!of_key)
        return LW_ERR_NOMEM;
    of_key->key = key;
    lw_dlist_init(&of_key->deltas);
    lw_status st = lw_map_put(&fifo->keys, &key, of_key, &replaced);
    if (st < 0) {
        lw_free(of_key);
        return st;
    }
    *out = of_key;
    return LW_OK;
}

/* Returns true if the last delta of the key is its deletion and no delta that concerns all keys
 * follows it.  Like the DeltaFIFO of client-go, the older of two deletions is kept. */
static bool is_deleted_already(const lw_delta_fifo *fifo, lw_key key)
{
    key_deltas *of_key = lw_map_get(&fifo->keys, &key);
    if (!of_key)
        return false;
    lw_delta *last = LW_DLIST_ITEM(lw_dlist_last(&of_key->deltas), lw_delta, of_key);
    return last->type == LW_DELTA_DELETED && last->era == fifo->era;
}

static lw_status queue_object(lw_delta_fifo *fifo, lw_delta_type type, const lw_object *obj)
{
    key_deltas *of_key = NULL;
    lw_delta *delta = NULL;
    lw_status st = delta_new(fifo, type, &delta);
    if (st < 0)
        return st;
    if (fifo->is_by_key)
        st = find_or_make_key(fifo, obj, &of_key);
    if (st < 0) {
        lw_delta_free(delta);
        return st;
    }
    delta->object = lw_object_ref(obj);
    if (of_key)
        lw_dlist_push_back(&of_key->deltas, &delta->of_key);
    arrive(fifo, delta);
    return LW_OK;
}

lw_status lw_delta_fifo_add(lw_delta_fifo *fifo, const lw_object *obj)
{
    return queue_object(fifo, LW_DELTA_ADDED, obj);
}

lw_status lw_delta_fifo_update(lw_delta_fifo *fifo, const lw_object *obj)
{
    return queue_object(fifo, LW_DELTA_UPDATED, obj);
}

lw_status lw_delta_fifo_delete(lw_delta_fifo *fifo, const lw_object *obj)
{
    if (fifo->is_by_key && is_deleted_already(fifo, lw_object_key(obj)))
        return LW_OK;
    return queue_object(fifo, LW_DELTA_DELETED, obj);
}

/* Returns the newest delta if it has the |type|, otherwise NULL. */
static lw_delta *newest_of_type(const lw_delta_fifo *fifo, lw_delta_type type)
{
    lw_delta *newest = LW_DLIST_ITEM(lw_dlist_last(&fifo->arrival), lw_delta, arrival);
    return newest && newest->type == type ? newest : NULL;
}

/* Queues a delta that concerns all keys; |rv| may be NULL. */
static lw_status queue_for_all(lw_delta_fifo *fifo, lw_delta_type type, const char *rv,
                               lw_delta **out)
{
    lw_delta *delta = NULL;
    lw_status st = delta_new(fifo, type, &delta);
    if (st < 0)
        return st;
    if (rv) {
        delta->rv = lw_str_dup(lw_str_of(rv));
        if (!delta->rv) {
            lw_delta_free(delta);
            return LW_ERR_NOMEM;
        }
    }
    arrive(fifo, delta);
    fifo->era++;
    *out = delta;
    return LW_OK;
}

lw_status lw_delta_fifo_bookmark(lw_delta_fifo *fifo, const char *rv)
{
    lw_delta *newest = newest_of_type(fifo, LW_DELTA_BOOKMARK);
    if (!newest)
        return queue_for_all(fifo, LW_DELTA_BOOKMARK, rv, &newest);
    char *later = lw_str_dup(lw_str_of(rv));
    if (!later)
        return LW_ERR_NOMEM;
    lw_free(newest->rv);
    newest->rv = later;
    return LW_OK;
}

lw_status lw_delta_fifo_resync(lw_delta_fifo *fifo)
{
    lw_delta *newest = newest_of_type(fifo, LW_DELTA_SYNC);
    return newest ? LW_OK : queue_for_all(fifo, LW_DELTA_SYNC, NULL, &newest);
}

lw_status lw_delta_fifo_replace_take(lw_delta_fifo *fifo, lw_replacement *replacement,
                                     const char *rv)
{
    lw_delta *delta = NULL;
    lw_status st = queue_for_all(fifo, LW_DELTA_REPLACED, rv, &delta);
    if (st < 0) {
        lw_replacement_free(replacement);
        return st;
    }
    lw_replacement_finish(replacement);
    delta->replacement = replacement;
    return LW_OK;
}

/* Popping. */

/* Moves |delta|, the oldest of its key, from the queue to |deltas|. */
static void leave(lw_delta_fifo *fifo, key_deltas *of_key, lw_delta *delta, lw_dlist *deltas)
{
    if (of_key)
        lw_dlist_remove(&delta->of_key);
    lw_dlist_remove(&delta->arrival);
    lw_dlist_push_back(deltas, &delta->arrival);
    fifo->count--;
}

static lw_delta *oldest_of(const key_deltas *of_key)
{
    return LW_DLIST_ITEM(lw_dlist_first(&of_key->deltas), lw_delta, of_key);
}

/* Pops |first| and the following deltas of its key in the same era. */
static void pop_key(lw_delta_fifo *fifo, lw_delta *first, lw_dlist *deltas)
{
    lw_key key = lw_object_key(first->object);
    key_deltas *of_key = lw_map_get(&fifo->keys, &key);
    assert(of_key && oldest_of(of_key) == first);
    lw_delta *next = first;
    do {
        leave(fifo, of_key, next, deltas);
        next = oldest_of(of_key);
    } while (next && next->era == first->era);
    if (next) {
        of_key->key = lw_object_key(next->object); /* equal bytes that live longer */
    } else {
        (void)lw_map_remove(&fifo->keys, &key);
        lw_free(of_key);
    }
}

bool lw_delta_fifo_pop(lw_delta_fifo *fifo, lw_dlist *deltas)
{
    lw_dlist_init(deltas);
    lw_delta *first = LW_DLIST_ITEM(lw_dlist_first(&fifo->arrival), lw_delta, arrival);
    if (!first)
        return false;
    if (first->object && fifo->is_by_key)
        pop_key(fifo, first, deltas);
    else
        leave(fifo, NULL, first, deltas);
    if (first->type == LW_DELTA_REPLACED)
        fifo->is_initial_popped = true;
    return true;
}

size_t lw_delta_fifo_count(const lw_delta_fifo *fifo)
{
    return fifo->count;
}

void lw_delta_fifo_processed(lw_delta_fifo *fifo)
{
    fifo->has_synced = fifo->is_initial_popped;
}

bool lw_delta_fifo_has_synced(const lw_delta_fifo *fifo)
{
    return fifo->has_synced;
}
