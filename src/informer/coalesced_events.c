/* SPDX-License-Identifier: Apache-2.0 */
/* coalesced_events.c -- what a slow listener has yet to be told, merged by object.
 * Invariant: a record whose listener knows nothing and has nothing to learn is not there. */
#include "informer/coalesced_events.h"

#include "base/alloc.h"
#include "object/key.h"

/* One object. */
typedef struct record {
    lw_dlist_node order;
    lw_object *told; /* as the listener knows it; NULL: it does not */
    lw_object *now;  /* as it is; where |is_deleted|, as it was last */
    uint64_t revision;
    uint8_t cause;
    bool is_deleted;
    bool is_final_state_unknown;
} record;

static uint64_t key_hash(const void *key, lw_hash_seed seed)
{
    return lw_key_hash(seed, *(const lw_key *)key);
}

static bool record_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_key_equal(lw_object_key(((const record *)entry)->now), *(const lw_key *)key);
}

static const lw_map_type records_by_key = { .hash = key_hash, .has_key = record_has_key };

void lw_coalesced_events_init(lw_coalesced_events *pending)
{
    lw_map_init(&pending->by_key, &records_by_key, lw_hash_seed_random(), LW_MAP_MAX);
    lw_dlist_init(&pending->order);
}

static void record_free(record *r)
{
    lw_object_unref(r->told);
    lw_object_unref(r->now);
    lw_free(r);
}

void lw_coalesced_events_done(lw_coalesced_events *pending)
{
    LW_DLIST_FOR_EACH_SAFE(record, r, &pending->order, order)
    {
        lw_dlist_remove(&r->order);
        record_free(r);
    }
    lw_map_done(&pending->by_key);
}

static void take_out(lw_coalesced_events *pending, record *r)
{
    lw_key key = lw_object_key(r->now);
    (void)lw_map_remove(&pending->by_key, &key);
    lw_dlist_remove(&r->order);
}

/* |r| as of |notice|, which is later. */
static void bring_up_to_date(record *r, const lw_queued_event *notice)
{
    lw_object *before = r->now;
    r->now = lw_object_ref(notice->object);
    lw_object_unref(before);
    r->revision = notice->revision;
    r->cause = notice->cause;
    r->is_deleted = notice->type == LW_EVENT_DELETE;
    r->is_final_state_unknown = notice->is_final_state_unknown;
}

static lw_status add_first(lw_coalesced_events *pending, const lw_queued_event *notice)
{
    void *replaced;
    record *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return LW_ERR_NOMEM;
    bring_up_to_date(r, notice);
    if (notice->type != LW_EVENT_ADD)
        r->told = lw_object_ref(notice->old_object ? notice->old_object : notice->object);
    lw_key key = lw_object_key(r->now);
    lw_status st = lw_map_put(&pending->by_key, &key, r, &replaced);
    if (st < 0) {
        record_free(r);
        return st;
    }
    lw_dlist_push_back(&pending->order, &r->order);
    return LW_OK;
}

lw_status lw_coalesced_events_add(lw_coalesced_events *pending, const lw_queued_event *notice,
                                  bool *is_merged)
{
    lw_key key = lw_object_key(notice->object);
    record *r = lw_map_get(&pending->by_key, &key);
    *is_merged = r != NULL;
    if (!r)
        return add_first(pending, notice);
    bring_up_to_date(r, notice);
    if (!r->told && r->is_deleted) {
        take_out(pending, r);
        record_free(r);
    }
    return LW_OK;
}

bool lw_coalesced_events_pop(lw_coalesced_events *pending, lw_queued_event *out)
{
    record *r = LW_DLIST_ITEM(lw_dlist_first(&pending->order), record, order);
    if (!r)
        return false;
    take_out(pending, r);
    *out = (lw_queued_event){ .object = r->now,
                              .revision = r->revision,
                              .cause = r->cause,
                              .is_final_state_unknown = r->is_final_state_unknown };
    if (r->is_deleted)
        out->type = LW_EVENT_DELETE;
    else
        out->type = r->told ? LW_EVENT_UPDATE : LW_EVENT_ADD;
    if (out->type == LW_EVENT_UPDATE)
        out->old_object = r->told;
    else
        lw_object_unref(r->told);
    lw_free(r);
    return true;
}
