/* SPDX-License-Identifier: Apache-2.0 */
/* compact.c -- packs objects. */
#include "object/compact/compact.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/compact/compact_internal.h"
#include "object/key.h"
#include "object/object_kept.h"

enum {
    UNLIKE_PACKED = 31, /* objects after one that differs much from its sibling */
    NOVEL_PART = 6,     /* a body of which more than this part remains is new to the dictionary; */
    NOVEL_MAX = LW_PACK_DICTIONARY_MAX / 2, /* space for those that are not the first of a group */
};

lw_status lw_compact_new(lw_compact **out, const lw_compact_options *options)
{
    lw_compact *compact = lw_alloc_zero(1, sizeof(*compact));
    if (!compact)
        return LW_ERR_NOMEM;
    lw_ref_init(&compact->refs);
    compact->options = *options;
    compact->seed = lw_hash_seed_random();
    for (size_t i = 0; i < LW_COMPACT_SLOTS; i++)
        lw_mutex_init(&compact->slots[i].mu);
    *out = compact;
    return LW_OK;
}

static void group_clear(lw_compact_group *group)
{
    lw_object_unref(group->first);
    lw_compact__origin_unref(group->origin);
    group->first = NULL;
    group->origin = NULL;
    group->unlike = 0;
}

static void clear(lw_compact *compact)
{
    for (size_t i = 0; i < LW_COMPACT_GROUPS; i++)
        group_clear(&compact->groups[i]);
    lw_compact__origin_unref(compact->root);
    compact->root = NULL;
}

void lw_compact_close(lw_compact *compact)
{
    if (!compact)
        return;
    clear(compact);
    for (size_t i = 0; i < LW_COMPACT_GROUPS; i++) {
        lw_free(compact->groups[i].bytes);
        compact->groups[i].bytes = NULL;
    }
    lw_free(compact->packed);
    compact->packed = NULL;
    lw_compact__unref(compact);
}

lw_status lw_compact__reserve(char **bytes, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity)
        return LW_OK;
    wanted += wanted / 4;
    char *more = lw_realloc_array(*bytes, wanted, 1);
    if (!more)
        return LW_ERR_NOMEM;
    *bytes = more;
    *capacity = wanted;
    return LW_OK;
}

lw_str lw_compact__hint(const lw_object *obj)
{
    lw_str uid = lw_object__field(obj, LW_OBJECT_UID);
    return uid.len <= LW_PACK_HINT_MAX ? uid : LW_STR("");
}

/* Packing. */

static lw_str body_of(const lw_object *obj)
{
    return lw_str_make((const char *)obj + obj->json_at, obj->json_len);
}

/* Names that differ only after the last '-' are those of siblings. */
static lw_key group_key(const lw_object *obj)
{
    lw_key key = lw_object_key(obj);
    while (key.name.len > 0 && key.name.ptr[key.name.len - 1] != '-')
        key.name.len--;
    return key;
}

/* Returns the group of |obj|, which may have been that of other objects before. */
static lw_compact_group *find_group(lw_compact *compact, const lw_object *obj)
{
    const lw_key key = group_key(obj);
    lw_compact_group *last = compact->last; /* lists are sorted by name */
    if (last && last->first && lw_key_equal(group_key(last->first), key))
        return last;
    uint64_t hash = lw_key_hash(compact->seed, key);
    lw_compact_group *group = &compact->groups[hash % LW_COMPACT_GROUPS];
    if (group->first && group->hash != hash)
        group_clear(group);
    group->hash = hash;
    compact->last = group;
    return group;
}

/* Puts hint and body of |obj| after the first |sibling_len| bytes of |group|, and returns what is
 * to be packed.  LW_ERR_NOMEM. */
static lw_status fill_room(lw_compact *compact, lw_compact_group *group, size_t sibling_len,
                           const lw_object *obj, lw_pack_room *room)
{
    lw_str hint = lw_compact__hint(obj), body = body_of(obj);
    size_t size = sibling_len + hint.len + body.len;
    if (lw_compact__reserve(&group->bytes, &group->capacity, size + LW_PACK_SLACK) < 0 ||
        lw_compact__reserve(&compact->packed, &compact->packed_capacity, lw_pack_bound(body.len)))
        return LW_ERR_NOMEM;
    memcpy(group->bytes + sibling_len, hint.ptr, hint.len);
    memcpy(group->bytes + sibling_len + hint.len, body.ptr, body.len);
    memset(group->bytes + size, 0, LW_PACK_SLACK);
    *room = (lw_pack_room){ &compact->dictionary, group->bytes, sibling_len, hint.len, body.len };
    return LW_OK;
}

