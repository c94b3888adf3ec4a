/* SPDX-License-Identifier: Apache-2.0 */
/* flow_keeper.c -- follows the objects of flow control and keeps the built-in ones.
 *
 *     paused ──begin──▶ following ──changes missed, out of memory──▶ paused (one second) */
#include "server/flowcontrol/flow_keeper.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "server/flowcontrol/flow_builtin.h"
#include "server/flowcontrol/flow_write.h"

#define ENSURE_NS    (60 * LW_NS_PER_S)
#define PAUSE_NS     LW_NS_PER_S
#define START_MAX_NS (5 * LW_NS_PER_S)

enum {
    LEVELS,
    SCHEMAS,
    KINDS,
};

static const lw_kind *const kinds[KINDS] = { &lw_kind_prioritylevelconfigurations,
                                             &lw_kind_flowschemas };

typedef struct flow_keeper {
    lw_port_worker worker; /* must be the first member */
    lw_flow *flow;
    lw_api_port *port;
    lw_cache_filter all;
    lw_watcher *watchers[KINDS]; /* NULL while paused */
    bool has_changes;            /* since the last apply */
    bool has_deletions;          /* since the built-in objects were looked after */
    bool is_stopped;
    bool is_started; /* the first round of writes is over */
    size_t writes;   /* in progress */
    lw_task turn;    /* queued while is_posted; counted in port->under_way */
    bool is_posted;
    lw_timer pause, adjust, ensure;
} flow_keeper;

static void begin(flow_keeper *keeper);

static void log_nomem(const flow_keeper *keeper, const char *what)
{
    lw_log(keeper->port->api->logger, LW_LOG_ERROR, "flowcontrol", "out of memory: %s", what);
}

/* The objects of one kind in the cache. */
typedef struct object_list {
    lw_cache_list list;
    lw_str *json;
} object_list;

static lw_status list_objects(const flow_keeper *keeper, size_t kind, object_list *out)
{
    lw_cache_resource *resource = lw_api_resource(keeper->port->api, kinds[kind]);
    lw_status st = lw_cache_list_now(resource, &keeper->all, LW_STR(""), 0, &out->list, NULL);
    if (st < 0)
        return st;
    out->json = lw_alloc_zero(out->list.count + 1, sizeof(*out->json));
    for (size_t i = 0; out->json && i < out->list.count; i++)
        out->json[i] = lw_object_json(out->list.objects[i]);
    return out->json ? LW_OK : LW_ERR_NOMEM;
}

static void object_list_done(object_list *list)
{
    lw_free(list->json);
    lw_cache_list_done(&list->list);
}

static void write_over(void *arg);

/* Writes the condition of every FlowSchema that does not have the right one. */
static void write_conditions(flow_keeper *keeper, const object_list *schemas)
{
    for (size_t i = 0; i < schemas->list.count; i++) {
        lw_str name = lw_str_of(lw_object_name(schemas->list.objects[i]));
        if (!lw_flow_condition_is_due(lw_flow_control_of(keeper->flow), schemas->json[i]))
            continue;
        keeper->writes++;
        lw_flow_write_condition(keeper->port, lw_flow_control_of(keeper->flow), name, write_over,
                                keeper);
    }
}

/* Makes the objects in the cache the configuration. */
static void apply(flow_keeper *keeper)
{
    object_list lists[KINDS] = { 0 };
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    lw_status st = list_objects(keeper, LEVELS, &lists[LEVELS]);
    if (st == LW_OK)
        st = list_objects(keeper, SCHEMAS, &lists[SCHEMAS]);
    if (st == LW_OK)
        st = lw_flow_control_apply(lw_flow_control_of(keeper->flow), lists[LEVELS].json,
                                   lists[LEVELS].list.count, lists[SCHEMAS].json,
                                   lists[SCHEMAS].list.count, &dispatched);
    lw_flow_start_dispatched(&dispatched);
    keeper->has_changes = st < 0; /* the next change or the next minute tries again */
    if (st == LW_OK)
        write_conditions(keeper, &lists[SCHEMAS]);
    else
        lw_log(keeper->port->api->logger, LW_LOG_ERROR, "flowcontrol",
               "cannot apply the FlowSchemas and PriorityLevelConfigurations: %s; the previous "
               "ones stay in force",
               lw_status_name(st));
    for (size_t i = 0; i < KINDS; i++)
        object_list_done(&lists[i]);
}

