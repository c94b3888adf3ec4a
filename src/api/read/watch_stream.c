/* SPDX-License-Identifier: Apache-2.0 */
/* watch_stream.c -- one watch on its way to its client.
 *
 * Nothing is queued here: while the client is slow the watcher is not pulled, and the cache does
 * not care.  One pull sends a bounded number of events, so that a watch with a long past does not
 * keep the loop from the others; it then posts itself.
 *
 * Whoever ends a watch takes it off its stream, its port and its timer at once (watch_over); the
 * memory goes when neither a pull nor a posted task still needs it. */
#include "api/read/watch_stream.h"

#include <string.h>

#include "api/context/asker.h"
#include "api/http/failures.h"
#include "api/http/reply.h"
#include "api/read/watch_stream_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

#define NEVER INT64_MAX

lw_watch_stream *lw_watch_stream_of(lw_dlist_node *node)
{
    return LW_DLIST_ITEM(node, lw_watch_stream, link);
}

void lw_watch_stream_describe(const lw_watch_stream *watch, lw_api_watch *out)
{
    *out = (lw_api_watch){
        .kind = watch->shape.kind,
        .ns = watch->filter.ns,
        .name = watch->filter.name,
        .request = &watch->stream->request,
        .is_synced = watch->is_synced,
        .revision = lw_watcher_revision(watch->watcher),
        .pending_bytes = lw_http_pending(watch->stream),
        .opened_ns = watch->opened_ns,
    };
}

void lw_watch_free(lw_watch_stream *watch)
{
    lw_watch_conversion_free(watch);
    lw_watcher_close(watch->watcher);
    lw_label_selector_free(watch->labels);
    lw_field_selector_free(watch->fields);
    lw_http_stream_unref(watch->stream);
    lw_cache_resource_unref(watch->view);
    lw_registry_unref(watch->registry);
    lw_free(watch);
}

/* The watch sends nothing more and hears of nothing more. */
static void watch_over(lw_watch_stream *watch)
{
    if (watch->is_over)
        return;
    watch->is_over = true;
    watch->stream->on_drained = NULL;
    watch->stream->on_closed = NULL;
    watch->stream->arg = NULL;
    lw_asker_forget(watch->stream);
    lw_timer_cancel(watch->port->loop, &watch->timer);
    lw_watcher_close(watch->watcher);
    watch->watcher = NULL;
    lw_watch_conversion_free(watch);
    lw_dlist_remove(&watch->link);
    lw_long_running_end(watch->series,
                        lw_clock_now(lw_loop_clock(watch->port->loop)) - watch->opened_ns);
    atomic_fetch_sub_explicit(&watch->port->api->counters.watches_open, 1, memory_order_relaxed);
    if (!watch->is_busy && !watch->is_posted)
        lw_watch_free(watch);
}

void lw_watch_stream_end(lw_watch_stream *watch)
{
    lw_http_stream *stream = lw_http_stream_ref(watch->stream);
    watch_over(watch);
    lw_http_end(stream);
    lw_http_stream_unref(stream);
}

void lw_watch_stream_abort(lw_watch_stream *watch)
{
    lw_http_stream *stream = lw_http_stream_ref(watch->stream);
    watch_over(watch);
    lw_http_abort(stream);
    lw_http_stream_unref(stream);
}

void lw_watch_batch_clear(lw_watch_batch *b)
{
    b->count = b->events = b->bytes = b->fresh = 0;
}

/* Events of a batch count as if all had come with the first: one look at the clock for them. */
static void note_delivery(lw_api_port *port, const lw_watch_batch *b)
{
    if (b->fresh > 0)
        lw_latency_histogram_add(&port->deliveries,
                                 lw_clock_now(lw_loop_clock(port->loop)) - b->oldest_ns, b->fresh);
}

bool lw_watch_flush(lw_watch_stream *watch, lw_watch_batch *b)
{
    if (b->count == 0)
        return true;
    lw_api_count(&watch->port->api->counters.events_sent, b->events);
    lw_status st = lw_http_write(watch->stream, b->pieces, b->count);
    note_delivery(watch->port, b);
    lw_watch_batch_clear(b);
    if (st < 0 && !watch->is_over)
        lw_watch_stream_abort(watch);
    return !watch->is_over;
}