/* Returns true if the labels of both are the same bytes at the same distance from their texts. */
static bool has_same_labels(const lw_object *obj, const lw_object *sibling)
{
    uint32_t from = obj->text_at[LW_OBJECT_FIELD_COUNT];
    uint32_t sibling_from = sibling->text_at[LW_OBJECT_FIELD_COUNT];
    uint32_t len = obj->json_at - from;
    if (obj->label_count != sibling->label_count ||
        len != lw_compact__labels_end(sibling) - sibling_from ||
        memcmp((const char *)obj + from, (const char *)sibling + sibling_from, len) != 0)
        return false;
    for (uint32_t i = 0; i < obj->label_count; i++) {
        const lw_object_label_entry *a = &obj->labels[i], *b = &sibling->labels[i];
        if (a->key_at - from != b->key_at - sibling_from ||
            a->value_at - from != b->value_at - sibling_from || a->value_len != b->value_len)
            return false;
    }
    return true;
}

/* Copies the texts and, unless they are shared, the labels; returns the end. */
static uint32_t copy_head(lw_object *copy, const lw_object *obj, uint32_t texts_at)
{
    uint32_t from = obj->text_at[0], shift = texts_at - from; /* modulo 2^32 */
    uint32_t end = copy->shares_labels ? obj->text_at[LW_OBJECT_FIELD_COUNT] : obj->json_at;
    memcpy((char *)copy + texts_at, (const char *)obj + from, end - from);
    for (size_t i = 0; i <= LW_OBJECT_FIELD_COUNT; i++)
        copy->text_at[i] = obj->text_at[i] + shift;
    for (uint32_t i = 0; i < copy->label_count; i++) {
        copy->labels[i] = obj->labels[i];
        copy->labels[i].key_at += shift;
        copy->labels[i].value_at += shift;
    }
    return end + shift;
}

/* Writes the marks of |obj| to |copy|, where its labels end.  Returns the end. */
static uint32_t put_marks(lw_object *copy, const lw_object *obj, uint32_t at)
{
    const lw_compact_marks marks = { (uint16_t)obj->metadata_at, (uint16_t)obj->spec_at,
                                     (uint16_t)obj->splice_at, (uint16_t)obj->splice_cut };
    memcpy((char *)copy + at, &marks, sizeof(marks));
    return at + (uint32_t)sizeof(marks);
}

/* Makes a copy of |obj| with the body |packed|; NULL: out of memory.  Takes |origin|. */
static lw_object *make_copy(const lw_object *obj, lw_compact_origin *origin, lw_str packed)
{
    const lw_object *sibling = origin->base.sibling;
    bool shares_labels = sibling && obj->label_count > 0 && has_same_labels(obj, sibling);
    uint32_t labels = shares_labels ? 0 : obj->label_count;
    uint32_t texts_at = (uint32_t)(LW_OBJECT_HEAD + labels * sizeof(lw_object_label_entry));
    uint32_t text_end = shares_labels ? obj->text_at[LW_OBJECT_FIELD_COUNT] : obj->json_at;
    size_t marks = obj->is_message ? 0 : sizeof(lw_compact_marks);
    lw_object *copy = lw_alloc(texts_at + (text_end - obj->text_at[0]) + marks + packed.len);
    if (!copy) {
        lw_compact__origin_unref(origin);
        return NULL;
    }
    lw_ref_init(&copy->refs);
    atomic_init(&copy->strings, NULL);
    copy->revision = obj->revision;
    copy->origin = &origin->base;
    copy->open_len = obj->json_len;
    atomic_init(&copy->opened, 0);
    copy->splice = obj->is_message ? LW_SPLICE_VALUE : obj->splice;
    copy->is_stale = obj->is_stale;
    copy->is_message = true;
    copy->is_packed = true;
    copy->shares_labels = shares_labels;
    copy->is_typed = obj->is_typed;
    copy->checked = obj->checked;
    copy->label_count = labels & LW_OBJECT_LABELS_MAX;
    copy->json_at = copy_head(copy, obj, texts_at);
    if (marks > 0)
        copy->json_at = put_marks(copy, obj, copy->json_at);
    copy->json_len = (uint32_t)packed.len;
    memcpy((char *)copy + copy->json_at, packed.ptr, packed.len);
    return copy;
}

static bool is_worth_it(size_t packed, size_t body)
{
    return packed <= body / 2;
}

static bool extend_dictionary(lw_compact *compact, lw_str bytes)
{
    bool has_space = lw_pack_dictionary_add(&compact->dictionary, bytes);
    if (has_space)
        atomic_store_explicit(&compact->dictionary_len, compact->dictionary.len,
                              memory_order_release);
    return has_space;
}

void lw_compact__set_dictionary(lw_compact *compact, lw_str bytes)
{
    (void)extend_dictionary(compact, bytes);
}

/* Compares the body with its sibling in order; not often in a group whose objects differ much.
 * Returns the packed length; 0: it is to be packed in another way. */
