/* SPDX-License-Identifier: Apache-2.0 */
/* compact_open.c -- unpacks objects for their readers.
 *
 * A reader holds the lock of a slot while it reads.  Objects with the same sibling use the same
 * slot, so that reading them one after the other unpacks the sibling once. */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/compact/compact_internal.h"
#include "object/object_kept.h"

/* Life. */

lw_compact *lw_compact__ref(lw_compact *compact)
{
    lw_ref_inc(&compact->refs);
    return compact;
}

void lw_compact__unref(lw_compact *compact)
{
    if (!lw_ref_dec(&compact->refs))
        return;
    for (size_t i = 0; i < LW_COMPACT_SLOTS; i++) {
        lw_free(compact->slots[i].bytes);
        lw_mutex_done(&compact->slots[i].mu);
    }
    lw_free(compact);
}

lw_compact_origin *lw_compact__origin_of(const lw_object *obj)
{
    return (lw_compact_origin *)(uintptr_t)obj->origin;
}

static lw_compact_slot *slot_at(lw_compact *compact, uint64_t number)
{
    uint64_t mixed = number * UINT64_C(0x9E3779B97F4A7C15);
    return &compact->slots[(mixed >> 32) % LW_COMPACT_SLOTS];
}

/* Not by address: which objects share a slot must not differ from run to run. */
static lw_compact_slot *slot_of(const lw_object *obj)
{
    const lw_compact_origin *origin = lw_compact__origin_of(obj);
    return slot_at(origin->compact,
                   origin->base.sibling ? origin->number : lw_object_revision(obj));
}

/* Reading. */

static lw_str packed_of(const lw_object *obj)
{
    return lw_str_make((const char *)obj + obj->json_at, obj->json_len);
}

/* What an object is unpacked with, and what is unpacked.  The packed bytes are copied: nothing may
 * be read after those of the object. */
typedef struct unpacking {
    lw_pack_room room;
    lw_str packed;
} unpacking;

/* Puts the hint of |obj| after the first |sibling_len| bytes of the slot; then come space for
 * |body_len| bytes, and the packed bytes. */
static lw_status prepare(lw_compact_slot *slot, const lw_object *obj, size_t sibling_len,
                         size_t body_len, unpacking *u)
{
    const lw_str hint = lw_compact__hint(obj), packed = packed_of(obj);
    const size_t packed_at = sibling_len + hint.len + body_len + LW_PACK_SLACK;
    if (lw_compact__reserve(&slot->bytes, &slot->capacity, packed_at + packed.len + LW_PACK_SLACK) <
        0)
        return LW_ERR_NOMEM;
    memcpy(slot->bytes + sibling_len, hint.ptr, hint.len);
    memcpy(slot->bytes + packed_at, packed.ptr, packed.len);
    memset(slot->bytes + packed_at + packed.len, 0, LW_PACK_SLACK);
    u->room = (lw_pack_room){ &lw_compact__origin_of(obj)->compact->dictionary, slot->bytes,
                              sibling_len, hint.len, obj->open_len };
    u->packed = lw_str_make(slot->bytes + packed_at, packed.len);
    return LW_OK;
}

/* Unpacks |obj| after the first |sibling_len| bytes of the slot; |*at| is where its body begins. */
static lw_status unpack_inside(lw_compact_slot *slot, const lw_object *obj, size_t sibling_len,
                               size_t *at)
{
    unpacking u;
    lw_status st = prepare(slot, obj, sibling_len, obj->open_len, &u);
    if (st < 0)
        return st;
    *at = sibling_len + u.room.hint_len;
    return lw_unpack(&u.room, u.packed, slot->bytes + *at);
}

/* Unpacks the sibling of |origin| at the beginning of the slot. */
static lw_status open_sibling(lw_compact_slot *slot, const lw_compact_origin *origin)
{
    const lw_object *sibling = origin->base.sibling;
    size_t at = 0;
    if (slot->origin == origin)
        return LW_OK;
    slot->origin = NULL;
    slot->sibling_len = 0;
    if (sibling) {
        lw_status st = unpack_inside(slot, sibling, 0, &at);
        if (st < 0)
            return st;
        memmove(slot->bytes, slot->bytes + at, sibling->open_len);
        slot->sibling_len = sibling->open_len;
        slot->origin = origin;
    }
    return LW_OK;
}

lw_status lw_compact__fill(lw_compact_slot *slot, const lw_object *obj, lw_str *body)
{
    size_t at = 0;
    slot->object = NULL;
    lw_status st = open_sibling(slot, lw_compact__origin_of(obj));
    if (st == LW_OK)
        st = unpack_inside(slot, obj, slot->sibling_len, &at);
    if (st < 0)
        return st;
    *body = lw_str_make(slot->bytes + at, obj->open_len);
    return LW_OK;
}

