/* SPDX-License-Identifier: Apache-2.0 */
/* indexer.c -- the cache that informers fill and listers read.
 *
 * There are two locks, taken in this order:
 *   writer   one change at a time; guards |definitions| and the right to replace |index|
 *   lock     excludes readers during a change; guards |index| and the data it points to
 * A put or remove holds both for less than a microsecond.  To replace everything or to add an
 * index, the writer builds a new lw_object_index while readers use the old one, and then swaps the
 * two. References are released and |on_change| is called without a lock. */
#include "informer/index/indexer.h"

#include <assert.h>
#include <stdatomic.h>

#include <listwatch/match.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "informer/index/object_index.h"
#include "object/object.h"

enum {
    PREFETCH = 8, /* objects are scattered in memory: number of objects to prefetch */
    CACHE_LINE = 64,
    HEAD_LINES = 3,     /* cache lines of an object, up to its names */
    PACK_OBJECTS = 64,  /* objects that are packed in one turn ... */
    PACK_PLACES = 4096, /* ... of so many that are looked at */
};

struct lw_indexer {
    lw_mutex writer;
    lw_rwlock lock_itself;
    lw_rwlock *lock; /* &lock_itself: reading changes only the lock */
    lw_object_index *index;
    lw_object_index_definition *definitions[LW_INDEXES_MAX];
    size_t definition_count;
    _Atomic uint64_t revision;
    lw_lister lister;
};

/* The built-in index.  Cluster-scoped objects are not in it. */
static void index_namespace(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                            void *arg)
{
    (void)arg;
    lw_str ns = lw_object_key(obj).ns;
    if (ns.len > 0)
        add(to, ns);
}

static lw_object_index_definition *definition_new(const char *name, lw_index_fn fn, void *arg)
{
    size_t size = strlen(name) + 1;
    lw_object_index_definition *definition = lw_alloc(sizeof(*definition) + size);
    if (!definition)
        return NULL;
    char *copy = (char *)(definition + 1);
    memcpy(copy, name, size);
    *definition = (lw_object_index_definition){ .name = copy, .fn = fn, .arg = arg };
    return definition;
}

static lw_status index_new(const lw_indexer *indexer, lw_object_index **out)
{
    return lw_object_index_new(out, (const lw_object_index_definition *const *)indexer->definitions,
                               indexer->definition_count);
}

lw_status lw_indexer_new(lw_indexer **out)
{
    lw_indexer *indexer = lw_alloc_zero(1, sizeof(*indexer));
    if (!indexer)
        return LW_ERR_NOMEM;
    lw_mutex_init(&indexer->writer);
    lw_rwlock_init(&indexer->lock_itself);
    indexer->lock = &indexer->lock_itself;
    indexer->lister.indexer = indexer;
    lw_status st = LW_ERR_NOMEM;
    indexer->definitions[0] = definition_new("namespace", index_namespace, NULL);
    if (indexer->definitions[0]) {
        indexer->definition_count = 1;
        st = index_new(indexer, &indexer->index);
    }
    if (st < 0) {
        lw_indexer_free(indexer);
        return st;
    }
    *out = indexer;
    return LW_OK;
}

void lw_indexer_free(lw_indexer *indexer)
{
    if (!indexer)
        return;
    lw_object_index_unref(indexer->index);
    for (size_t i = 0; i < indexer->definition_count; i++)
        lw_free(indexer->definitions[i]);
    lw_rwlock_done(&indexer->lock_itself);
    lw_mutex_done(&indexer->writer);
    lw_free(indexer);
}

/* Changes. */

lw_status lw_indexer_put(lw_indexer *indexer, const lw_object *obj, lw_object **old)
{
    lw_mutex_lock(&indexer->writer);
    lw_rwlock_write(indexer->lock);
    lw_status st = lw_object_index_put(indexer->index, obj, old);
    lw_rwlock_unlock(indexer->lock);
    lw_mutex_unlock(&indexer->writer);
    return st;
}

void lw_indexer_remove(lw_indexer *indexer, lw_key key, lw_object **old)
{
    lw_mutex_lock(&indexer->writer);
    lw_rwlock_write(indexer->lock);
    *old = lw_object_index_remove(indexer->index, key);
    lw_rwlock_unlock(indexer->lock);
    lw_mutex_unlock(&indexer->writer);
}

/* Packs the object at |place|.  Returns the object that it replaces, which the caller unrefs, or
 * NULL. */
