/* SPDX-License-Identifier: Apache-2.0 */
/* gc.c -- the garbage collector: observes changes, queues nodes, writes.
 *
 *     QUEUED ──pump──▶ in work ──item_done──▶ idle
 *        ▲                │ the write failed
 *        └──retry_fire── FAILED ◀┘ */
#include "api/lifecycle/gc.h"

#include "api/context/throttle.h"
#include "api/lifecycle/controller_users.h"
#include "api/lifecycle/gc_decide.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/definition.h"

enum {
    WINDOW = 64,           /* writes per batch */
    BATCH = 256,           /* writes started per turn of the loop: most end at once */
    ASKING_MAX = 64,       /* writes that wait for webhooks; they are part of no batch */
    RETRY_NS = 1000000000, /* delay before failed nodes are queued again; twice as long after each
                              failure, but at most RETRY_MAX times */
    RETRY_MAX_BITS = 4,
};

struct lw_gc {
    lw_gc_options options;
    lw_gc_graph graph;
    lw_dlist queued; /* of lw_gc_node */
    lw_dlist failed; /* of lw_gc_node: queued again after a delay */
    lw_timer retry;
    size_t under_way;
    size_t asking;        /* of them, those that wait for webhooks, or have done so */
    size_t stored;        /* writes of the current batch that went to the store */
    lw_throttle throttle; /* pauses between batches */
    bool is_pumping;
    bool is_stopped;
};

/* One write; it can outlive its node. */
typedef struct gc_item {
    lw_write write; /* must be the first member */
    lw_gc *gc;
    lw_gc_decision decision;
    bool is_asking;      /* counts in gc->asking */
    const lw_kind *kind; /* one reference */
    char *uid, *ns, *name;
} gc_item;

static void queue_node(lw_gc *gc, lw_gc_node *node)
{
    if (!node->kind || lw_dlist_node_is_linked(&node->queue_link))
        return;
    if (node->is_in_work)
        node->is_due_again = true;
    else
        lw_dlist_push_back(&gc->queued, &node->queue_link);
}

static void unqueue(lw_gc_node *node)
{
    if (lw_dlist_node_is_linked(&node->queue_link))
        lw_dlist_remove(&node->queue_link);
}

static void queue_dependents(lw_gc *gc, const lw_gc_node *node, bool only_blocking)
{
    LW_DLIST_FOR_EACH(lw_gc_ref, ref, &node->dependents, link)
    {
        if (ref->blocks || !only_blocking)
            queue_node(gc, ref->dependent);
    }
}

/* An owner has lost a dependent: its deletion may have waited for this. */
static void dependent_removed(lw_gc_node *owner, void *arg)
{
    if (owner->is_waiting)
        queue_node(arg, owner);
}

static void node_forgotten(lw_gc_node *node, void *arg)
{
    (void)arg;
    unqueue(node);
}

static lw_status observe_deleted(lw_gc *gc, const lw_kind *kind, const lw_object *obj)
{
    lw_gc_node *node = lw_gc_graph_find(&gc->graph, lw_str_of(lw_object_uid(obj)));
    if (!node)
        return LW_OK;
    if (lw_gc_node_identify(node, kind, obj) < 0)
        return LW_ERR_NOMEM;
    node->is_waiting = false;
    node->is_gone = true;
    unqueue(node);
    queue_dependents(gc, node, false);
    (void)lw_gc_graph_set_owners(&gc->graph, node, NULL, dependent_removed, gc);
    lw_gc_graph_release(&gc->graph, node);
    return LW_OK;
}

/* Returns true if the owner |uid|, which could own objects in |ns|, was seen to be deleted. */
static bool is_gone(const lw_gc *gc, lw_str uid, lw_str ns)
{
    const lw_gc_node *node = lw_gc_graph_find(&gc->graph, uid);
    return node && node->is_gone && (node->ns[0] == '\0' || lw_str_equal(lw_str_of(node->ns), ns));
}

/* Returns true if no owner requires an action: each exists, cannot be resolved, or waits for its
 * dependents and this object does not block it (it is then deleted after the owner).  False also if
 * an owner cannot be looked up. */
static bool has_settled_owners(const lw_gc *gc, const lw_kind *kind, const lw_object *obj)
{
    lw_owner_walk walk = lw_owner_walk_begin(obj);
    lw_owner_ref ref;
    lw_str ns = lw_str_of(lw_object_namespace(obj));
    while (lw_owner_walk_next(&walk, &ref)) {
        lw_owner_state state;
        if (lw_owner_look(gc->options.port, kind, ns, &ref, &state) < 0)
            return false;
        bool is_fine = state == LW_OWNER_SOLID ||
                       (state == LW_OWNER_UNKNOWN && !is_gone(gc, ref.uid, ns)) ||
                       (state == LW_OWNER_WAITING && !ref.blocks);
        if (!is_fine)
            return false;
    }
    return true;
}

