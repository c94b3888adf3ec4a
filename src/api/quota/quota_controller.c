/* SPDX-License-Identifier: Apache-2.0 */
/* quota_controller.c -- when which namespace is counted.
 *
 * A count of a large namespace takes its time, and a thousand deletions one after the other would
 * have it counted a thousand times: so each is followed by a pause of several times its length.
 * On a store that others write to, another server's charge may be on its way to its object: nothing
 * is counted until the quota has been left alone for a moment, or that takes too long. */
#include "api/quota/quota_controller.h"

#include "api/context/key_scheduler.h"
#include "api/quota/quota_pending.h"
#include "api/quota/quota_recount.h"
#include "api/quota/quota_usage.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
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
    lw_scheduled_key key;  /* first */
    int64_t not_before_ns; /* by the loop's clock */
    int64_t quiet_ns;      /* of a shared store: not before this either, within reason */
} space;

struct lw_quota_controller {
    lw_api_port *port;
    lw_key_scheduler spaces; /* of space by namespace */
    lw_timer resync;
    atomic_int is_woken; /* any thread; a word of its own, or it is read with its neighbours */
    lw_task wake;        /* posted when pending charges end, on any thread, while is_woken */
};

static void count_over(bool is_complete, void *arg)
{
    space *s = arg;
    int64_t now_ns = lw_key_scheduler_now(s->key.scheduler);
    int64_t pause_ns = (now_ns - s->key.began_ns) * PAUSE_TIMES;
    if (pause_ns < PAUSE_MIN_NS)
        pause_ns = PAUSE_MIN_NS;
    s->not_before_ns = now_ns + (is_complete ? pause_ns : RETRY_NS);
    lw_key_scheduler_pass_over(&s->key, !is_complete);
}

static void space_count(lw_scheduled_key *key)
{
    const lw_quota_controller *controller =
        LW_CONTAINER_OF(key->scheduler, lw_quota_controller, spaces);
    lw_quota_recount(controller->port, key->name, count_over, key);
}

static int64_t space_ready_ns(const lw_scheduled_key *key)
{
    const space *s = (const space *)(const void *)key;
    int64_t quiet_ns = s->quiet_ns;
    if (quiet_ns > key->due_since_ns + PATIENCE_NS)
        quiet_ns = key->due_since_ns + PATIENCE_NS;
    return quiet_ns > s->not_before_ns ? quiet_ns : s->not_before_ns;
}

static const lw_key_scheduler_type counting = {
    .entry_size = sizeof(space),
    .keys_max = NAMESPACES_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = space_ready_ns,
    .start = space_count,
};

/* Without memory for the timer the next pump tries again. */
static void set_resync(lw_quota_controller *controller)
{
    (void)lw_timer_set(controller->port->loop, &controller->resync,
                       lw_key_scheduler_now(&controller->spaces) + RESYNC_NS);
}

void lw_quota_controller_pump(lw_quota_controller *controller)
{
    if (!controller)
        return;
    if (controller->spaces.is_stopped)
        return;
    lw_key_scheduler_pump(&controller->spaces);
    if (!lw_heap_node_is_in(&controller->resync.node))
        set_resync(controller);
}

void lw_quota_controller_recount_all(lw_quota_controller *controller)
{
    if (!controller)
        return;
    lw_key_scheduler_want_all(&controller->spaces);
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
    lw_scheduled_key *key = lw_key_scheduler_find(&controller->spaces, ns);
    if (event->type == LW_WATCH_DELETED) {
        if (key && !has_quotas(controller, ns))
            lw_key_scheduler_remove(key);
        else if (key)
            lw_key_scheduler_want(key); /* quotas are counted, too */
        return LW_OK;
    }
    if (!key)
        key = lw_key_scheduler_add(&controller->spaces, ns);
    if (!key)
        return LW_ERR_NOMEM;
    if (event->type == LW_WATCH_ADDED || is_stale(event->object))
        lw_key_scheduler_want(key);
    else if (lw_store_is_shared(controller->port->api->store))
        ((space *)(void *)key)->quiet_ns = lw_key_scheduler_now(&controller->spaces) + QUIET_NS;
    return LW_OK;
}

static bool is_over(const lw_object *pod)
{
    lw_str phase;
    return lw_object_raw(pod, "/status/phase", &phase) == LW_OK &&
           (lw_str_equal(phase, LW_STR("\"Failed\"")) ||
            lw_str_equal(phase, LW_STR("\"Succeeded\"")));
}

/* Whether the object uses less than before.  Updates of other kinds are reported by their charges.
 */
static bool is_release(const lw_kind *kind, const lw_cache_event *event)
{
    return event->type == LW_WATCH_DELETED ||
           (event->type == LW_WATCH_MODIFIED && kind == &lw_kind_pods && is_over(event->object));
}

lw_status lw_quota_controller_observe(lw_quota_controller *controller, const lw_kind *kind,
                                      const lw_cache_event *event)
{
    if (!controller)
        return LW_OK;
    if (!lw_quota_is_counted(kind))
        return LW_OK;
    lw_str ns = lw_str_of(lw_object_namespace(event->object));
    if (kind == &lw_kind_resourcequotas)
        return observe_quota(controller, ns, event);
    bool is_wanted = lw_map_count(&controller->spaces.keys) > 0 && is_release(kind, event);
    lw_scheduled_key *key = is_wanted ? lw_key_scheduler_find(&controller->spaces, ns) : NULL;
    if (key)
        lw_key_scheduler_want(key);
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
        lw_scheduled_key *key = lw_key_scheduler_find(&controller->spaces, item->ns);
        if (key)
            lw_key_scheduler_want(key);
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
    lw_key_scheduler_init(&controller->spaces, &counting, port->loop);
    controller->resync.fire = resync_fire;
    controller->wake.run = controller_woken;
    set_resync(controller);
    lw_quota_pending_attend(port->api->quotas, controller_wake, controller);
    *out = controller;
    return LW_OK;
}

void lw_quota_controller_forget(lw_quota_controller *controller)
{
    if (!controller)
        return;
    lw_key_scheduler_forget(&controller->spaces);
}

void lw_quota_controller_stop(lw_quota_controller *controller)
{
    if (!controller)
        return;
    lw_key_scheduler_stop(&controller->spaces);
    lw_quota_pending_unattend(controller->port->api->quotas, controller);
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
    lw_key_scheduler_done(&controller->spaces);
    lw_free(controller);
}