static lw_object *pack_locked(lw_indexer *indexer, lw_compact *compact, size_t place)
{
    lw_object *old = indexer->index->places.objects[place];
    if (lw_compact_is_packed(old)) {
        if (lw_object__kept_memory(old) > 0) {
            lw_rwlock_write(indexer->lock); /* nobody takes a reference meanwhile */
            lw_compact_forget_reads(old);
            lw_rwlock_unlock(indexer->lock);
        }
        return NULL;
    }
    lw_object *packed = lw_compact_pack(compact, old);
    if (packed != old) {
        lw_rwlock_write(indexer->lock);
        lw_object_index_exchange(indexer->index, place, packed);
        lw_rwlock_unlock(indexer->lock);
        lw_object_unref(packed);
        return old;
    }
    lw_object_unref(packed); /* not the last reference */
    return NULL;
}

bool lw_indexer_pack(lw_indexer *indexer, lw_compact *compact, size_t *place)
{
    lw_object *replaced[PACK_OBJECTS];
    size_t count = 0;
    lw_mutex_lock(&indexer->writer);
    for (size_t i = 0; i < PACK_PLACES && count < PACK_OBJECTS; i++) {
        if (*place >= indexer->index->places.count)
            break;
        lw_object *old = pack_locked(indexer, compact, (*place)++);
        if (old)
            replaced[count++] = old;
    }
    bool has_more = *place < indexer->index->places.count;
    lw_mutex_unlock(&indexer->writer);
    for (size_t i = 0; i < count; i++)
        lw_object_unref(replaced[i]);
    return has_more;
}

/* Makes |fresh| visible to readers and returns the previous index. */
static lw_object_index *swap_locked(lw_indexer *indexer, lw_object_index *fresh)
{
    lw_rwlock_write(indexer->lock);
    lw_object_index *before = indexer->index;
    indexer->index = fresh;
    lw_rwlock_unlock(indexer->lock);
    return before;
}

/* Reports deletions first, like client-go, then the objects in their order. */
static void report_changes(const lw_object_index *before, const lw_object_index *now,
                           lw_indexer_change_fn on_change, void *arg)
{
    for (size_t i = 0; i < before->places.count; i++) {
        lw_object *old = before->places.objects[i];
        if (!lw_object_index_get(now, lw_object_key(old)))
            on_change(old, NULL, arg);
    }
    for (size_t i = 0; i < now->places.count; i++) {
        const lw_object *obj = now->places.objects[i];
        on_change(lw_object_index_get(before, lw_object_key(obj)), obj, arg);
    }
}

/* Prefetches the memory that indexing |obj| needs first. */
static void prefetch_head(const lw_object *obj)
{
    __builtin_prefetch(obj, 1); /* the reference count changes */
    for (size_t i = 1; i < HEAD_LINES; i++)
        __builtin_prefetch((const char *)obj + i * CACHE_LINE);
}

/* Builds an index of |objects|. */
static lw_status build_locked(const lw_indexer *indexer, const lw_object *const *objects,
                              size_t count, lw_object_index **out)
{
    lw_object_index *fresh = NULL;
    lw_status st = index_new(indexer, &fresh);
    for (size_t i = 0; st == LW_OK && i < count; i++) {
        lw_object *old = NULL;
        if (i + PREFETCH < count)
            prefetch_head(objects[i + PREFETCH]);
        st = lw_object_index_put(fresh, objects[i], &old);
        lw_object_unref(old);
    }
    if (st < 0)
        lw_object_index_unref(fresh);
    else
        *out = fresh;
    return st;
}

static bool has_definitions_locked(const lw_indexer *indexer, const lw_object_index *index)
{
    bool is_same = index->table_count == indexer->definition_count;
    for (size_t i = 0; is_same && i < index->table_count; i++)
        is_same = index->tables[i].definition == indexer->definitions[i];
    return is_same;
}

/* As lw_indexer_replace.  Takes |ready|, an index of the objects, or NULL. */
static lw_status replace(lw_indexer *indexer, const lw_object *const *objects, size_t count,
                         lw_object_index *ready, lw_indexer_change_fn on_change, void *arg)
{
    lw_status st = LW_OK;
    lw_object_index *fresh = ready;
    lw_mutex_lock(&indexer->writer);
    if (!ready || !has_definitions_locked(indexer, ready)) /* one was added meanwhile */
        st = build_locked(indexer, objects, count, &fresh);
    if (ready && (st < 0 || fresh != ready))
        lw_object_index_unref(ready);
    if (st < 0) {
        lw_mutex_unlock(&indexer->writer);
        return st;
    }
    lw_object_index *before = swap_locked(indexer, lw_object_index_ref(fresh));
    lw_mutex_unlock(&indexer->writer);
    if (on_change)
        report_changes(before, fresh, on_change, arg);
    lw_object_index_unref(before);
    lw_object_index_unref(fresh);
    return LW_OK;
}

