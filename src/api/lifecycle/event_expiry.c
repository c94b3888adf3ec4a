/* SPDX-License-Identifier: Apache-2.0 */
/* event_expiry.c -- deletes expired events.
 *
 *     waiting (in the heap) ──deadline reached──▶ in work ──▶ deleted
 *           ▲                                        │ updated meanwhile, or the write failed
 *           └────────────────────────────────────────┘ */
#include "api/lifecycle/event_expiry.h"

#include <string.h>

#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"

enum {
    EVENTS_MAX = 1 << 22, /* events followed; others are kept until the server restarts */
    WINDOW = 64,          /* concurrent deletions */
};

/* Events that expire within this time are deleted together. */
#define ROUND_NS (LW_NS_PER_S / 4)
#define RETRY_NS LW_NS_PER_S

typedef struct expiring_event {
    lw_event_expiry *expiry;
    lw_str id; /* group/namespace/name; stored after the struct */
    const lw_kind *kind;
    lw_str ns, name;     /* views into |id| */
    lw_heap_node node;   /* in the heap while waiting */
    int64_t deadline_ns; /* on the loop's clock */
    uint64_t revision;   /* the revision to delete; a later one expires later */
    bool is_in_work;
    bool is_forgotten; /* freed when its write has ended */
} expiring_event;

struct lw_event_expiry {
    lw_api_port *port;
    int64_t ttl_ns;
    lw_map events; /* by id */
    lw_heap heap;
    lw_timer timer;
    size_t under_way;
    bool is_stopped;
};

typedef struct removal {
    lw_write write; /* must be the first member */
    expiring_event *event;
} removal;

static const lw_map_type by_id = LW_MAP_STR_TYPE(expiring_event, id);

static void expire_due(lw_event_expiry *expiry);

static bool is_sooner(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    (void)arg;
    return LW_HEAP_CONST_ITEM(a, expiring_event, node)->deadline_ns <
           LW_HEAP_CONST_ITEM(b, expiring_event, node)->deadline_ns;
}

static void timer_fire(lw_timer *timer)
{
    expire_due(LW_HEAP_ITEM(&timer->node, lw_event_expiry, timer.node));
}

/* Sets the timer for the next deadline; an earlier timer remains. */
static lw_status set_timer(lw_event_expiry *expiry)
{
    lw_heap_node *top = lw_heap_top(&expiry->heap);
    if (!top || expiry->is_stopped)
        return LW_OK;
    int64_t when_ns = LW_HEAP_ITEM(top, expiring_event, node)->deadline_ns + ROUND_NS;
    if (lw_heap_node_is_in(&expiry->timer.node) && expiry->timer.deadline_ns <= when_ns)
        return LW_OK;
    expiry->timer.fire = timer_fire;
    return lw_timer_set(expiry->port->loop, &expiry->timer, when_ns);
}

static void event_drop(expiring_event *m)
{
    if (lw_heap_node_is_in(&m->node))
        lw_heap_remove(&m->expiry->heap, &m->node);
    m->is_forgotten = true;
    if (!m->is_in_work)
        lw_free(m);
}

/* Makes the event expire at |deadline_ns|. */
static lw_status wait_until(expiring_event *m, int64_t deadline_ns)
{
    lw_status st = LW_OK;
    m->deadline_ns = deadline_ns;
    if (m->is_in_work) /* handled when the write has ended */
        return LW_OK;
    if (lw_heap_node_is_in(&m->node))
        lw_heap_update(&m->expiry->heap, &m->node);
    else
        st = lw_heap_push(&m->expiry->heap, &m->node);
    return st < 0 ? st : set_timer(m->expiry);
}

static lw_write_decision removal_decide(lw_write *write)
{
    const expiring_event *m = ((removal *)(void *)write)->event;
    bool is_expired = write->current && lw_object_revision(write->current) <= m->revision &&
                      m->deadline_ns <= lw_loop_now(write->port->loop);
    return is_expired ? LW_WRITE_DELETE : LW_WRITE_KEEP;
}

static void removal_done(lw_write *write)
{
    removal *r = (removal *)(void *)write;
    expiring_event *m = r->event;
    lw_event_expiry *expiry = m->expiry;
    int64_t now_ns = lw_loop_now(expiry->port->loop);
    expiry->under_way--;
    m->is_in_work = false;
    if (m->is_forgotten)
        lw_free(m);
    else if (write->outcome == LW_WRITE_REFUSE)
        (void)wait_until(m, now_ns + RETRY_NS);
    else if (m->deadline_ns > now_ns)
        (void)wait_until(m, m->deadline_ns);
    lw_write_release(write);
    lw_free(r);
    expire_due(expiry);
}

static bool start_removal(expiring_event *m)
{
    removal *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return false;
    r->event = m;
    r->write.port = m->expiry->port;
    r->write.kind = m->kind;
    r->write.key = (lw_key){ m->ns, m->name };
    r->write.decide = removal_decide;
    r->write.done = removal_done;
    m->is_in_work = true;
    m->expiry->under_way++;
    lw_write_start(&r->write);
    return true;
}

static void expire_due(lw_event_expiry *expiry)
{
    int64_t now_ns = lw_loop_now(expiry->port->loop);
    while (!expiry->is_stopped && expiry->under_way < WINDOW) {
        lw_heap_node *top = lw_heap_top(&expiry->heap);
        expiring_event *m = top ? LW_HEAP_ITEM(top, expiring_event, node) : NULL;
        if (!m || m->deadline_ns > now_ns)
            break;
        lw_heap_remove(&expiry->heap, &m->node);
        if (!start_removal(m)) {
            (void)wait_until(m, now_ns + RETRY_NS);
            break;
        }
    }
    /* If the window is full, the next write that ends continues. */
    if (expiry->under_way < WINDOW)
        (void)set_timer(expiry);
}

