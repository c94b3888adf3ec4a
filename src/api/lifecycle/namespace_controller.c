/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_controller.c -- when which namespace is emptied. */
#include "api/lifecycle/namespace_controller.h"

#include <string.h>

#include "api/lifecycle/namespace_content.h"
#include "api/lifecycle/namespace_purge.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

enum {
    PASSES_MAX = 4, /* under way at once */
    NAMESPACES_MAX = 1 << 20,
};

#define PAUSE_NS LW_NS_PER_S

typedef struct space {
    lw_namespace_controller *terminating;
    lw_str name;            /* behind the struct */
    lw_dlist_node due_link; /* in due while a pass is wanted and none runs */
    int64_t not_before_ns;  /* of the loop's clock */
    bool is_running;
    bool has_failed;   /* the last pass did: the next one waits, whatever happens */
    bool is_due_again; /* wanted while one ran */
    bool is_forgotten; /* to be freed when its pass is over */
} space;

struct lw_namespace_controller {
    lw_api_port *port;
    lw_map spaces; /* of space by name */
    lw_dlist due;
    size_t running;
    lw_timer timer;
    bool is_pumping;
    bool is_stopped;
};

static const lw_map_type by_name = LW_MAP_STR_TYPE(space, name);

static void space_want(space *s)
{
    if (s->is_running)
        s->is_due_again = true;
    else if (!lw_dlist_node_is_linked(&s->due_link))
        lw_dlist_push_back(&s->terminating->due, &s->due_link);
}

/* It is in the map no longer. */
static void space_drop(space *s)
{
    if (lw_dlist_node_is_linked(&s->due_link))
        lw_dlist_remove(&s->due_link);
    s->is_forgotten = true;
    if (!s->is_running)
        lw_free(s);
}

static void pass_over(lw_purge_outcome outcome, void *arg)
{
    space *s = arg;
    lw_namespace_controller *terminating = s->terminating;
    s->is_running = false;
    terminating->running--;
    if (s->is_forgotten) {
        lw_free(s);
    } else {
        s->has_failed = outcome == LW_PURGE_FAILED;
        if (outcome != LW_PURGE_DONE)
            s->not_before_ns = lw_loop_now(terminating->port->loop) + PAUSE_NS;
        if (s->has_failed || s->is_due_again)
            space_want(s);
        s->is_due_again = false;
    }
    lw_namespace_controller_pump(terminating);
}

static lw_status space_add(lw_namespace_controller *terminating, lw_str name)
{
    void *replaced = NULL;
    space *s = lw_alloc_zero(1, sizeof(*s) + name.len + 1);
    if (!s)
        return LW_ERR_NOMEM;
    char *text = (char *)(s + 1);
    memcpy(text, name.ptr, name.len);
    s->name = lw_str_make(text, name.len);
    s->terminating = terminating;
    lw_status st = lw_map_put(&terminating->spaces, &s->name, s, &replaced);
    if (st < 0) {
        lw_free(s);
        return st;
    }
    space_want(s);
    return LW_OK;
}

lw_status lw_namespace_controller_observe(lw_namespace_controller *terminating,
                                          const lw_cache_event *event)
{
    lw_str name = lw_str_of(lw_object_name(event->object)), text;
    space *s = lw_map_get_str(&terminating->spaces, name);
    bool is_ending = event->type != LW_WATCH_DELETED &&
                     lw_object_raw(event->object, "/metadata/deletionTimestamp", &text) == LW_OK;
    if (s && !is_ending) {
        (void)lw_map_remove_str(&terminating->spaces, name);
        space_drop(s);
    }
    return is_ending && !s ? space_add(terminating, name) : LW_OK;
}

void lw_namespace_controller_stirred(lw_namespace_controller *terminating, lw_str ns)
{
    space *s =
        lw_map_count(&terminating->spaces) > 0 ? lw_map_get_str(&terminating->spaces, ns) : NULL;
    if (s)
        space_want(s);
}

static void timer_fire(lw_timer *timer)
{
    lw_namespace_controller_pump(LW_HEAP_ITEM(&timer->node, lw_namespace_controller, timer.node));
}

static bool is_now(const lw_namespace_controller *terminating, const space *s)
{
    bool is_empty;
    if (s->not_before_ns <= lw_loop_now(terminating->port->loop))
        return true;
    return !s->has_failed &&
           lw_namespace_is_empty(terminating->port, s->name, &is_empty) == LW_OK && is_empty;
}

static void start_pass(space *s)
{
    lw_dlist_remove(&s->due_link);
    s->is_running = true;
    s->terminating->running++;
    lw_namespace_purge_start(s->terminating->port, s->name, pass_over, s);
}

void lw_namespace_controller_pump(lw_namespace_controller *terminating)
{
    lw_loop *loop = terminating->port->loop;
    int64_t next_ns = INT64_MAX;
    lw_dlist later;
    if (terminating->is_pumping)
        return;
    terminating->is_pumping = true;
    lw_dlist_init(&later);
    while (!terminating->is_stopped && terminating->running < PASSES_MAX) {
        space *s = LW_DLIST_ITEM(lw_dlist_first(&terminating->due), space, due_link);
        if (!s)
            break;
        if (is_now(terminating, s)) {
            start_pass(s);
            continue;
        }
        lw_dlist_remove(&s->due_link);
        lw_dlist_push_back(&later, &s->due_link);
        if (s->not_before_ns < next_ns)
            next_ns = s->not_before_ns;
    }
    lw_dlist_append_all(&terminating->due, &later);
    terminating->is_pumping = false;
    terminating->timer.fire = timer_fire;
    /* Without memory for the timer the next change pumps. */
    if (!terminating->is_stopped && next_ns != INT64_MAX)
        (void)lw_timer_set(loop, &terminating->timer, next_ns);
}

lw_status lw_namespace_controller_new(lw_namespace_controller **out, lw_api_port *port)
{
    lw_namespace_controller *terminating = lw_alloc_zero(1, sizeof(*terminating));
    if (!terminating)
        return LW_ERR_NOMEM;
    terminating->port = port;
    lw_map_init(&terminating->spaces, &by_name, lw_hash_seed_random(), NAMESPACES_MAX);
    lw_dlist_init(&terminating->due);
    *out = terminating;
    return LW_OK;
}

void lw_namespace_controller_forget(lw_namespace_controller *terminating)
{
    lw_map_cursor cursor = lw_map_begin(&terminating->spaces);
    lw_timer_cancel(terminating->port->loop, &terminating->timer);
    for (space *s; (s = lw_map_next(&terminating->spaces, &cursor));)
        space_drop(s);
    lw_map_clear(&terminating->spaces);
}

void lw_namespace_controller_stop(lw_namespace_controller *terminating)
{
    terminating->is_stopped = true;
    lw_timer_cancel(terminating->port->loop, &terminating->timer);
}

void lw_namespace_controller_free(lw_namespace_controller *terminating)
{
    if (!terminating)
        return;
    lw_namespace_controller_forget(terminating);
    lw_map_done(&terminating->spaces);
    lw_free(terminating);
}