lw_status lw_indexer_replace(lw_indexer *indexer, const lw_object *const *objects, size_t count,
                             lw_indexer_change_fn on_change, void *arg)
{
    return replace(indexer, objects, count, NULL, on_change, arg);
}

lw_status lw_indexer_replace_with(lw_indexer *indexer, lw_replacement *state,
                                  lw_indexer_change_fn on_change, void *arg)
{
    lw_object_index *ready = NULL;
    lw_status st = lw_replacement_take_index(state, &ready);
    if (st < 0)
        return st;
    return replace(indexer, lw_replacement_objects(state), lw_replacement_count(state), ready,
                   on_change, arg);
}

lw_status lw_indexer_collect(lw_indexer *indexer, lw_replacement *state, const lw_object *obj,
                             const lw_object *kept)
{
    lw_object_index *index = NULL;
    lw_mutex_lock(&indexer->writer); /* index functions are called one at a time */
    if (lw_replacement_can_take_index(state) && index_new(indexer, &index) == LW_OK)
        lw_replacement_set_index_take(state, index);
    lw_status st = lw_replacement_put_as(state, obj, kept);
    lw_mutex_unlock(&indexer->writer);
    return st;
}

/* Builds an index of the objects of |from| with the current definitions. */
static lw_status rebuild_locked(const lw_indexer *indexer, lw_object_index **out)
{
    const lw_object_index *from = indexer->index;
    lw_object_index *fresh = NULL;
    lw_status st = index_new(indexer, &fresh);
    for (size_t i = 0; st == LW_OK && i < from->places.count; i++) {
        lw_object *old;
        st = lw_object_index_put(fresh, from->places.objects[i], &old);
    }
    if (st < 0)
        lw_object_index_unref(fresh);
    else
        *out = fresh;
    return st;
}

static lw_status add_index_locked(lw_indexer *indexer, lw_object_index_definition *definition,
                                  lw_object_index **before, lw_error *err)
{
    if (lw_object_index_find_table(indexer->index, lw_str_of(definition->name)))
        return lw_error_set(err, LW_ERR_EXISTS, "index \"%s\" already exists", definition->name);
    if (indexer->definition_count == LW_INDEXES_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "an informer can have at most %d indexes",
                            LW_INDEXES_MAX);
    lw_object_index *fresh = NULL;
    indexer->definitions[indexer->definition_count++] = definition;
    lw_status st = rebuild_locked(indexer, &fresh);
    if (st < 0) {
        indexer->definition_count--;
        return lw_error_set(err, st, "index \"%s\": %s", definition->name, lw_status_name(st));
    }
    *before = swap_locked(indexer, fresh);
    return LW_OK;
}

lw_status lw_indexer_add_index(lw_indexer *indexer, const char *name, lw_index_fn fn, void *arg,
                               lw_error *err)
{
    lw_object_index *before = NULL;
    lw_object_index_definition *definition = definition_new(name, fn, arg);
    if (!definition)
        return lw_error_nomem(err);
    lw_mutex_lock(&indexer->writer);
    lw_status st = add_index_locked(indexer, definition, &before, err);
    lw_mutex_unlock(&indexer->writer);
    if (st < 0)
        lw_free(definition);
    lw_object_index_unref(before);
    return st;
}

/* The revision. */

void lw_indexer_set_revision(lw_indexer *indexer, const char *rv)
{
    uint64_t revision;
    if (!rv || rv[0] == '\0')
        return; /* an object without a resourceVersion is ignored */
    if (!lw_str_to_uint64(lw_str_of(rv), &revision))
        revision = 0;
    atomic_store_explicit(&indexer->revision, revision, memory_order_release);
}

uint64_t lw_indexer_revision(const lw_indexer *indexer)
{
    return atomic_load_explicit(&indexer->revision, memory_order_acquire);
}

/* Reading. */

lw_object *lw_indexer_get_ref(const lw_indexer *indexer, lw_key key)
{
    lw_rwlock_read(indexer->lock);
    lw_object *obj = lw_object_index_get(indexer->index, key);
    if (obj)
        obj = lw_object_ref(obj);
    lw_rwlock_unlock(indexer->lock);
    return obj;
}

const lw_object *lw_indexer_borrow(const lw_indexer *indexer, lw_key key)
{
    lw_rwlock_read(indexer->lock); /* another thread may add an index */
    const lw_object *obj = lw_object_index_get(indexer->index, key);
    lw_rwlock_unlock(indexer->lock);
    return obj;
}

size_t lw_indexer_count(const lw_indexer *indexer)
{
    lw_rwlock_read(indexer->lock);
    size_t count = indexer->index->places.count;
    lw_rwlock_unlock(indexer->lock);
    return count;
}

