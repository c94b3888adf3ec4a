/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c -- a request on its way through flow control.
 *
 *     NEW ──▶ EXECUTING ──settled, closed──▶ (LINGERING) ──▶ free
 *      │          ▲
 *      └─▶ WAITING ──dispatched by any thread──▶ the task runs on the stream's loop
 *              └── timer: 429; closed: gone
 *
 * A call belongs to the loop of its stream, which alone creates and frees it; only the level's lock
 * lets other threads move its ticket.  Each loop keeps the configuration that it saw last and a
 * list of free calls. */
#include "server/flowcontrol/flow.h"

#include <stdio.h>
#include <string.h>

#include "api/http/duration.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "cache/resource.h"
#include "server/flowcontrol/watch_count.h"
#include "server/flowcontrol/work_estimate.h"

enum {
    FREE_CALLS_MAX = 256, /* per loop */
    WATCHES_MIN = 10,     /* fewer do not matter for the work of a change */
    HEADERS = 2,
};

#define REQUEST_TIMEOUT_NS (60 * LW_NS_PER_S)
#define WAIT_MAX_NS        (60 * LW_NS_PER_S)

typedef struct flow_loop {
    lw_loop *loop;
    lw_flow_config *config;
    uint64_t version; /* of |config| */
    lw_dlist free;    /* of flow_call, by |task.link| */
    size_t free_count;
} flow_loop;

struct lw_flow {
    lw_flow_options options;
    lw_flow_control control;
    lw_watch_counts watches;
    lw_hash_seed seed;
    size_t loop_count;
    flow_loop loops[];
};

typedef struct flow_call {
    lw_http_admission admission;
    lw_flow_ticket ticket;
    flow_loop *home;
    lw_flow *flow;
    lw_flow_level *level;   /* one reference */
    lw_http_stream *stream; /* one reference while it waits; NULL after it was closed or settled */
    lw_watch_count *watch;
    bool is_waiting; /* not started yet: the task or the timer will come */
    lw_request_info info;
    lw_task task;   /* posted when the request was dispatched */
    lw_timer timer; /* the end of the wait, or of the time after the execution */
    lw_http_header headers[HEADERS];
    char level_uid[LW_FLOW_UID_SIZE], schema_uid[LW_FLOW_UID_SIZE];
} flow_call;

lw_status lw_flow_new(lw_flow **out, const lw_flow_options *options, lw_error *err)
{
    size_t loops = options->loop_count;
    lw_flow *flow = lw_alloc_zero(1, sizeof(*flow) + loops * sizeof(flow->loops[0]));
    if (!flow)
        return lw_error_nomem(err);
    flow->options = *options;
    flow->seed = lw_hash_seed_random();
    flow->loop_count = loops;
    lw_watch_counts_init(&flow->watches);
    for (size_t i = 0; i < loops; i++) {
        flow->loops[i].loop = options->loops[i];
        lw_dlist_init(&flow->loops[i].free);
    }
    if (lw_flow_control_init(&flow->control, options->clock, options->total_seats) < 0) {
        lw_flow_free(flow);
        return lw_error_nomem(err);
    }
    *out = flow;
    return LW_OK;
}

void lw_flow_free(lw_flow *flow)
{
    if (!flow)
        return;
    for (size_t i = 0; i < flow->loop_count; i++) {
        lw_flow_config_unref(flow->loops[i].config);
        for (lw_dlist_node *node; (node = lw_dlist_pop_front(&flow->loops[i].free));)
            lw_free(LW_DLIST_ITEM(node, flow_call, task.link));
    }
    lw_flow_control_done(&flow->control);
    lw_watch_counts_done(&flow->watches);
    lw_free(flow);
}

lw_flow_control *lw_flow_control_of(lw_flow *flow)
{
    return &flow->control;
}

static flow_loop *find_loop(lw_flow *flow, const lw_loop *loop)
{
    for (size_t i = 0; i < flow->loop_count; i++) {
        if (flow->loops[i].loop == loop)
            return &flow->loops[i];
    }
    return NULL;
}