static size_t pack_aligned(lw_compact *compact, lw_compact_group *group, const lw_pack_room *room,
                           const lw_pack_heads *heads)
{
    const unsigned part = compact->options.fast_part;
    if (part == 0 || group->unlike > 0) {
        group->unlike -= group->unlike > 0;
        return 0;
    }
    size_t len = lw_pack_aligned(room, heads, compact->packed, room->body_len / part);
    if (len == 0 && room->sibling_len > 0)
        group->unlike = UNLIKE_PACKED;
    return len;
}

/* Packs the body as small as possible; what is new in it becomes a part of the dictionary. */
static size_t pack_small(lw_compact *compact, const lw_pack_room *room, lw_pack_heads *heads)
{
    const lw_str body =
        lw_str_make(room->bytes + room->sibling_len + room->hint_len, room->body_len);
    const size_t most = room->sibling_len > 0 ? NOVEL_MAX : LW_PACK_DICTIONARY_MAX;
    size_t len = lw_pack(room, heads, compact->packed);
    bool is_new = len > body.len / NOVEL_PART && compact->dictionary.len + body.len <= most;
    if (is_new && extend_dictionary(compact, body))
        len = lw_pack(room, heads, compact->packed);
    return len;
}

static size_t pack(lw_compact *compact, lw_compact_group *group, const lw_pack_room *room,
                   lw_pack_heads *heads)
{
    size_t len = pack_aligned(compact, group, room, heads);
    return len > 0 ? len : pack_small(compact, room, heads);
}

/* Packs |obj| without a sibling; it becomes the first of its group. */
static lw_object *pack_first(lw_compact *compact, lw_compact_group *group, const lw_object *obj)
{
    lw_pack_room room;
    group_clear(group);
    if (fill_room(compact, group, 0, obj, &room) < 0)
        return NULL;
    size_t len = pack(compact, group, &room, &compact->heads);
    if (!is_worth_it(len, room.body_len))
        return NULL;
    lw_object *copy =
        make_copy(obj, lw_compact__origin_ref(compact->root), lw_str_make(compact->packed, len));
    if (!copy)
        return NULL;
    memmove(group->bytes, group->bytes + room.hint_len, room.body_len);
    group->len = room.body_len;
    group->first = lw_object_ref(copy);
    return copy;
}

/* Makes the first object of |group| a sibling that others refer to. */
static lw_status share_first(lw_compact *compact, lw_compact_group *group)
{
    const lw_pack_room room = { &compact->dictionary, group->bytes, group->len, 0, 0 };
    const lw_object_origin *root = &compact->root->base;
    if (group->origin)
        return LW_OK;
    group->origin =
        lw_compact__origin_new(compact, root->message_ops, root->message_type, group->first);
    if (!group->origin)
        return LW_ERR_NOMEM;
    lw_pack_index(&room, &group->heads);
    return LW_OK;
}

/* Packs |obj| with the first object of |group|. */
static lw_object *pack_next(lw_compact *compact, lw_compact_group *group, const lw_object *obj)
{
    lw_pack_room room;
    if (share_first(compact, group) < 0 || fill_room(compact, group, group->len, obj, &room) < 0)
        return NULL;
    size_t len = pack(compact, group, &room, &group->heads);
    if (!is_worth_it(len, room.body_len))
        return NULL;
    return make_copy(obj, lw_compact__origin_ref(group->origin), lw_str_make(compact->packed, len));
}

/* All objects of one root are read in the same way. */
static lw_status set_root(lw_compact *compact, const lw_object *obj)
{
    const lw_message_ops *ops = obj->is_message ? obj->message_ops : &lw_compact__json_ops;
    const void *type = obj->is_message ? obj->message_type : NULL;
    const lw_object_origin *root = compact->root ? &compact->root->base : NULL;
    if (root && root->message_ops == ops && root->message_type == type)
        return LW_OK;
    clear(compact);
    compact->root = lw_compact__origin_new(compact, ops, type, NULL);
    return compact->root ? LW_OK : LW_ERR_NOMEM;
}

static bool can_pack(const lw_object *obj)
{
    return !obj->is_packed && obj->json_len >= LW_COMPACT_BODY_MIN &&
           obj->json_len <= LW_PACK_BODY_MAX;
}

lw_object *lw_compact_pack(lw_compact *compact, const lw_object *obj)
{
    lw_object *copy = NULL;
    if (can_pack(obj) && set_root(compact, obj) == LW_OK) {
        lw_compact_group *group = find_group(compact, obj);
        copy = group->first ? pack_next(compact, group, obj) : pack_first(compact, group, obj);
    }
    return copy ? copy : lw_object_ref(obj);
}

lw_object *lw_compact_pack_once(lw_compact *compact, const lw_object *obj)
{
    lw_object *known;
    if (lw_object__find_packed(obj, &known))
        return lw_object_ref(known ? known : obj);
    lw_object *copy = lw_compact_pack(compact, obj);
    if (!obj->is_packed)
        lw_object__keep_packed(obj, copy == obj ? NULL : copy);
    return copy;
}
