/* SPDX-License-Identifier: Apache-2.0 */
/* coalesced_events.c -- the events that a slow listener has not received yet, coalesced by object.
 * Invariant: there is no record of an object that the listener does not know and that is deleted.
 */
#include "informer/delivery/coalesced_events.h"

#include "base/alloc.h"
#include "object/key.h"

/* The record of one object. */
typedef struct record {
    lw_dlist_node order;
    lw_object *delivered; /* the state that the listener received last; NULL: none */
    lw_object *now;       /* the current state; if |is_deleted|, the last state */
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

void lw_coalesced_events_init(lw_coalesced_events *coalesced)
{
    lw_map_init(&coalesced->by_key, &records_by_key, lw_hash_seed_random(), LW_MAP_MAX);
    lw_dlist_init(&coalesced->order);
}

static void record_free(record *r)
{
    lw_object_unref(r->delivered);
    lw_object_unref(r->now);
    lw_free(r);
}

void lw_coalesced_events_done(lw_coalesced_events *coalesced)
{
    LW_DLIST_FOR_EACH_SAFE(record, r, &coalesced->order, order)
    {
        lw_dlist_remove(&r->order);
        record_free(r);
    }
    lw_map_done(&coalesced->by_key);
}

static void take_out(lw_coalesced_events *coalesced, record *r)
{
    lw_key key = lw_object_key(r->now);
    (void)lw_map_remove(&coalesced->by_key, &key);
    lw_dlist_remove(&r->order);
}

/* Updates |r| with |queued|, which is newer. */
static void bring_up_to_date(record *r, const lw_queued_event *queued)
{
    lw_object *before = r->now;
    r->now = lw_object_ref(queued->object);
    lw_object_unref(before);
    r->revision = queued->revision;
    r->cause = queued->cause;
    r->is_deleted = queued->type == LW_EVENT_DELETE;
    r->is_final_state_unknown = queued->is_final_state_unknown;
}

static lw_status add_first(lw_coalesced_events *coalesced, const lw_queued_event *queued)
{
    void *replaced;
    record *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return LW_ERR_NOMEM;
    bring_up_to_date(r, queued);
    if (queued->type != LW_EVENT_ADD)
        r->delivered = lw_object_ref(queued->old_object ? queued->old_object : queued->object);
    lw_key key = lw_object_key(r->now);
    lw_status st = lw_map_put(&coalesced->by_key, &key, r, &replaced);
    if (st < 0) {
        record_free(r);
        return st;
    }
    lw_dlist_push_back(&coalesced->order, &r->order);
    return LW_OK;
}

lw_status lw_coalesced_events_add(lw_coalesced_events *coalesced, const lw_queued_event *queued,
                                  bool *is_merged)
{
    lw_key key = lw_object_key(queued->object);
    record *r = lw_map_get(&coalesced->by_key, &key);
    *is_merged = r != NULL;
    if (!r)
        return add_first(coalesced, queued);
    bring_up_to_date(r, queued);
    if (!r->delivered && r->is_deleted) {
        take_out(coalesced, r);
        record_free(r);
    }
    return LW_OK;
}

bool lw_coalesced_events_pop(lw_coalesced_events *coalesced, lw_queued_event *out)
{
    record *r = LW_DLIST_ITEM(lw_dlist_first(&coalesced->order), record, order);
    if (!r)
        return false;
    take_out(coalesced, r);
    *out = (lw_queued_event){ .object = r->now,
                              .revision = r->revision,
                              .cause = r->cause,
                              .is_final_state_unknown = r->is_final_state_unknown };
    if (r->is_deleted)
        out->type = LW_EVENT_DELETE;
    else
        out->type = r->delivered ? LW_EVENT_UPDATE : LW_EVENT_ADD;
    if (out->type == LW_EVENT_UPDATE)
        out->old_object = r->delivered;
    else
        lw_object_unref(r->delivered);
    lw_free(r);
    return true;
}