/* Returns the configuration as it is now; the loop holds it. */
static const lw_flow_config *look_at_config(lw_flow *flow, flow_loop *home)
{
    uint64_t version = atomic_load_explicit(&flow->control.version, memory_order_acquire);
    if (home->version != version) {
        lw_flow_config_unref(home->config);
        home->config = lw_flow_control_config_ref(&flow->control);
        home->version = version;
    }
    return home->config;
}

static flow_call *call_new(flow_loop *home)
{
    lw_dlist_node *node = lw_dlist_pop_front(&home->free);
    flow_call *call = node ? LW_DLIST_ITEM(node, flow_call, task.link) : lw_alloc(sizeof(*call));
    if (!call)
        return NULL;
    if (node)
        home->free_count--;
    memset(call, 0, offsetof(flow_call, level_uid));
    call->home = home;
    return call;
}

static void call_free(flow_call *call)
{
    flow_loop *home = call->home;
    lw_flow_level_unref(call->level);
    if (home->free_count >= FREE_CALLS_MAX) {
        lw_free(call);
        return;
    }
    call->task.link = (lw_dlist_node)LW_DLIST_NODE_INIT;
    lw_dlist_push_front(&home->free, &call->task.link);
    home->free_count++;
}

void lw_flow_start_dispatched(lw_dlist *dispatched)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(dispatched));) {
        flow_call *call = LW_DLIST_ITEM(node, flow_call, ticket.item.dispatched);
        lw_loop_post(call->home->loop, &call->task);
    }
}

static void linger_over(lw_timer *timer)
{
    flow_call *call = LW_HEAP_ITEM(&timer->node, flow_call, timer.node);
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    lw_flow_level_release(call->level, &call->ticket, &dispatched);
    call_free(call);
    lw_flow_start_dispatched(&dispatched);
}

/* The request has been executed: frees its seats, now or a little later. */
static void finish(flow_call *call)
{
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    call->stream = NULL;
    bool lingers = lw_flow_level_finish(call->level, &call->ticket, &dispatched);
    int64_t until_ns = lw_loop_now(call->home->loop) + call->ticket.item.work.additional_ns;
    call->timer.fire = linger_over;
    if (!lingers)
        call_free(call);
    else if (lw_timer_set(call->home->loop, &call->timer, until_ns) < 0)
        linger_over(&call->timer);
    lw_flow_start_dispatched(&dispatched);
}

/* Replies with 429, and frees the call: its seats were never taken. */
static void reject(flow_call *call, int64_t retry_after_s)
{
    lw_http_stream *stream = call->stream;
    call->admission.settled = NULL;
    call->admission.closed = NULL;
    stream->admission = &call->admission; /* for its headers */
    lw_flow_reply_too_many(stream, retry_after_s);
    stream->admission = NULL;
    call_free(call);
}

static void cancel(flow_call *call, bool is_late)
{
    int64_t retry_after_s = 1;
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    if (!lw_flow_level_cancel(call->level, &call->ticket, is_late, &dispatched, &retry_after_s))
        return; /* dispatched already: the task comes */
    lw_http_stream *stream = call->stream;
    lw_timer_cancel(call->home->loop, &call->timer);
    if (is_late)
        reject(call, retry_after_s);
    else
        call_free(call);
    lw_http_stream_unref(stream);
    lw_flow_start_dispatched(&dispatched);
}

static void waited_too_long(lw_timer *timer)
{
    cancel(LW_HEAP_ITEM(&timer->node, flow_call, timer.node), true);
}

/* A watch has sent its initial events: the rest of it takes no seats. */
static void on_settled(lw_http_stream *stream, lw_http_admission *admission)
{
    flow_call *call = LW_CONTAINER_OF(admission, flow_call, admission);
    stream->admission = call->watch ? &call->watch->admission : NULL;
    call->watch = NULL;
    finish(call);
}