bool lw_watch_add_event(lw_watch_stream *watch, lw_watch_batch *b, size_t added)
{
    if (added == 0) {
        if (lw_watch_flush(watch, b))
            lw_watch_stream_abort(watch);
        return false;
    }
    size_t bytes = 0;
    for (size_t i = 0; i < added; i++)
        bytes += b->pieces[b->count + i].len;
    if (watch->series) {
        lw_resource_metrics *counted = watch->series->resource;
        lw_counter_add(&counted->watch_events, 1);
        lw_counter_add(&counted->init_events, !watch->is_synced);
        lw_histogram_add(&counted->watch_event_sizes, lw_event_size_bounds, bytes);
    }
    b->bytes += bytes;
    b->count += added;
    b->events++;
    watch->shape.form.has_columns = false; /* the first event has told them */
    if (watch->stream->request.is_websocket || b->events == LW_WATCH_BATCH_EVENTS ||
        b->bytes > LW_WATCH_BATCH_BYTES)
        return lw_watch_flush(watch, b);
    return true;
}

bool lw_watch_add_object(lw_watch_stream *watch, lw_watch_batch *b, const lw_cache_event *event)
{
    if (watch->shape.as == LW_MEDIA_TABLE) /* ages are as of now */
        watch->shape.form.now_ns = lw_clock_wall(watch->port->api->clock);
    if (event->received_ns >= watch->opened_ns && b->fresh++ == 0)
        b->oldest_ns = event->received_ns;
    return lw_watch_add_event(watch, b,
                              lw_event_pieces_take(&watch->shape, event->type, event->object,
                                                   watch->is_synced, b->pieces + b->count));
}

static bool add_bookmark(lw_watch_stream *watch, lw_watch_batch *b, uint64_t revision, bool is_end)
{
    lw_api_count(&watch->port->api->counters.bookmarks_sent, 1);
    watch->shape.form.now_ns = lw_clock_wall(watch->port->api->clock);
    return lw_watch_add_event(watch, b,
                              lw_event_bookmark(&watch->shape, revision, is_end,
                                                b->pieces + b->count));
}

void lw_watch_end_with(lw_watch_stream *watch, lw_watch_batch *b, lw_api_status *status)
{
    if (lw_watch_add_event(watch, b, lw_event_error(&watch->shape, status, b->pieces + b->count)) &&
        lw_watch_flush(watch, b))
        lw_watch_stream_end(watch);
}

void lw_watch_stream_end_with(lw_watch_stream *watch, lw_api_status *status)
{
    lw_watch_batch b;
    lw_watch_batch_clear(&b);
    watch->is_busy = true;
    lw_watch_end_with(watch, &b, status);
    watch->is_busy = false;
    if (watch->is_over && !watch->is_posted)
        lw_watch_free(watch);
}

lw_http_stream *lw_watch_stream_http(const lw_watch_stream *watch)
{
    return watch->stream;
}

/* 410: more has happened than is remembered since the client took the last event. */
static void end_overtaken(lw_watch_stream *watch, lw_watch_batch *b)
{
    lw_api_status status;
    lw_cache_stats stats;
    lw_cache_resource_stats(watch->resource, &stats);
    if (watch->series)
        lw_counter_add(&watch->series->resource->terminated_watches, 1);
    uint64_t oldest = stats.oldest_revision > 0 ? stats.oldest_revision - 1 : 0;
    lw_api_status_too_old_rv(&status, lw_watcher_revision(watch->watcher), oldest);
    lw_watch_end_with(watch, b, &status);
}

bool lw_watch_handle_step(lw_watch_stream *watch, lw_watch_batch *b, lw_watch_step step,
                          const lw_cache_event *event)
{
    switch (step) {
    case LW_WATCH_STEP_EVENT:
        return watch->selects_converted || (watch->shape.kind->custom &&
                                            lw_convert_is_needed(watch->shape.kind, event->object))
                   ? lw_watch_convert(watch, b, event)
                   : lw_watch_add_object(watch, b, event);
    case LW_WATCH_STEP_SYNCED:
        watch->is_synced = true;
        lw_http_stream_settled(watch->stream);
        return !watch->ends_initial_events || add_bookmark(watch, b, event->revision, true);
    case LW_WATCH_STEP_IDLE: (void)lw_watch_flush(watch, b); return false;
    case LW_WATCH_STEP_EXPIRED: end_overtaken(watch, b); return false;
    case LW_WATCH_STEP_ENDED:
        if (lw_watch_flush(watch, b))
            lw_watch_stream_end(watch);
        return false;
    case LW_WATCH_STEP_FAILED:
        if (lw_watch_flush(watch, b))
            lw_watch_stream_abort(watch);
        return false;
    }
    return false;
}

