/* SPDX-License-Identifier: Apache-2.0 */
/* watch_batch.c -- collects the events of one reply from all its fragments. */
#include "etcd/watch_batch.h"

#include "base/alloc.h"
#include "etcd/kv.h"

enum {
    SLOTS_KEPT = 1024,
};

void lw_etcd_watch_batch_init(lw_etcd_watch_batch *batch)
{
    *batch = (lw_etcd_watch_batch){ .events = NULL };
    lw_arena_init(&batch->arena, 0);
}

void lw_etcd_watch_batch_clear(lw_etcd_watch_batch *batch)
{
    lw_arena_done(&batch->arena);
    if (batch->slots > SLOTS_KEPT) {
        lw_free(batch->events);
        batch->events = NULL;
        batch->slots = 0;
    }
    batch->count = batch->bytes = 0;
    batch->is_partial = false;
}

void lw_etcd_watch_batch_done(lw_etcd_watch_batch *batch)
{
    lw_etcd_watch_batch_clear(batch);
    lw_free(batch->events);
    lw_etcd_watch_batch_init(batch);
}

static lw_status reserve(lw_etcd_watch_batch *batch, size_t more)
{
    if (more <= batch->slots - batch->count)
        return LW_OK;
    size_t slots = batch->count + more < 16 ? 16 : batch->count + more;
    lw_etcd_event *events = lw_realloc_array(batch->events, slots, sizeof(*events));
    if (!events)
        return LW_ERR_NOMEM;
    batch->events = events;
    batch->slots = slots;
    return LW_OK;
}

static lw_status add_event(lw_etcd_watch_batch *batch, const LwEtcd__Event *event,
                           uint64_t next_revision)
{
    lw_etcd_event *last = batch->count > 0 ? &batch->events[batch->count - 1] : NULL;
    lw_etcd_event *added = &batch->events[batch->count];
    *added = (lw_etcd_event){
        .kv = lw_etcd__kv_of(event->kv),
        .is_delete = event->type == LW_ETCD__EVENT__TYPE__DELETE,
        .has_prev = event->prev_kv != NULL,
        .prev = lw_etcd__kv_of(event->prev_kv),
    };
    if (!event->kv || added->kv.mod_revision == 0 ||
        (last && added->kv.mod_revision < last->kv.mod_revision))
        return LW_ERR_INTERNAL;
    if (added->kv.mod_revision >= next_revision)
        batch->count++;
    return LW_OK;
}

lw_status lw_etcd_watch_batch_add(lw_etcd_watch_batch *batch, lw_str message,
                                  uint64_t next_revision, const LwEtcd__WatchResponse **reply)
{
    ProtobufCMessage *decoded;
    if (message.len > LW_ETCD_MESSAGE_MAX - batch->bytes)
        return LW_ERR_LIMIT;
    batch->bytes += message.len;
    lw_status st =
        lw_etcd_decode(&decoded, &lw_etcd__watch_response__descriptor, message, &batch->arena);
    if (st < 0)
        return st;
    const LwEtcd__WatchResponse *response = (const void *)decoded;
    st = reserve(batch, response->n_events);
    for (size_t i = 0; st == LW_OK && i < response->n_events; i++)
        st = add_event(batch, response->events[i], next_revision);
    if (st < 0)
        return st;
    batch->is_partial = response->fragment;
    *reply = response;
    return LW_OK;
}