static void on_closed(lw_http_stream *stream, lw_http_admission *admission)
{
    flow_call *call = LW_CONTAINER_OF(admission, flow_call, admission);
    (void)stream;
    if (call->is_waiting) {
        cancel(call, false);
        return;
    }
    lw_watch_counts_remove(call->watch);
    finish(call);
}

/* The seats are the request's. */
static void begin(flow_call *call)
{
    if (call->ticket.is_watch)
        call->watch =
            lw_watch_counts_add(&call->flow->watches, &call->info, call->stream->request.query);
}

/* The request was dispatched after it had waited; runs on its loop. */
static void run_dispatched(lw_task *task)
{
    flow_call *call = LW_DLIST_ITEM(&task->link, flow_call, task.link);
    lw_flow *flow = call->flow;
    lw_http_stream *stream = call->stream;
    lw_timer_cancel(call->home->loop, &call->timer);
    call->is_waiting = false;
    if (stream->is_closed) {
        finish(call);
    } else {
        begin(call);
        flow->options.serve(stream, flow->options.arg);
    }
    lw_http_stream_unref(stream);
}

static void set_headers(flow_call *call, const lw_flow_entry *entry)
{
    const lw_str from[HEADERS] = { entry->level_uid, entry->schema.uid };
    char *const to[HEADERS] = { call->level_uid, call->schema_uid };
    static const lw_str names[HEADERS] = { LW_STR_INIT("X-Kubernetes-Pf-Prioritylevel-Uid"),
                                           LW_STR_INIT("X-Kubernetes-Pf-Flowschema-Uid") };
    for (size_t i = 0; i < HEADERS; i++) {
        size_t len = from[i].len < LW_FLOW_UID_SIZE ? from[i].len : LW_FLOW_UID_SIZE - 1;
        if (len > 0)
            memcpy(to[i], from[i].ptr, len);
        call->headers[i] = (lw_http_header){ names[i], lw_str_make(to[i], len) };
    }
    call->admission.headers = call->headers;
    call->admission.header_count = HEADERS;
}

/* Finds out what the seats of the request depend on. */
static void look_at_work(flow_call *call, lw_work_class class, lw_work_facts *facts)
{
    lw_api_port *port = lw_loop_data(call->home->loop);
    const lw_request_info *info = &call->info;
    *facts = (lw_work_facts){ .is_known = false };
    if (class == LW_WORK_PLAIN || !port)
        return;
    const lw_registry *registry = lw_catalog_look(&port->api->catalog, &port->kinds);
    const lw_kind *kind = lw_registry_find(registry, info->group, info->version, info->resource);
    lw_cache_resource *resource = kind ? lw_api_resource(port->api, kind) : NULL;
    if (!resource)
        return;
    facts->is_known = true;
    if (class == LW_WORK_LIST) {
        lw_cache_stats stats;
        lw_cache_resource_stats(resource, &stats);
        facts->objects = stats.objects;
        facts->object_bytes = stats.object_bytes;
    } else if (atomic_load_explicit(&resource->watchers, memory_order_relaxed) >= WATCHES_MIN) {
        facts->watches = lw_watch_counts_of(&call->flow->watches, info);
    }
}

static uint64_t hash_flow(const lw_flow *flow, const lw_flow_entry *entry, lw_str distinguisher)
{
    const uint64_t parts[] = { lw_hash_str(flow->seed, entry->schema.name),
                               lw_hash_str(flow->seed, distinguisher) };
    return lw_hash_bytes(flow->seed, parts, sizeof(parts));
}

/* A request may wait for a quarter of its own timeout. */
static int64_t wait_limit(const lw_http_request *request, bool is_watch)
{
    int64_t timeout_ns = REQUEST_TIMEOUT_NS;
    lw_str text;
    if (!is_watch && lw_query_raw(request->query, LW_STR("timeout"), &text)) {
        lw_buf why;
        int64_t ns;
        lw_buf_init(&why, 4096);
        if (lw_duration_parse(text, &ns, &why) && ns > 0 && ns < timeout_ns)
            timeout_ns = ns;
        lw_buf_done(&why);
    }
    return timeout_ns / 4 < WAIT_MAX_NS ? timeout_ns / 4 : WAIT_MAX_NS;
}