/* Creates the built-in objects that do not exist; with |is_full|, revises the others and removes
 * those that servers of other versions maintained. */
static void ensure_objects(flow_keeper *keeper, bool is_full)
{
    size_t count;
    const lw_flow_builtin *builtins = lw_flow_builtins(&count);
    keeper->has_deletions = false;
    for (size_t i = 0; i < count; i++) {
        lw_cache_resource *resource = lw_api_resource(keeper->port->api, builtins[i].kind);
        lw_object *current = lw_cache_get_ref(resource, LW_STR(""), builtins[i].name);
        bool is_due = current ? is_full && lw_flow_builtin_is_due(&builtins[i], current) : true;
        lw_object_unref(current);
        if (!is_due)
            continue;
        keeper->writes++;
        lw_flow_write_builtin(keeper->port, &builtins[i], write_over, keeper);
    }
    for (size_t kind = 0; is_full && kind < KINDS; kind++) {
        object_list list = { 0 };
        if (list_objects(keeper, kind, &list) == LW_OK) {
            for (size_t i = 0; i < list.list.count; i++) {
                if (!lw_flow_is_leftover(kinds[kind], list.list.objects[i]))
                    continue;
                keeper->writes++;
                lw_flow_write_removal(keeper->port, kinds[kind],
                                      lw_str_of(lw_object_name(list.list.objects[i])), write_over,
                                      keeper);
            }
        }
        object_list_done(&list);
    }
}

static void post_turn(flow_keeper *keeper)
{
    if (keeper->is_posted || keeper->is_stopped)
        return;
    keeper->is_posted = true;
    keeper->port->under_way++;
    lw_loop_post(keeper->port->loop, &keeper->turn);
}

static void write_over(void *arg)
{
    flow_keeper *keeper = arg;
    keeper->writes--;
    post_turn(keeper);
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    post_turn(arg);
}

static void unfollow(flow_keeper *keeper)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (keeper->watchers[i])
            lw_watcher_close(keeper->watchers[i]);
        keeper->watchers[i] = NULL;
    }
}

static void pause_over(lw_timer *timer)
{
    begin(LW_HEAP_ITEM(&timer->node, flow_keeper, pause.node));
}

static void pause_following(flow_keeper *keeper)
{
    unfollow(keeper);
    keeper->pause.fire = pause_over;
    if (lw_timer_set(keeper->port->loop, &keeper->pause,
                     lw_loop_now(keeper->port->loop) + PAUSE_NS) < 0)
        log_nomem(keeper, "changes of FlowSchemas and PriorityLevelConfigurations have no effect "
                          "until the server is restarted");
}

/* Takes the changes of one kind.  False: some were missed. */
static bool pull(flow_keeper *keeper, size_t kind)
{
    lw_cache_event event = { .object = NULL };
    for (;;) {
        switch (lw_watcher_next(keeper->watchers[kind], &event)) {
        case LW_WATCH_STEP_IDLE: return true;
        case LW_WATCH_STEP_SYNCED: keeper->has_changes = true; break;
        case LW_WATCH_STEP_EVENT:
            keeper->has_changes = true;
            keeper->has_deletions |= event.type == LW_WATCH_DELETED;
            lw_object_unref(event.object);
            break;
        case LW_WATCH_STEP_ENDED:
        case LW_WATCH_STEP_EXPIRED:
        case LW_WATCH_STEP_FAILED: return false;
        }
    }
}

/* Takes the changes and acts on them. */
static void catch_up(flow_keeper *keeper)
{
    for (size_t i = 0; i < KINDS && keeper->watchers[i]; i++) {
        if (!pull(keeper, i)) {
            pause_following(keeper);
            return;
        }
    }
    /* Writes in progress bring more changes: all of them are applied together. */
    if (keeper->writes > 0)
        return;
    if (keeper->has_deletions)
        ensure_objects(keeper, false);
    if (keeper->has_changes && keeper->writes == 0)
        apply(keeper);
    keeper->is_started = keeper->is_started || keeper->writes == 0;
}

static void take_turn(lw_task *task)
{
    flow_keeper *keeper = LW_DLIST_ITEM(&task->link, flow_keeper, turn.link);
    keeper->is_posted = false;
    keeper->port->under_way--;
    if (!keeper->is_stopped)
        catch_up(keeper);
}