static bool take_step(lw_watch_stream *watch, lw_watch_batch *b)
{
    lw_cache_event event = { .object = NULL };
    lw_watch_step step = lw_watcher_next(watch->watcher, &event);
    return lw_watch_handle_step(watch, b, step, &event);
}

static void post(lw_watch_stream *watch)
{
    watch->is_posted = true;
    lw_loop_post(watch->port->loop, &watch->task);
}

void lw_watch_pull(lw_watch_stream *watch)
{
    lw_watch_batch b;
    lw_watch_batch_clear(&b);
    bool goes_on = true;
    /* Tables, metadata and CBOR are made for this watch alone; other events share the objects'
     * bytes. */
    if ((watch->shape.as != LW_MEDIA_AS_IS || watch->shape.format == LW_MEDIA_CBOR) &&
        !lw_http_wants_more(watch->stream))
        return;
    watch->is_busy = true;
    size_t steps = 0;
    while (goes_on && steps++ < LW_WATCH_TURN_EVENTS &&
           lw_http_pending(watch->stream) <= LW_HTTP_QUEUE_HIGH)
        goes_on = take_step(watch, &b);
    if (goes_on && lw_watch_flush(watch, &b) &&
        lw_http_pending(watch->stream) <= LW_HTTP_QUEUE_HIGH)
        post(watch);
    watch->is_busy = false;
    if (watch->is_over && !watch->is_posted)
        lw_watch_free(watch);
}

static void run_posted(lw_task *task)
{
    lw_watch_stream *watch = LW_DLIST_ITEM(&task->link, lw_watch_stream, task.link);
    watch->is_posted = false;
    if (watch->is_over)
        lw_watch_free(watch);
    else
        lw_watch_pull(watch);
}

static bool can_pull(const lw_watch_stream *watch)
{
    return !watch->is_busy && !watch->is_posted && !watch->is_over && !watch->conversion &&
           lw_http_pending(watch->stream) <= LW_HTTP_QUEUE_HIGH;
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    lw_watch_stream *watch = arg;
    (void)watcher;
    if (can_pull(watch))
        lw_watch_pull(watch);
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    lw_watch_stream *watch = arg;
    (void)stream;
    if (can_pull(watch))
        lw_watch_pull(watch);
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    watch_over(arg);
}

/* When the next bookmark is due: in a minute, or shortly before the end. */
static int64_t next_bookmark(const lw_watch_stream *watch, int64_t now)
{
    int64_t last = watch->deadline_ns - LW_WATCH_LAST_BOOKMARK_S * LW_NS_PER_S;
    int64_t next = now + LW_WATCH_BOOKMARK_S * LW_NS_PER_S;
    if (!watch->allows_bookmarks || last <= now)
        return NEVER;
    return next < last ? next : last;
}

/* A bookmark is dropped, not queued, when the client is behind; and there is none to send as long
 * as the revision has not come after which the client wants changes. */
static void send_bookmark(lw_watch_stream *watch)
{
    uint64_t revision = lw_watcher_revision(watch->watcher);
    lw_watch_batch b;
    lw_watch_batch_clear(&b);
    if (!watch->is_synced || watch->conversion ||
        revision > lw_cache_resource_revision(watch->resource) ||
        lw_http_pending(watch->stream) > LW_HTTP_QUEUE_HIGH)
        return;
    if (add_bookmark(watch, &b, revision, false))
        (void)lw_watch_flush(watch, &b);
}

static lw_status set_timer(lw_watch_stream *watch)
{
    return lw_timer_set(watch->port->loop, &watch->timer,
                        watch->bookmark_ns < watch->deadline_ns ? watch->bookmark_ns
                                                                : watch->deadline_ns);
}