static void wait_for_seats(flow_call *call)
{
    const lw_loop *loop = call->home->loop;
    int64_t limit_ns = wait_limit(&call->stream->request, call->ticket.is_watch);
    call->timer.fire = waited_too_long;
    if (lw_timer_set(call->home->loop, &call->timer, lw_loop_now(loop) + limit_ns) < 0)
        cancel(call, true); /* without a timer it might wait forever */
}

static void prepare(flow_call *call, const lw_flow_entry *entry, const lw_user *user)
{
    const lw_http_request *request = &call->stream->request;
    lw_work_class class = lw_work_class_of(&call->info, request->query);
    lw_work_facts facts;
    call->level = lw_flow_level_ref(entry->level);
    call->task.run = run_dispatched;
    call->admission.settled = on_settled;
    call->admission.closed = on_closed;
    call->ticket.stats = entry->stats;
    call->ticket.is_watch = lw_str_equal(call->info.verb, LW_STR("watch"));
    call->ticket.info = &call->info;
    call->ticket.user = user;
    set_headers(call, entry);
    look_at_work(call, class, &facts);
    lw_work_estimate(&call->ticket.item.work, class, &call->info, request->query, &facts,
                     entry->max_seats);
}

static bool enter(flow_call *call, const lw_flow_entry *entry)
{
    lw_http_stream *stream = call->stream;
    uint64_t hash = 0;
    int64_t retry_after_s = 1;
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    if (entry->queues > 1) {
        call->ticket.distinguisher =
            lw_flow_schema_distinguish(&entry->schema, &call->info, call->ticket.user);
        hash = hash_flow(call->flow, entry, call->ticket.distinguisher);
    }
    /* It may be dispatched by another thread as soon as it is in the level. */
    call->is_waiting = true;
    lw_http_stream_ref(stream);
    lw_flow_verdict verdict =
        lw_flow_level_arrive(call->level, &call->ticket, hash, &dispatched, &retry_after_s);
    lw_flow_start_dispatched(&dispatched);
    if (verdict == LW_FLOW_WAIT) {
        stream->admission = &call->admission;
        wait_for_seats(call);
        return false;
    }
    if (verdict == LW_FLOW_EXECUTE) {
        stream->admission = &call->admission;
        call->is_waiting = false;
        begin(call);
    } else {
        reject(call, retry_after_s);
    }
    lw_http_stream_unref(stream);
    return verdict == LW_FLOW_EXECUTE;
}

bool lw_flow_admit(lw_flow *flow, lw_http_stream *stream, const lw_request_info *info,
                   const lw_user *user)
{
    flow_loop *home = find_loop(flow, stream->loop);
    if (!home || lw_request_info_is_long_running(info))
        return true;
    flow_call *call = call_new(home);
    if (!call)
        return true; /* without memory nothing can be limited; serving it fails, too */
    const lw_flow_entry *entry = lw_flow_config_match(look_at_config(flow, home), info, user);
    call->flow = flow;
    call->stream = stream;
    call->info = *info;
    prepare(call, entry, user);
    return enter(call, entry);
}

void lw_flow_reply_too_many(lw_http_stream *stream, int64_t retry_after_s)
{
    char seconds[24];
    (void)snprintf(seconds, sizeof(seconds), "%lld", (long long)retry_after_s);
    const lw_http_header headers[] = {
        { LW_STR("Cache-Control"), LW_STR("no-cache, private") },
        { LW_STR("Content-Type"), LW_STR("text/plain; charset=utf-8") },
        { LW_STR("Retry-After"), lw_str_of(seconds) },
        { LW_STR("X-Content-Type-Options"), LW_STR("nosniff") },
    };
    const lw_http_reply head = { 429, headers, sizeof(headers) / sizeof(headers[0]) };
    /* The client may have disconnected. */
    (void)lw_http_reply_whole(stream, &head,
                              lw_bytes_static(
                                  LW_STR("Too many requests, please try again later.\n")));
}