static lw_status observe_existing(lw_gc *gc, const lw_kind *kind, const lw_object *obj)
{
    lw_str uid = lw_str_of(lw_object_uid(obj));
    lw_owner_deletion deletion = lw_owner_deletion_of(obj);
    bool is_waiting = deletion.is_deleting && (deletion.orphans || deletion.collects);
    bool is_owned = deletion.is_owned;
    lw_gc_node *node = lw_gc_graph_find(&gc->graph, uid);
    if (!node && !is_waiting && !is_owned)
        return LW_OK;
    if (!node)
        node = lw_gc_graph_get(&gc->graph, uid);
    if (!node || ((is_waiting || is_owned) && lw_gc_node_identify(node, kind, obj) < 0))
        return LW_ERR_NOMEM;
    node->is_waiting = is_waiting;
    node->is_gone = false;
    bool has_new_owners = !lw_gc_node_has_owners_of(node, obj);
    if (has_new_owners && lw_gc_graph_set_owners(&gc->graph, node, obj, dependent_removed, gc) < 0)
        return LW_ERR_NOMEM;
    if (is_waiting || (has_new_owners && !has_settled_owners(gc, kind, obj)))
        queue_node(gc, node);
    else
        lw_gc_graph_release(&gc->graph, node);
    return LW_OK;
}

lw_status lw_gc_observe(lw_gc *gc, const lw_kind *kind, const lw_cache_event *event)
{
    if (!gc)
        return LW_OK;
    if (lw_object_uid(event->object)[0] == '\0')
        return LW_OK; /* without a uid it cannot be an owner */
    if (event->type != LW_WATCH_DELETED)
        return observe_existing(gc, kind, event->object);
    return observe_deleted(gc, kind, event->object);
}

/* Describes the object of a write in the graph. */
static bool item_look(lw_gc_view *view, void *arg)
{
    const gc_item *item = arg;
    lw_gc *gc = item->gc;
    *view = (lw_gc_view){ .has_dependents = false };
    if (gc->is_stopped || !gc->options.catch_up(gc->options.arg))
        return false;
    lw_gc_node *node = lw_gc_graph_find(&gc->graph, lw_str_of(item->uid));
    if (!node)
        return true;
    view->has_dependents = !lw_dlist_is_empty(&node->dependents);
    view->is_blocked = lw_gc_node_is_blocked(node);
    LW_DLIST_FOR_EACH(lw_gc_ref, ref, &node->dependents, link)
    {
        view->is_owner_of_waiting |= ref->dependent->is_waiting;
    }
    return true;
}

static bool item_is_gone(lw_str uid, void *arg)
{
    const gc_item *item = arg;
    return is_gone(item->gc, uid, lw_str_of(item->ns));
}

static lw_write_decision item_decide(lw_write *write)
{
    gc_item *item = (gc_item *)(void *)write;
    return lw_gc_decide(write, &item->decision);
}

static void item_free(gc_item *item)
{
    if (!item)
        return;
    lw_kind_unref(item->kind);
    lw_free(item->uid);
    lw_free(item->ns);
    lw_free(item->name);
    lw_free(item);
}

static void retry_fire(lw_timer *timer);

static void set_retry(lw_gc *gc)
{
    lw_loop *loop = gc->options.port->loop;
    gc->retry.fire = retry_fire;
    if (!lw_heap_node_is_in(&gc->retry.node) && !gc->is_stopped)
        (void)lw_timer_set(loop, &gc->retry, lw_loop_now(loop) + RETRY_NS);
}

static uint32_t seconds_now(const lw_gc *gc)
{
    return (uint32_t)(lw_loop_now(gc->options.port->loop) / LW_NS_PER_S);
}

static void retry_fire(lw_timer *timer)
{
    lw_gc *gc = LW_HEAP_ITEM(&timer->node, lw_gc, retry.node);
    uint32_t now_s = seconds_now(gc);
    LW_DLIST_FOR_EACH_SAFE(lw_gc_node, node, &gc->failed, queue_link)
    {
        if (node->due_s > now_s)
            continue;
        lw_dlist_remove(&node->queue_link);
        lw_dlist_push_back(&gc->queued, &node->queue_link);
    }
    if (!lw_dlist_is_empty(&gc->failed))
        set_retry(gc);
    lw_gc_pump(gc);
}

/* Queues |node| again after a delay. */
static void retry_later(lw_gc *gc, lw_gc_node *node)
{
    node->due_s = seconds_now(gc) + (1u << node->failures);
    if (node->failures < RETRY_MAX_BITS)
        node->failures++;
    if (node->kind && !lw_dlist_node_is_linked(&node->queue_link))
        lw_dlist_push_back(&gc->failed, &node->queue_link);
    set_retry(gc);
}

