/* SPDX-License-Identifier: Apache-2.0 */
/* quota_controller.c -- when which namespace is counted.
 *
 * A count of a large namespace takes its time, and a thousand deletions one after the other would
 * have it counted a thousand times: so each is followed by a pause of several times its length.
 * On a store that others write to, another server's charge may be on its way to its object: nothing
 * is counted until the quota has been left alone for a moment, or that takes too long. */
#include "api/quota/quota_controller.h"

#include <string.h>

#include "api/quota/quota_pending.h"
#include "api/quota/quota_recount.h"
#include "api/quota/quota_usage.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    NAMESPACES_MAX = 1 << 20,
    RUNNING_MAX = 4, /* counted at once */
    PAUSE_TIMES = 4,
};

#define PAUSE_MIN_NS (20 * LW_NS_PER_MS)
#define RETRY_NS     LW_NS_PER_S
#define RESYNC_NS    (300 * LW_NS_PER_S)
#define QUIET_NS     (500 * LW_NS_PER_MS)
#define PATIENCE_NS  (3 * LW_NS_PER_S)

/* A namespace with quotas. */
typedef struct space {
    lw_quota_controller *controller;
    lw_str name;            /* behind the struct */
    lw_dlist_node due_link; /* in due while it is to be counted and is not */
    int64_t due_since_ns;
    int64_t not_before_ns; /* by the loop's clock */
    int64_t quiet_ns;      /* of a shared store: not before this either, within reason */
    int64_t began_ns;
    bool is_running;
    bool is_due_again; /* wanted while it ran */
    bool is_forgotten; /* to be freed when that is over */
} space;

struct lw_quota_controller {
    lw_api_port *port;
    lw_map spaces; /* of space by name */
    lw_dlist due;
    size_t running;
    lw_timer timer, resync;
    atomic_int is_woken; /* any thread; a word of its own, or it is read with its neighbours */
    lw_task wake;        /* posted by the pending, on any thread, while is_woken */
    bool is_pumping;
    bool is_stopped;
};

static const lw_map_type by_name = LW_MAP_STR_TYPE(space, name);

static int64_t now_of(const lw_quota_controller *controller)
{
    return lw_clock_now(lw_loop_clock(controller->port->loop));
}

static void space_want(space *s)
{
    if (s->is_running) {
        s->is_due_again = true;
    } else if (!lw_dlist_node_is_linked(&s->due_link)) {
        s->due_since_ns = now_of(s->controller);
        lw_dlist_push_back(&s->controller->due, &s->due_link);
    }
}

static void space_drop(space *s)
{
    if (lw_dlist_node_is_linked(&s->due_link))
        lw_dlist_remove(&s->due_link);
    s->is_forgotten = true;
    if (!s->is_running)
        lw_free(s);
}

static space *space_get(lw_quota_controller *controller, lw_str name)
{
    void *replaced = NULL;
    space *s = lw_map_get_str(&controller->spaces, name);
    if (s)
        return s;
    s = lw_alloc_zero(1, sizeof(*s) + name.len + 1);
    if (!s)
        return NULL;
    char *text = (char *)(s + 1);
    memcpy(text, name.ptr, name.len);
    s->name = lw_str_make(text, name.len);
    s->controller = controller;
    if (lw_map_put(&controller->spaces, &s->name, s, &replaced) < 0) {
        lw_free(s);
        return NULL;
    }
    return s;
}

static void count_over(bool is_complete, void *arg)
{
    space *s = arg;
    lw_quota_controller *controller = s->controller;
    s->is_running = false;
    controller->running--;
    if (s->is_forgotten) {
        lw_free(s);
    } else {
        int64_t now_ns = now_of(controller), pause_ns = (now_ns - s->began_ns) * PAUSE_TIMES;
        if (pause_ns < PAUSE_MIN_NS)
            pause_ns = PAUSE_MIN_NS;
        s->not_before_ns = now_ns + (is_complete ? pause_ns : RETRY_NS);
        if (!is_complete || s->is_due_again)
            space_want(s);
        s->is_due_again = false;
    }
    lw_quota_controller_pump(controller);
}

