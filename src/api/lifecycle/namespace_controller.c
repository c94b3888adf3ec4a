/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_controller.c -- when which namespace is emptied. */
#include "api/lifecycle/namespace_controller.h"

#include "api/context/key_scheduler.h"
#include "api/lifecycle/namespace_content.h"
#include "api/lifecycle/namespace_purge.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"

enum {
    PASSES_MAX = 4,     /* under way at once */
    PAUSE_BITS_MAX = 4, /* the pause doubles with each failure, as often as this */
    NAMESPACES_MAX = 1 << 20,
};

#define PAUSE_NS LW_NS_PER_S

typedef struct space {
    lw_scheduled_key key;  /* first */
    int64_t not_before_ns; /* of the loop's clock */
    bool has_failed;       /* the last pass did: the next one waits, whatever happens */
    unsigned failures;     /* in a row */
} space;

struct lw_namespace_controller {
    lw_api_port *port;
    lw_key_scheduler spaces; /* of space by name */
};

static lw_api_port *port_of(const lw_scheduled_key *key)
{
    return LW_CONTAINER_OF(key->scheduler, lw_namespace_controller, spaces)->port;
}

static void pass_over(lw_purge_outcome outcome, void *arg)
{
    space *s = arg;
    s->has_failed = outcome == LW_PURGE_FAILED;
    int64_t pause_ns = s->has_failed ? (int64_t)PAUSE_NS << s->failures : PAUSE_NS;
    if (!s->has_failed)
        s->failures = 0;
    else if (s->failures < PAUSE_BITS_MAX)
        s->failures++;
    if (outcome != LW_PURGE_DONE)
        s->not_before_ns = lw_key_scheduler_now(s->key.scheduler) + pause_ns;
    lw_key_scheduler_pass_over(&s->key, s->has_failed);
}

static void start_pass(lw_scheduled_key *key)
{
    lw_namespace_purge_start(port_of(key), key->name, pass_over, key);
}

/* At once if nothing is left that could hold the namespace. */
static int64_t space_ready_ns(const lw_scheduled_key *key)
{
    const space *s = (const space *)(const void *)key;
    bool is_empty = false;
    if (s->not_before_ns <= lw_key_scheduler_now(key->scheduler) || s->has_failed)
        return s->not_before_ns;
    lw_status st = lw_namespace_is_empty(port_of(key), key->name, &is_empty);
    return st == LW_OK && is_empty ? 0 : s->not_before_ns;
}

static const lw_key_scheduler_type passes = {
    .entry_size = sizeof(space),
    .keys_max = NAMESPACES_MAX,
    .running_max = PASSES_MAX,
    .ready_ns = space_ready_ns,
    .start = start_pass,
};

lw_status lw_namespace_controller_observe(lw_namespace_controller *terminating,
                                          const lw_cache_event *event)
{
    if (!terminating)
        return LW_OK;
    lw_str name = lw_str_of(lw_object_name(event->object)), text;
    lw_scheduled_key *key = lw_key_scheduler_find(&terminating->spaces, name);
    bool is_ending = event->type != LW_WATCH_DELETED &&
                     lw_object_raw(event->object, "/metadata/deletionTimestamp", &text) == LW_OK;
    if (key && !is_ending)
        lw_key_scheduler_remove(key);
    if (key || !is_ending)
        return LW_OK;
    key = lw_key_scheduler_add(&terminating->spaces, name);
    if (!key)
        return LW_ERR_NOMEM;
    lw_key_scheduler_want(key);
    return LW_OK;
}

void lw_namespace_controller_stirred(lw_namespace_controller *terminating, lw_str ns)
{
    if (!terminating)
        return;
    lw_scheduled_key *key = lw_key_scheduler_find(&terminating->spaces, ns);
    if (key)
        lw_key_scheduler_want(key);
}

void lw_namespace_controller_pump(lw_namespace_controller *terminating)
{
    if (!terminating)
        return;
    lw_key_scheduler_pump(&terminating->spaces);
}

lw_status lw_namespace_controller_new(lw_namespace_controller **out, lw_api_port *port)
{
    lw_namespace_controller *terminating = lw_alloc_zero(1, sizeof(*terminating));
    if (!terminating)
        return LW_ERR_NOMEM;
    terminating->port = port;
    lw_key_scheduler_init(&terminating->spaces, &passes, port->loop);
    *out = terminating;
    return LW_OK;
}

void lw_namespace_controller_forget(lw_namespace_controller *terminating)
{
    if (!terminating)
        return;
    lw_key_scheduler_forget(&terminating->spaces);
}

void lw_namespace_controller_stop(lw_namespace_controller *terminating)
{
    if (!terminating)
        return;
    lw_key_scheduler_stop(&terminating->spaces);
}

void lw_namespace_controller_free(lw_namespace_controller *terminating)
{
    if (!terminating)
        return;
    lw_key_scheduler_done(&terminating->spaces);
    lw_free(terminating);
}