static void take_later(const lw_object *obj, const char *pointer, int64_t *latest_ns)
{
    lw_str json;
    lw_time time;
    int64_t ns;
    if (lw_object_raw(obj, pointer, &json) == LW_OK && json.len > 2 && json.ptr[0] == '"' &&
        lw_time_parse(lw_str_make(json.ptr + 1, json.len - 2), &time) && lw_time_to_ns(time, &ns) &&
        ns > *latest_ns)
        *latest_ns = ns;
}

/* Returns when the event was last written, by its own timestamps; not after |wall_ns|. */
static int64_t last_written(const lw_object *obj, int64_t wall_ns)
{
    static const char *const dates[] = { "/metadata/creationTimestamp", "/lastTimestamp",
                                         "/deprecatedLastTimestamp", "/eventTime",
                                         "/series/lastObservedTime" };
    int64_t latest_ns = 0;
    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++)
        take_later(obj, dates[i], &latest_ns);
    return latest_ns == 0 || latest_ns > wall_ns ? wall_ns : latest_ns;
}

static expiring_event *event_new(lw_event_expiry *expiry, const lw_kind *kind, lw_str id, lw_str ns)
{
    void *replaced = NULL;
    expiring_event *m = lw_alloc_zero(1, sizeof(*m) + id.len + 1);
    if (!m)
        return NULL;
    char *text = (char *)(m + 1);
    size_t ns_at = kind->group.len + 1, name_at = ns_at + ns.len + 1;
    memcpy(text, id.ptr, id.len);
    m->id = lw_str_make(text, id.len);
    m->ns = lw_str_make(text + ns_at, ns.len);
    m->name = lw_str_make(text + name_at, id.len - name_at);
    m->kind = kind;
    m->expiry = expiry;
    if (lw_map_put(&expiry->events, &m->id, m, &replaced) < 0) {
        lw_free(m);
        return NULL;
    }
    return m;
}

static lw_status observe_id(lw_event_expiry *expiry, const lw_kind *kind,
                            const lw_cache_event *event, lw_str id)
{
    expiring_event *m = lw_map_get_str(&expiry->events, id);
    if (event->type == LW_WATCH_DELETED) {
        (void)lw_map_remove_str(&expiry->events, id);
        if (m)
            event_drop(m);
        return LW_OK;
    }
    if (!m && lw_map_count(&expiry->events) >= EVENTS_MAX)
        return LW_OK;
    if (!m)
        m = event_new(expiry, kind, id, lw_str_of(lw_object_namespace(event->object)));
    if (!m)
        return LW_ERR_NOMEM;
    int64_t wall_ns = lw_clock_wall(expiry->port->api->clock);
    int64_t written_ns =
        event->type == LW_WATCH_ADDED ? last_written(event->object, wall_ns) : wall_ns;
    m->revision = event->revision;
    return wait_until(m, lw_clock_now(lw_loop_clock(expiry->port->loop)) + expiry->ttl_ns -
                             (wall_ns - written_ns));
}

lw_status lw_event_expiry_observe(lw_event_expiry *expiry, const lw_kind *kind,
                                  const lw_cache_event *event)
{
    lw_buf id;
    if (!expiry || kind->ttl_s == 0)
        return LW_OK;
    lw_buf_init(&id, LW_STORE_KEY_MAX);
    lw_buf_append_str(&id, kind->group);
    lw_buf_append_char(&id, '/');
    lw_buf_append_text(&id, lw_object_namespace(event->object));
    lw_buf_append_char(&id, '/');
    lw_buf_append_text(&id, lw_object_name(event->object));
    lw_status st = id.st < 0 ? id.st : observe_id(expiry, kind, event, lw_buf_view(&id));
    lw_buf_done(&id);
    return st;
}

lw_status lw_event_expiry_new(lw_event_expiry **out, lw_api_port *port, int64_t ttl_s)
{
    lw_event_expiry *expiry = lw_alloc_zero(1, sizeof(*expiry));
    if (!expiry)
        return LW_ERR_NOMEM;
    expiry->port = port;
    expiry->ttl_ns = ttl_s * LW_NS_PER_S;
    lw_map_init(&expiry->events, &by_id, lw_hash_seed_random(), EVENTS_MAX);
    lw_heap_init(&expiry->heap, EVENTS_MAX, is_sooner, NULL);
    *out = expiry;
    return LW_OK;
}

void lw_event_expiry_forget(lw_event_expiry *expiry)
{
    if (!expiry)
        return;
    lw_map_cursor cursor = lw_map_begin(&expiry->events);
    lw_timer_cancel(expiry->port->loop, &expiry->timer);
    for (expiring_event *m; (m = lw_map_next(&expiry->events, &cursor));)
        event_drop(m);
    lw_map_clear(&expiry->events);
}

void lw_event_expiry_stop(lw_event_expiry *expiry)
{
    if (!expiry)
        return;
    expiry->is_stopped = true;
    lw_timer_cancel(expiry->port->loop, &expiry->timer);
}

void lw_event_expiry_free(lw_event_expiry *expiry)
{
    if (!expiry)
        return;
    lw_event_expiry_forget(expiry);
    lw_map_done(&expiry->events);
    lw_heap_done(&expiry->heap);
    lw_free(expiry);
}