size_t lw_indexer_bytes(const lw_indexer *indexer)
{
    lw_rwlock_read(indexer->lock);
    size_t bytes = lw_object_index_bytes(indexer->index);
    lw_rwlock_unlock(indexer->lock);
    return bytes;
}

bool lw_indexer_check(const lw_indexer *indexer)
{
    lw_rwlock_read(indexer->lock);
    bool is_sound = lw_object_index_check(indexer->index);
    lw_rwlock_unlock(indexer->lock);
    return is_sound;
}

static void prefetch_member(const lw_object_index_set *set, size_t i)
{
    if (i + PREFETCH < set->count)
        __builtin_prefetch(set->members[i + PREFETCH].object, 1);
}

static lw_status append_set(lw_object_list *list, const lw_object_index_set *set,
                            const lw_label_selector *selector)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < set->count; i++) {
        const lw_object *obj = set->members[i].object;
        prefetch_member(set, i);
        if (!selector || lw_label_selector_matches(selector, obj))
            st = lw_object_list_append(list, obj);
    }
    return st;
}

static lw_status append_all(lw_object_list *list, const lw_object_index *index,
                            const lw_label_selector *selector)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < index->places.count; i++) {
        const lw_object *obj = index->places.objects[i];
        if (i + PREFETCH < index->places.count)
            __builtin_prefetch(index->places.objects[i + PREFETCH], 1);
        if (!selector || lw_label_selector_matches(selector, obj))
            st = lw_object_list_append(list, obj);
    }
    return st;
}

lw_status lw_indexer_by_index(const lw_indexer *indexer, const char *name, lw_str value,
                              lw_object_list **out, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_status st = lw_object_list_new(&list, 0);
    if (st < 0)
        return lw_error_nomem(err);
    lw_rwlock_read(indexer->lock);
    const lw_object_index_table *table =
        lw_object_index_find_table(indexer->index, lw_str_of(name));
    const lw_object_index_set *set = table ? lw_object_index_find_set(table, value) : NULL;
    if (set)
        st = append_set(list, set, NULL);
    lw_rwlock_unlock(indexer->lock);
    if (!table)
        st = lw_error_set(err, LW_ERR_NOT_FOUND, "index \"%s\" not found", name);
    else if (st < 0)
        st = lw_error_nomem(err);
    if (st < 0)
        lw_object_list_free(list);
    else
        *out = list;
    return st;
}

lw_status lw_indexer_select(const lw_indexer *indexer, lw_str ns, const lw_label_selector *selector,
                            lw_object_list **out, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_status st = lw_object_list_new(&list, 0);
    if (st < 0)
        return lw_error_nomem(err);
    if (lw_label_selector_is_everything(selector))
        selector = NULL;
    lw_rwlock_read(indexer->lock);
    const lw_object_index *index = indexer->index;
    const lw_object_index_set *set =
        ns.len > 0 ? lw_object_index_find_set(&index->tables[0], ns) : NULL;
    if (set)
        st = append_set(list, set, selector);
    else if (ns.len == 0)
        st = append_all(list, index, selector);
    lw_rwlock_unlock(indexer->lock);
    if (st < 0) {
        lw_object_list_free(list);
        return lw_error_nomem(err);
    }
    *out = list;
    return LW_OK;
}

const lw_lister *lw_indexer_lister(const lw_indexer *indexer)
{
    return &indexer->lister;
}

lw_object *lw_lister_get(const lw_lister *lister, const char *ns, const char *name)
{
    return lw_indexer_get_ref(lister->indexer, lw_key_make(ns, name));
}

lw_object_list *lw_lister_list(const lw_lister *lister, const char *ns, const char *selector)
{
    lw_label_selector *parsed = NULL;
    lw_object_list *list = NULL;
    if (selector && lw_label_selector_parse(&parsed, lw_str_of(selector), NULL) < 0)
        return NULL;
    lw_status st = lw_lister_select(lister, ns, parsed, &list, NULL);
    lw_label_selector_free(parsed);
    return st == LW_OK ? list : NULL;
}

lw_status lw_lister_select(const lw_lister *lister, const char *ns,
                           const lw_label_selector *selector, lw_object_list **out, lw_error *err)
{
    return lw_indexer_select(lister->indexer, lw_str_of(ns), selector, out, err);
}

lw_status lw_lister_by_index(const lw_lister *lister, const char *name, const char *value,
                             lw_object_list **out, lw_error *err)
{
    return lw_indexer_by_index(lister->indexer, name, lw_str_of(value), out, err);
}

size_t lw_lister_count(const lw_lister *lister)
{
    return lw_indexer_count(lister->indexer);
}