static void timer_fired(lw_timer *timer)
{
    lw_watch_stream *watch = LW_HEAP_ITEM(&timer->node, lw_watch_stream, timer.node);
    int64_t now = lw_loop_now(watch->port->loop);
    if (now >= watch->deadline_ns) {
        lw_watch_stream_end(watch);
        return;
    }
    watch->is_busy = true;
    send_bookmark(watch);
    watch->is_busy = false;
    if (watch->is_over) {
        if (!watch->is_posted)
            lw_watch_free(watch);
        return;
    }
    watch->bookmark_ns = next_bookmark(watch, now);
    if (set_timer(watch) < 0)
        lw_watch_stream_abort(watch);
}

/* Without a wish of the client's each watch gets another length, so that they do not all come back
 * at once. */
static int64_t choose_deadline(lw_api_port *port, int64_t timeout_s, int64_t now)
{
    enum {
        YEAR_S = 365 * 24 * 3600,
    };
    int64_t ns = (int64_t)((double)(LW_WATCH_TIMEOUT_MIN_S * LW_NS_PER_S) *
                           (1.0 + lw_random_unit(&port->random)));
    if (timeout_s != 0)
        ns = (timeout_s > YEAR_S ? YEAR_S : timeout_s < 0 ? 0 : timeout_s) * LW_NS_PER_S;
    return now + ns;
}

/* Copies what the filter borrows from the call, which dies before the watch. */
static void copy_filter(lw_watch_stream *watch, const lw_cache_filter *filter)
{
    watch->filter = *filter;
    watch->filter.ns = lw_str_make(watch->names, filter->ns.len);
    watch->filter.name = lw_str_make(watch->names + filter->ns.len, filter->name.len);
    if (filter->ns.len > 0)
        memcpy(watch->names, filter->ns.ptr, filter->ns.len);
    if (filter->name.len > 0)
        memcpy(watch->names + filter->ns.len, filter->name.ptr, filter->name.len);
}

static lw_event_shape shape_of(const lw_api_call *call)
{
    return (lw_event_shape){ .kind = call->route.kind,
                             .as = call->media.as,
                             .format = call->media.format,
                             .is_message = call->stream->request.is_websocket,
                             .form = { .api_version = lw_reply_meta_version(&call->media) },
                             .budget = call->api->forms };
}

/* Successive events resemble each other, also those of different watches.  Returns NULL if memory
 * runs out: then they take longer. */
static lw_form_maker *form_maker_of(lw_api_port *port)
{
    if (!port->forms)
        port->forms = lw_form_maker_new();
    port->forms_free = lw_form_maker_free;
    return port->forms;
}

static lw_watch_stream *watch_new(lw_api_call *call, lw_api_list_options *options,
                                  const lw_watch_request *request)
{
    const lw_cache_filter *filter = &request->filter;
    lw_watch_stream *watch = lw_alloc_zero(1, sizeof(*watch) + filter->ns.len + filter->name.len);
    if (!watch)
        return NULL;
    int64_t now = lw_clock_now(lw_loop_clock(call->port->loop));
    watch->port = call->port;
    watch->stream = lw_http_stream_ref(call->stream);
    watch->resource = call->cache;
    watch->view = call->view ? lw_cache_resource_ref(call->view) : NULL;
    watch->registry = call->registry ? lw_registry_ref(call->registry) : NULL;
    watch->labels = options->labels;
    watch->fields = options->fields;
    options->labels = NULL;
    options->fields = NULL;
    copy_filter(watch, filter);
    watch->shape = shape_of(call);
    if (watch->shape.format == LW_MEDIA_PROTOBUF)
        watch->shape.maker = form_maker_of(call->port);
    watch->selects_converted = lw_convert_selects(watch->shape.kind, filter);
    if (watch->selects_converted)
        watch->filter.fields = NULL;
    watch->timer.fire = timer_fired;
    watch->task.run = run_posted;
    watch->opened_ns = now;
    watch->deadline_ns = choose_deadline(call->port, options->timeout_s, now);
    watch->allows_bookmarks = options->allows_bookmarks;
    watch->bookmark_ns = next_bookmark(watch, now);
    watch->ends_initial_events = request->ends_initial_events;
    watch->is_synced = request->start != LW_WATCH_START_STATE;
    return watch;
}

static lw_status open_watcher(lw_watch_stream *watch, const lw_watch_request *request,
                              lw_error *err)
{
    lw_watcher_options options = { .port = watch->port->cache,
                                   .resource = watch->resource,
                                   .filter = &watch->filter,
                                   .start = request->start,
                                   .after = request->after,
                                   .wants_previous = watch->selects_converted,
                                   .on_ready = on_ready,
                                   .arg = watch };
    return lw_watcher_open(&watch->watcher, &options, err);
}