lw_status lw_compact__fill_at(lw_compact_slot *slot, const lw_object *obj, char *body)
{
    unpacking u;
    slot->object = NULL;
    lw_status st = open_sibling(slot, lw_compact__origin_of(obj));
    if (st == LW_OK)
        st = prepare(slot, obj, slot->sibling_len, 0, &u);
    return st < 0 ? st : lw_unpack(&u.room, u.packed, body);
}

/* The body that is in the slot already, or is unpacked. */
static lw_status fill_locked(lw_compact_slot *slot, const lw_object *obj, lw_str *body)
{
    if (slot->object == obj) {
        *body =
            lw_str_make(slot->bytes + slot->sibling_len + lw_compact__hint(obj).len, obj->open_len);
        return LW_OK;
    }
    lw_status st = lw_compact__fill(slot, obj, body);
    if (st == LW_OK)
        slot->object = obj;
    return st;
}

/* Counts the readings of |obj|.  Returns true if it is to keep its body from now on. */
static bool is_read_often(const lw_object *obj)
{
    lw_object *counted = (lw_object *)(uintptr_t)obj; /* the count is not a part of the value */
    if (!lw_compact__origin_of(obj)->compact->options.keeps_open)
        return false;
    unsigned before = atomic_fetch_add_explicit(&counted->opened, 1, memory_order_relaxed);
    return before + 1 >= LW_COMPACT_OPENED_MAX;
}

static lw_status open_body(const lw_object *obj, lw_body *body)
{
    bool may_be_kept = atomic_load_explicit(&obj->opened, memory_order_relaxed) > 0;
    if (may_be_kept && lw_object__find_text(obj, LW_KEPT_BODY, &body->message))
        return LW_OK;
    lw_compact_slot *slot = slot_of(obj);
    lw_mutex_lock(&slot->mu);
    bool was_open = slot->object == obj;
    lw_status st = fill_locked(slot, obj, &body->message);
    if (st < 0) {
        lw_mutex_unlock(&slot->mu);
        return st;
    }
    body->held = slot;
    if (!was_open && is_read_often(obj)) {
        lw_str kept;
        (void)lw_object__keep_text(obj, LW_KEPT_BODY, body->message, &kept);
    }
    return LW_OK;
}

static void close_body(lw_body *body)
{
    lw_compact_slot *slot = body->held;
    lw_mutex_unlock(&slot->mu);
}

/* Origins. */

static void release(const lw_object *obj)
{
    lw_compact_slot *slot = slot_of(obj);
    lw_mutex_lock(&slot->mu);
    if (slot->object == obj)
        slot->object = NULL; /* another object may get the same address */
    lw_mutex_unlock(&slot->mu);
    lw_compact__origin_unref(lw_compact__origin_of(obj));
}

lw_compact_origin *lw_compact__origin_new(lw_compact *compact, const lw_message_ops *ops,
                                          const void *type, lw_object *sibling)
{
    static const lw_object_origin_ops origin_ops = { open_body, close_body, release };
    lw_compact_origin *origin = lw_alloc_zero(1, sizeof(*origin));
    if (!origin)
        return NULL;
    lw_ref_init(&origin->refs);
    origin->base = (lw_object_origin){ &origin_ops, ops, type, NULL };
    if (sibling)
        origin->base.sibling = lw_object_ref(sibling);
    origin->compact = lw_compact__ref(compact);
    origin->number = compact->origins++;
    return origin;
}

lw_compact_origin *lw_compact__origin_ref(lw_compact_origin *origin)
{
    lw_ref_inc(&origin->refs);
    return origin;
}

void lw_compact__origin_unref(lw_compact_origin *origin)
{
    if (!origin || !lw_ref_dec(&origin->refs))
        return;
    lw_compact *compact = origin->compact;
    lw_compact_slot *slot = slot_at(compact, origin->number);
    lw_mutex_lock(&slot->mu);
    if (slot->origin == origin)
        slot->origin = NULL;
    lw_mutex_unlock(&slot->mu);
    lw_object_unref((lw_object *)(uintptr_t)origin->base.sibling);
    lw_free(origin);
    lw_compact__unref(compact);
}

void lw_compact_forget_reads(lw_object *obj)
{
    if (!obj->is_packed || atomic_load_explicit(&obj->refs.count, memory_order_acquire) != 1)
        return;
    lw_object__free_kept(obj);
    atomic_store_explicit(&obj->strings, NULL, memory_order_relaxed);
    atomic_store_explicit(&obj->opened, 0, memory_order_relaxed);
}