static void space_count(space *s)
{
    lw_dlist_remove(&s->due_link);
    s->is_running = true;
    s->began_ns = now_of(s->controller);
    s->controller->running++;
    lw_quota_recount(s->controller->port, s->name, count_over, s);
}

/* When the space may be counted. */
static int64_t space_time(const space *s)
{
    int64_t quiet_ns = s->quiet_ns;
    if (quiet_ns > s->due_since_ns + PATIENCE_NS)
        quiet_ns = s->due_since_ns + PATIENCE_NS;
    return quiet_ns > s->not_before_ns ? quiet_ns : s->not_before_ns;
}

/* Without memory for the timer the next pump tries again. */
static void set_resync(lw_quota_controller *controller)
{
    (void)lw_timer_set(controller->port->loop, &controller->resync, now_of(controller) + RESYNC_NS);
}

static void timer_fire(lw_timer *timer)
{
    lw_quota_controller_pump(LW_HEAP_ITEM(&timer->node, lw_quota_controller, timer.node));
}

void lw_quota_controller_pump(lw_quota_controller *controller)
{
    int64_t next_ns = INT64_MAX, now_ns = now_of(controller);
    lw_dlist later;
    if (controller->is_pumping || controller->is_stopped)
        return;
    controller->is_pumping = true;
    lw_dlist_init(&later);
    while (controller->running < RUNNING_MAX) {
        space *s = LW_DLIST_ITEM(lw_dlist_first(&controller->due), space, due_link);
        if (!s)
            break;
        if (space_time(s) <= now_ns) {
            space_count(s);
            continue;
        }
        lw_dlist_remove(&s->due_link);
        lw_dlist_push_back(&later, &s->due_link);
        if (space_time(s) < next_ns)
            next_ns = space_time(s);
    }
    lw_dlist_append_all(&controller->due, &later);
    controller->is_pumping = false;
    if (!lw_heap_node_is_in(&controller->resync.node))
        set_resync(controller);
    /* Without memory for the timer the next change pumps. */
    if (next_ns != INT64_MAX)
        (void)lw_timer_set(controller->port->loop, &controller->timer, next_ns);
}

void lw_quota_controller_recount_all(lw_quota_controller *controller)
{
    lw_map_cursor cursor = lw_map_begin(&controller->spaces);
    for (space *s; (s = lw_map_next(&controller->spaces, &cursor));)
        space_want(s);
}

static void resync_fire(lw_timer *timer)
{
    lw_quota_controller *controller = LW_HEAP_ITEM(&timer->node, lw_quota_controller, resync.node);
    lw_quota_controller_recount_all(controller);
    set_resync(controller);
    lw_quota_controller_pump(controller);
}

/* Whether what a quota limits is not what its status says it does. */
static bool is_stale(const lw_object *quota)
{
    lw_str spec = LW_STR(""), status = LW_STR("");
    (void)lw_object_raw(quota, "/spec/hard", &spec);
    return lw_object_raw(quota, "/status/hard", &status) < 0 || !lw_str_equal(spec, status);
}

static bool has_quotas(const lw_quota_controller *controller, lw_str ns)
{
    const lw_cache_filter filter = { .ns = ns };
    lw_cache_list list = { 0 };
    lw_cache_resource *resource = lw_api_resource(controller->port->api, &lw_kind_resourcequotas);
    if (lw_cache_list_now(resource, &filter, LW_STR(""), 1, &list, NULL) < 0)
        return true;
    bool is_any = list.count > 0;
    lw_cache_list_done(&list);
    return is_any;
}

static lw_status observe_quota(lw_quota_controller *controller, lw_str ns,
                               const lw_cache_event *event)
{
    if (event->type == LW_WATCH_DELETED) {
        space *gone = lw_map_get_str(&controller->spaces, ns);
        if (gone && !has_quotas(controller, ns)) {
            (void)lw_map_remove_str(&controller->spaces, ns);
            space_drop(gone);
        } else if (gone) {
            space_want(gone); /* quotas are counted, too */
        }
        return LW_OK;
    }
    space *s = space_get(controller, ns);
    if (!s)
        return LW_ERR_NOMEM;
    if (event->type == LW_WATCH_ADDED || is_stale(event->object))
        space_want(s);
    else if (lw_store_is_shared(controller->port->api->store))
        s->quiet_ns = now_of(controller) + QUIET_NS;
    return LW_OK;
}

