/* SPDX-License-Identifier: Apache-2.0 */
/* watch_answer.c -- handles the replies to a watch: confirmation, events, progress, end; and
 * collects the events of one reply from all its fragments. */
#include "base/container_of.h"

#include "base/alloc.h"
#include "base/error.h"
#include "etcd/error_map.h"
#include "etcd/messages.h"
#include "etcd/watch.h"

/* Acts on the classification of a failure. */
static void watch_obey(lw_etcd_watch *watch, const lw_etcd_error *verdict, bool may_resume)
{
    bool has_token = watch->etcd->user && !watch->has_refreshed;
    if (verdict->moves_on && watch->link)
        lw_etcd__move_on(watch->link);
    /* etcd before 3.5 reports an expired token as missing permission. */
    if (has_token && (verdict->wants_token || verdict->err.code == LW_ERR_FORBIDDEN))
        lw_etcd__watch_refresh(watch);
    else if (may_resume || verdict->may_go_later || verdict->err.code == LW_ERR_TOO_MANY)
        lw_etcd__watch_cut(watch, &verdict->err);
    else
        lw_etcd__watch_end(watch, &verdict->err, 0);
}

static void watch_cancelled(lw_etcd_watch *watch, const LwEtcd__WatchResponse *reply)
{
    lw_etcd_error verdict;
    lw_error err = LW_ERROR_INIT;
    if (reply->compact_revision > 0) {
        uint64_t compacted = (uint64_t)reply->compact_revision;
        (void)lw_error_set(
            &err, LW_ERR_EXPIRED,
            "etcd at %s: revision %llu has been compacted; the oldest available revision is %llu",
            lw_etcd__url(watch->link), (unsigned long long)watch->next_revision,
            (unsigned long long)compacted);
        lw_etcd__watch_end(watch, &err, compacted);
        return;
    }
    const char *reason = reply->cancel_reason;
    lw_etcd_map_error_reason(&verdict, reason[0] ? reason : "cancelled without a reason",
                             lw_etcd__url(watch->link), LW_ETCD_WATCH_NAME);
    watch_obey(watch, &verdict, false);
}

static void watch_created(lw_etcd_watch *watch, uint64_t revision)
{
    lw_etcd__heard(watch->link);
    lw_backoff_reset(&watch->backoff);
    watch->is_open = true;
    watch->has_refreshed = false;
    watch->is_cut_reported = false;
    watch->opens_by_ns = 0;
    if (watch->next_revision == 0)
        watch->next_revision = revision + 1;
    lw_etcd__watch_arm(watch);
    if (watch->asks_progress)
        lw_etcd__watch_send_progress(watch);
    if (watch->sink.on_open)
        watch->sink.on_open(revision, watch->sink.arg);
}

/* All fragments have been received. */
static void watch_deliver(lw_etcd_watch *watch)
{
    const lw_etcd_watch_batch *batch = &watch->batch;
    if (batch->count == 0)
        return;
    watch->next_revision = batch->events[batch->count - 1].kv.mod_revision + 1;
    watch->sink.on_events(batch->events, batch->count, watch->sink.arg);
}

static void watch_progress(lw_etcd_watch *watch, uint64_t revision)
{
    if (revision >= watch->next_revision)
        watch->next_revision = revision + 1;
    if (watch->sink.on_progress)
        watch->sink.on_progress(revision, watch->sink.arg);
}

static void watch_take(lw_etcd_watch *watch, const LwEtcd__WatchResponse *reply)
{
    uint64_t revision = lw_etcd__revision_of(reply->header);
    if (reply->canceled)
        watch_cancelled(watch, reply);
    else if (reply->created)
        watch_created(watch, revision);
    else if (watch->batch.is_partial)
        return;
    else if (watch->batch.count > 0)
        watch_deliver(watch);
    else if (reply->n_events == 0)
        watch_progress(watch, revision);
}

static void watch_misread(lw_etcd_watch *watch, lw_status st)
{
    lw_error err = LW_ERROR_INIT;
    (void)lw_error_set(&err, st, "etcd at %s: %s: %s", lw_etcd__url(watch->link),
                       LW_ETCD_WATCH_NAME,
                       st == LW_ERR_NOMEM   ? "out of memory for events"
                       : st == LW_ERR_LIMIT ? "the events exceed the memory limit"
                                            : "cannot decode the reply");
    lw_etcd__watch_end(watch, &err, 0);
}

static void on_message(lw_grpc_stream *stream, lw_str message)
{
    lw_etcd_watch *watch = LW_CONTAINER_OF(stream, lw_etcd_watch, stream);
    const LwEtcd__WatchResponse *reply = NULL;
    lw_etcd__watch_begin(watch);
    lw_status st = lw_etcd_watch_batch_add(&watch->batch, message, watch->next_revision, &reply);
    if (st < 0)
        watch_misread(watch, st);
    else
        watch_take(watch, reply);
    if (!watch->batch.is_partial)
        lw_etcd_watch_batch_clear(&watch->batch);
    lw_etcd__watch_finish(watch);
}

static void on_end(lw_grpc_stream *stream, const lw_grpc_end *end)
{
    lw_etcd_watch *watch = LW_CONTAINER_OF(stream, lw_etcd_watch, stream);
    lw_etcd_error verdict;
    bool has_status = end->st == LW_OK;
    lw_etcd__watch_begin(watch);
    lw_etcd_map_error(&verdict, end, lw_etcd__url(watch->link), LW_ETCD_WATCH_NAME);
    if (has_status && end->code == LW_GRPC_OK)
        (void)lw_error_set(&verdict.err, LW_ERR_UNAVAILABLE,
                           "etcd at %s: the member ended the watch", lw_etcd__url(watch->link));
    /* Internal errors of etcd are temporary. */
    bool may_resume = has_status && (end->code == LW_GRPC_OK || end->code == LW_GRPC_UNKNOWN ||
                                     end->code == LW_GRPC_INTERNAL);
    watch_obey(watch, &verdict, may_resume);
    lw_etcd__watch_finish(watch);
}

const lw_grpc_sink lw_etcd__watch_sink = { on_message, on_end };

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