static void item_done(lw_write *write)
{
    gc_item *item = (gc_item *)(void *)write;
    lw_gc *gc = item->gc;
    lw_gc_node *node = lw_gc_graph_find(&gc->graph, lw_str_of(item->uid));
    gc->under_way--;
    gc->asking -= item->is_asking;
    if (node && node->is_in_work) {
        node->is_in_work = false;
        if (write->outcome != LW_WRITE_REFUSE)
            node->failures = 0;
        if (write->outcome == LW_WRITE_REFUSE)
            retry_later(gc, node);
        else if (item->decision.needs_dependents || item->decision.needs_blockers)
            queue_dependents(gc, node, item->decision.needs_blockers);
        if (node->is_due_again)
            queue_node(gc, node);
        node->is_due_again = false;
        if (!lw_dlist_node_is_linked(&node->queue_link))
            lw_gc_graph_release(&gc->graph, node);
    }
    lw_write_release(write);
    item_free(item);
    if (gc->under_way > gc->asking || gc->stored == 0 || gc->is_pumping || gc->is_stopped) {
        lw_gc_pump(gc);
        return;
    }
    gc->stored = 0;
    lw_throttle_rest(&gc->throttle);
}

static void pause_over(lw_throttle *throttle)
{
    lw_gc_pump(LW_CONTAINER_OF(throttle, lw_gc, throttle));
}

static bool start_item(lw_gc *gc, lw_gc_node *node)
{
    gc_item *item = lw_alloc_zero(1, sizeof(*item));
    if (!item)
        return false;
    item->uid = lw_str_dup(node->uid);
    item->ns = lw_str_dup(lw_str_of(node->ns));
    item->name = lw_str_dup(lw_str_of(node->name));
    if (!item->uid || !item->ns || !item->name) {
        item_free(item);
        return false;
    }
    item->gc = gc;
    item->kind = lw_kind_ref(node->kind);
    item->decision = (lw_gc_decision){
        .uid = lw_str_of(item->uid), .look = item_look, .is_gone = item_is_gone, .arg = item
    };
    item->write.port = gc->options.port;
    item->write.kind = item->kind;
    item->write.user = &lw_user_garbage_collector;
    item->write.key = (lw_key){ lw_str_of(item->ns), lw_str_of(item->name) };
    item->write.decide = item_decide;
    item->write.done = item_done;
    node->is_in_work = true;
    size_t before = gc->under_way++;
    lw_write_start(&item->write);
    if (gc->under_way > before) {
        item->is_asking = item->write.state == LW_WRITE_ASKING;
        gc->asking += item->is_asking;
        gc->stored += !item->is_asking;
    }
    return true;
}

void lw_gc_pump(lw_gc *gc)
{
    if (!gc)
        return;
    if (gc->is_pumping ||
        gc->throttle.is_resting) /* called by a write that ended at once, or during a pause */
        return;
    gc->is_pumping = true;
    if (gc->stored == 0)
        lw_throttle_begin(&gc->throttle);
    for (int begun = 0; !gc->is_stopped && gc->stored < WINDOW && gc->asking < ASKING_MAX;
         begun++) {
        if (begun == BATCH) {
            gc->options.again(gc->options.arg);
            break;
        }
        lw_gc_node *node = LW_DLIST_ITEM(lw_dlist_pop_front(&gc->queued), lw_gc_node, queue_link);
        if (!node)
            break;
        if (!start_item(gc, node)) {
            retry_later(gc, node);
            break;
        }
    }
    gc->is_pumping = false;
}

lw_status lw_gc_new(lw_gc **out, const lw_gc_options *options)
{
    lw_gc *gc = lw_alloc_zero(1, sizeof(*gc));
    if (!gc)
        return LW_ERR_NOMEM;
    gc->options = *options;
    gc->throttle.port = options->port;
    gc->throttle.go = pause_over;
    lw_gc_graph_init(&gc->graph, node_forgotten, gc);
    lw_dlist_init(&gc->queued);
    lw_dlist_init(&gc->failed);
    *out = gc;
    return LW_OK;
}

void lw_gc_forget(lw_gc *gc)
{
    if (!gc)
        return;
    lw_timer_cancel(gc->options.port->loop, &gc->retry);
    lw_gc_graph_clear(&gc->graph);
}

void lw_gc_forget_resource(lw_gc *gc, const lw_cache_resource *resource)
{
    if (!gc)
        return;
    lw_dlist found;
    lw_dlist_init(&found);
    lw_map_cursor at = lw_map_begin(&gc->graph.nodes);
    for (lw_gc_node *node; (node = lw_map_next(&gc->graph.nodes, &at));) {
        if (!node->kind || node->is_gone ||
            lw_api_resource(gc->options.port->api, node->kind) != resource)
            continue;
        unqueue(node);
        lw_dlist_push_back(&found, &node->queue_link);
    }
    for (lw_dlist_node *link; (link = lw_dlist_pop_front(&found));) {
        lw_gc_node *node = LW_DLIST_ITEM(link, lw_gc_node, queue_link);
        node->is_waiting = false;
        lw_gc_node_unidentify(node);
        (void)lw_gc_graph_set_owners(&gc->graph, node, NULL, dependent_removed, gc);
        lw_gc_graph_release(&gc->graph, node);
    }
}

void lw_gc_stop(lw_gc *gc)
{
    if (!gc)
        return;
    gc->is_stopped = true;
    lw_timer_cancel(gc->options.port->loop, &gc->retry);
}

void lw_gc_free(lw_gc *gc)
{
    if (!gc)
        return;
    lw_gc_graph_clear(&gc->graph);
    lw_map_done(&gc->graph.nodes);
    lw_free(gc);
}