static void adjust_due(lw_timer *timer)
{
    flow_keeper *keeper = LW_HEAP_ITEM(&timer->node, flow_keeper, adjust.node);
    lw_dlist dispatched;
    lw_dlist_init(&dispatched);
    lw_flow_control_adjust(lw_flow_control_of(keeper->flow), &dispatched);
    lw_flow_start_dispatched(&dispatched);
    if (lw_timer_set(keeper->port->loop, timer,
                     lw_loop_now(keeper->port->loop) + LW_FLOW_ADJUST_NS) < 0)
        log_nomem(keeper, "priority levels no longer lend seats to each other");
}

static void ensure_due(lw_timer *timer)
{
    flow_keeper *keeper = LW_HEAP_ITEM(&timer->node, flow_keeper, ensure.node);
    if (keeper->writes == 0)
        ensure_objects(keeper, true);
    keeper->has_changes = true;
    post_turn(keeper);
    if (lw_timer_set(keeper->port->loop, timer, lw_loop_now(keeper->port->loop) + ENSURE_NS) < 0)
        log_nomem(keeper, "the built-in FlowSchemas and PriorityLevelConfigurations are no longer "
                          "maintained");
}

static void begin(flow_keeper *keeper)
{
    for (size_t i = 0; i < KINDS; i++) {
        const lw_watcher_options options = {
            .port = keeper->port->cache,
            .resource = lw_api_resource(keeper->port->api, kinds[i]),
            .filter = &keeper->all,
            .start = LW_WATCH_START_STATE,
            .on_ready = on_ready,
            .arg = keeper,
            .is_uncounted = true,
        };
        if (lw_watcher_open(&keeper->watchers[i], &options, NULL) < 0) {
            pause_following(keeper);
            return;
        }
    }
    keeper->has_changes = true;
    post_turn(keeper);
}

static void keeper_stop(lw_port_worker *worker)
{
    flow_keeper *keeper = (flow_keeper *)(void *)worker;
    if (keeper->is_stopped)
        return;
    keeper->is_stopped = true;
    lw_timer_cancel(keeper->port->loop, &keeper->pause);
    lw_timer_cancel(keeper->port->loop, &keeper->adjust);
    lw_timer_cancel(keeper->port->loop, &keeper->ensure);
    unfollow(keeper);
}

static void keeper_free(lw_port_worker *worker)
{
    lw_free(worker);
}

/* Runs the loop, which has no thread yet, until the objects exist. */
static void run_until_started(flow_keeper *keeper)
{
    int64_t deadline_ns = lw_clock_now(lw_clock_system()) + START_MAX_NS;
    while (!keeper->is_started && keeper->watchers[0] &&
           lw_clock_now(lw_clock_system()) < deadline_ns) {
        if (lw_loop_turn(keeper->port->loop, 100, NULL) < 0)
            break;
    }
    if (!keeper->is_started)
        lw_log(keeper->port->api->logger, LW_LOG_WARN, "flowcontrol",
               "the built-in FlowSchemas and PriorityLevelConfigurations have not been stored "
               "yet; the server goes on trying");
}

lw_status lw_flow_keeper_start(lw_flow *flow, lw_loop *loop, lw_error *err)
{
    flow_keeper *keeper = lw_alloc_zero(1, sizeof(*keeper));
    if (!keeper)
        return lw_error_nomem(err);
    keeper->worker.stop = keeper_stop;
    keeper->worker.free = keeper_free;
    keeper->flow = flow;
    keeper->port = lw_loop_data(loop);
    keeper->turn.run = take_turn;
    keeper->adjust.fire = adjust_due;
    keeper->ensure.fire = ensure_due;
    lw_port_add_worker(keeper->port, &keeper->worker);
    int64_t now_ns = lw_clock_now(lw_loop_clock(loop));
    if (lw_timer_set(loop, &keeper->adjust, now_ns + LW_FLOW_ADJUST_NS) < 0 ||
        lw_timer_set(loop, &keeper->ensure, now_ns + ENSURE_NS) < 0)
        return lw_error_nomem(err);
    begin(keeper);
    ensure_objects(keeper, true);
    catch_up(keeper); /* the objects exist, but for those of another version: see flow_seed.h */
    run_until_started(keeper);
    return LW_OK;
}
