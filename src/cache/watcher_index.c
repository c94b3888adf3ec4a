/* SPDX-License-Identifier: Apache-2.0 */
/* watcher_index.c -- a hash table of lists of watchers.
 *
 * The watchers have the links and the hashes, so adding one cannot fail: without memory for a
 * larger table the lists only get longer. */
#include "cache/watcher_index.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cache/watcher_internal.h"
#include "object/object.h"
#include "json/path.h"

enum {
    SLOTS_MIN = 16,
};

void lw_watcher_index_init(lw_watcher_index *index)
{
    *index = (lw_watcher_index){ .seed = lw_hash_seed_random() };
    lw_dlist_init(&index->common);
}

void lw_watcher_index_done(lw_watcher_index *index)
{
    assert(lw_watcher_index_count(index) == 0);
    lw_free(index->slots);
}

size_t lw_watcher_index_count(const lw_watcher_index *index)
{
    size_t count = 0;
    for (size_t i = 0; i < LW_WATCHER_KEYS; i++)
        count += index->counts[i];
    return count;
}

bool lw_watcher_index_has_keys(const lw_watcher_index *index)
{
    return lw_watcher_index_count(index) > index->counts[LW_WATCHER_KEY_NONE];
}

/* The hash of a key: its kind and one or two texts. */
static uint32_t hash_key(const lw_watcher_index *index, lw_watcher_key kind, lw_str a, lw_str b)
{
    lw_hash_seed seed = index->seed;
    seed.k0 += (uint64_t)kind;
    uint64_t hash = lw_hash_str(seed, a);
    if (b.len > 0) {
        seed.k1 ^= hash;
        hash = lw_hash_str(seed, b);
    }
    return (uint32_t)hash;
}

static void set_key(const lw_watcher_index *index, lw_watcher *watcher)
{
    const lw_filter_scope *scope = &watcher->scope;
    lw_str a = scope->ns, b = LW_STR(""), node;
    lw_watcher_key kind = a.len > 0 ? LW_WATCHER_KEY_NS : LW_WATCHER_KEY_NONE;
    if (scope->name.len > 0) {
        kind = a.len > 0 ? LW_WATCHER_KEY_OBJECT : LW_WATCHER_KEY_NAME;
        b = scope->name;
    } else if (lw_field_selector_requires_exact(watcher->filter->fields, LW_STR("spec.nodeName"),
                                                &node) &&
               node.len > 0) {
        kind = LW_WATCHER_KEY_NODE;
        a = node;
    }
    watcher->key_kind = (uint8_t)kind;
    watcher->key_hash = kind == LW_WATCHER_KEY_NONE ? 0 : hash_key(index, kind, a, b);
}

static lw_dlist *slot_of(const lw_watcher_index *index, uint32_t hash)
{
    return &index->slots[hash & (index->slot_count - 1)];
}

/* Keeps as many slots as there are watchers with a key.  Without memory the table stays as it
 * is. */
static void grow(lw_watcher_index *index)
{
    size_t keyed = lw_watcher_index_count(index) - index->counts[LW_WATCHER_KEY_NONE];
    if (keyed < index->slot_count)
        return;
    size_t old_count = index->slot_count;
    size_t count = old_count > 0 ? old_count * 2 : SLOTS_MIN;
    lw_dlist *old = index->slots, *slots = lw_alloc_zero(count, sizeof(*slots));
    if (!slots)
        return;
    for (size_t i = 0; i < count; i++)
        lw_dlist_init(&slots[i]);
    index->slots = slots;
    index->slot_count = count;
    for (size_t i = 0; i < old_count; i++) {
        for (lw_dlist_node *node; (node = lw_dlist_pop_front(&old[i]));)
            lw_watcher_index_put_back(index, LW_DLIST_ITEM(node, lw_watcher, link));
    }
    lw_free(old);
}