static lw_status begin_reply(lw_api_call *call)
{
    bool is_protobuf = call->media.format == LW_MEDIA_PROTOBUF;
    bool is_cbor = call->media.format == LW_MEDIA_CBOR;
    lw_api_reply_head head = { .code = 200,
                               .content_type =
                                   is_protobuf ? "application/vnd.kubernetes.protobuf;stream=watch"
                                   : is_cbor   ? "application/cbor-seq"
                                               : "application/json" };
    return lw_reply_begin(call, &head);
}

void lw_watch_stream_refuse(lw_api_call *call, lw_api_status *status)
{
    lw_bytes pieces[LW_EVENT_PIECES];
    lw_http_stream *stream = lw_http_stream_ref(call->stream);
    lw_event_shape shape = shape_of(call);
    size_t count = lw_event_error(&shape, status, pieces);
    if (count == 0) {
        lw_call_reply_nomem(call);
    } else {
        lw_status st = begin_reply(call);
        if (st == LW_OK) {
            st = lw_http_write(stream, pieces, count);
        } else {
            for (size_t i = 0; i < count; i++)
                lw_bytes_release(pieces[i]);
        }
        if (st == LW_OK)
            lw_http_end(stream);
        else
            lw_http_abort(stream);
        lw_call_free(call);
    }
    lw_http_stream_unref(stream);
}

/* From here on the watch lives by itself. */
static void run(lw_watch_stream *watch)
{
    lw_api_counters *counters = &watch->port->api->counters;
    lw_api_count(&counters->watches_open, 1);
    lw_api_count(&counters->watches_total, 1);
    lw_long_running_begin(watch->series);
    lw_dlist_push_back(&watch->port->watches, &watch->link);
    watch->stream->on_drained = on_drained;
    watch->stream->on_closed = on_closed;
    watch->stream->arg = watch;
    if (watch->is_synced)
        lw_http_stream_settled(watch->stream);
    lw_watch_pull(watch);
}

void lw_watch_stream_start(lw_api_call *call, lw_api_list_options *options,
                           const lw_watch_request *request)
{
    lw_error err = LW_ERROR_INIT;
    lw_table_form form;
    if (call->media.as == LW_MEDIA_TABLE && !lw_reply_table_form(call, &form))
        return;
    lw_watch_stream *watch = watch_new(call, options, request);
    if (!watch) {
        lw_call_reply_nomem(call);
        return;
    }
    if (call->media.as == LW_MEDIA_TABLE)
        watch->shape.form = form;
    lw_status st = open_watcher(watch, request, &err);
    if (st == LW_OK)
        st = set_timer(watch);
    if (st == LW_ERR_EXPIRED) {
        lw_api_status status;
        lw_api_status_expired(&status, lw_str_of(err.message));
        lw_watch_stream_refuse(call, &status);
    } else if (st < 0) {
        lw_call_reply_error(call, st, &err);
    } else {
        st = begin_reply(call);
        if (st < 0)
            lw_http_abort(call->stream);
        else if (call->stream->is_closed)
            st = LW_ERR_STOPPED; /* nobody was told: there was no watch yet */
        watch->series = call->account.series;
        call->account.code = 0; /* it is counted when it ends */
        lw_call_free(call);
    }
    if (st < 0) {
        lw_timer_cancel(watch->port->loop, &watch->timer);
        lw_watch_free(watch);
        return;
    }
    run(watch);
}

/* Ends the watch after a bookmark, if the client wants them: it goes on elsewhere, at another
 * mirror or at the upstream, from there. */
static void hand_over(lw_watch_stream *watch)
{
    watch->is_busy = true;
    if (watch->allows_bookmarks)
        send_bookmark(watch);
    watch->is_busy = false;
    if (!watch->is_over)
        lw_watch_stream_end(watch);
    else if (!watch->is_posted)
        lw_watch_free(watch);
}

void lw_watch_stream_end_all(lw_api_port *port)
{
    bool is_mirror = port->api->upstream.confirm != NULL;
    for (lw_dlist_node *node; (node = lw_dlist_first(&port->watches));) {
        if (is_mirror)
            hand_over(lw_watch_stream_of(node));
        else
            lw_watch_stream_end(lw_watch_stream_of(node));
    }
}