static bool is_over(const lw_object *pod)
{
    lw_str phase;
    return lw_object_raw(pod, "/status/phase", &phase) == LW_OK &&
           (lw_str_equal(phase, LW_STR("\"Failed\"")) ||
            lw_str_equal(phase, LW_STR("\"Succeeded\"")));
}

/* Whether less is used than before.  Of updates of other kinds the pending tells. */
static bool is_release(const lw_kind *kind, const lw_cache_event *event)
{
    return event->type == LW_WATCH_DELETED ||
           (event->type == LW_WATCH_MODIFIED && kind == &lw_kind_pods && is_over(event->object));
}

lw_status lw_quota_controller_observe(lw_quota_controller *controller, const lw_kind *kind,
                                      const lw_cache_event *event)
{
    if (!lw_quota_is_counted(kind))
        return LW_OK;
    lw_str ns = lw_str_of(lw_object_namespace(event->object));
    if (kind == &lw_kind_resourcequotas)
        return observe_quota(controller, ns, event);
    space *s = lw_map_count(&controller->spaces) > 0 && is_release(kind, event)
                   ? lw_map_get_str(&controller->spaces, ns)
                   : NULL;
    if (s)
        space_want(s);
    return LW_OK;
}

/* On any thread. */
static void controller_wake(void *arg)
{
    lw_quota_controller *controller = arg;
    if (atomic_exchange(&controller->is_woken, 1) == 0)
        lw_loop_post(controller->port->loop, &controller->wake);
}

static void controller_woken(lw_task *task)
{
    lw_quota_controller *controller = LW_DLIST_ITEM(&task->link, lw_quota_controller, wake.link);
    lw_dlist due;
    lw_dlist_init(&due);
    atomic_store(&controller->is_woken, 0);
    if (lw_quota_pending_take_due(controller->port->api->quotas, &due))
        lw_quota_controller_recount_all(controller);
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&due));) {
        lw_quota_due *item = LW_DLIST_ITEM(node, lw_quota_due, link);
        space *s = lw_map_get_str(&controller->spaces, item->ns);
        if (s)
            space_want(s);
        lw_free(item);
    }
    lw_quota_controller_pump(controller);
}

lw_status lw_quota_controller_new(lw_quota_controller **out, lw_api_port *port)
{
    lw_quota_controller *controller = lw_alloc_zero(1, sizeof(*controller));
    if (!controller)
        return LW_ERR_NOMEM;
    controller->port = port;
    lw_map_init(&controller->spaces, &by_name, lw_hash_seed_random(), NAMESPACES_MAX);
    lw_dlist_init(&controller->due);
    controller->timer.fire = timer_fire;
    controller->resync.fire = resync_fire;
    controller->wake.run = controller_woken;
    set_resync(controller);
    lw_quota_pending_attend(port->api->quotas, controller_wake, controller);
    *out = controller;
    return LW_OK;
}

void lw_quota_controller_forget(lw_quota_controller *controller)
{
    lw_map_cursor cursor = lw_map_begin(&controller->spaces);
    lw_timer_cancel(controller->port->loop, &controller->timer);
    for (space *s; (s = lw_map_next(&controller->spaces, &cursor));)
        space_drop(s);
    lw_map_clear(&controller->spaces);
}

void lw_quota_controller_stop(lw_quota_controller *controller)
{
    if (!controller)
        return;
    controller->is_stopped = true;
    lw_quota_pending_unattend(controller->port->api->quotas, controller);
    lw_timer_cancel(controller->port->loop, &controller->timer);
    lw_timer_cancel(controller->port->loop, &controller->resync);
}

void lw_quota_controller_free(lw_quota_controller *controller)
{
    if (!controller)
        return;
    /* Nobody wakes it any more; what was posted before must have come. */
    lw_quota_controller_stop(controller);
    while (atomic_load(&controller->is_woken) != 0 &&
           lw_loop_turn(controller->port->loop, 0, NULL) == LW_OK) {
    }
    lw_quota_controller_forget(controller);
    lw_map_done(&controller->spaces);
    lw_free(controller);
}