void lw_watcher_index_add(lw_watcher_index *index, lw_watcher *watcher)
{
    set_key(index, watcher);
    if (watcher->key_kind != LW_WATCHER_KEY_NONE)
        grow(index);
    if (index->slot_count == 0)
        watcher->key_kind = LW_WATCHER_KEY_NONE;
    index->counts[watcher->key_kind]++;
    lw_watcher_index_put_back(index, watcher);
}

void lw_watcher_index_remove(lw_watcher_index *index, lw_watcher *watcher)
{
    index->counts[watcher->key_kind]--;
    lw_dlist_remove(&watcher->link);
}

void lw_watcher_index_put_back(lw_watcher_index *index, lw_watcher *watcher)
{
    lw_dlist_push_back(watcher->key_kind == LW_WATCHER_KEY_NONE ? &index->common
                                                                : slot_of(index, watcher->key_hash),
                       &watcher->link);
}

/* An idle watcher is only behind by changes that do not concern it: it continues with |seq|. */
static void wake(lw_watcher *watcher, uint64_t seq)
{
    if (watcher->is_idle && watcher->seq < seq)
        watcher->seq = seq;
    watcher->is_idle = false;
}

bool lw_watcher_index_reads_objects(const lw_watcher_index *index)
{
    return index->counts[LW_WATCHER_KEY_NODE] > 0;
}

static void take_key(lw_watcher_index *index, lw_watcher_key kind, lw_str a, lw_str b, uint64_t seq,
                     lw_dlist *due)
{
    if (index->counts[kind] == 0)
        return;
    uint32_t hash = hash_key(index, kind, a, b);
    LW_DLIST_FOR_EACH_SAFE(lw_watcher, watcher, slot_of(index, hash), link)
    {
        if (watcher->key_hash != hash || watcher->seq > seq)
            continue;
        wake(watcher, seq);
        lw_dlist_remove(&watcher->link);
        lw_dlist_push_back(due, &watcher->link);
    }
}

/* Takes the watchers of the spec.nodeName of |obj|.  Selectors compare the text of a string, and of
 * a number or boolean as it is written.  False: the string has escapes. */
static bool take_node(lw_watcher_index *index, const lw_object *obj, uint64_t seq, lw_dlist *due)
{
    lw_str value;
    if (index->counts[LW_WATCHER_KEY_NODE] == 0 || !obj ||
        lw_json_path_find(lw_object_json(obj), LW_STR("/spec/nodeName"), &value) < 0)
        return true;
    if (value.ptr[0] == '"') {
        if (memchr(value.ptr, '\\', value.len))
            return false;
        value = lw_str_make(value.ptr + 1, value.len - 2);
    }
    take_key(index, LW_WATCHER_KEY_NODE, value, LW_STR(""), seq, due);
    return true;
}

bool lw_watcher_index_take(lw_watcher_index *index, const lw_cache_change *change, uint64_t seq,
                           lw_dlist *due)
{
    lw_str ns = lw_object__field(change->object, LW_OBJECT_NAMESPACE);
    lw_str name = lw_object__field(change->object, LW_OBJECT_NAME);
    take_key(index, LW_WATCHER_KEY_NS, ns, LW_STR(""), seq, due);
    take_key(index, LW_WATCHER_KEY_NAME, LW_STR(""), name, seq, due);
    take_key(index, LW_WATCHER_KEY_OBJECT, ns, name, seq, due);
    /* Both: an object that leaves a selection is an event of it. */
    return take_node(index, change->object, seq, due) && take_node(index, change->prev, seq, due);
}

void lw_watcher_index_take_common(lw_watcher_index *index, lw_dlist *due)
{
    lw_dlist_append_all(due, &index->common);
}

void lw_watcher_index_take_all(lw_watcher_index *index, uint64_t seq, lw_dlist *due)
{
    for (size_t i = 0; i < index->slot_count; i++) {
        LW_DLIST_FOR_EACH(lw_watcher, watcher, &index->slots[i], link)
        wake(watcher, seq);
        lw_dlist_append_all(due, &index->slots[i]);
    }
    lw_watcher_index_take_common(index, due);
}
