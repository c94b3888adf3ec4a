/* SPDX-License-Identifier: Apache-2.0 */
/* csr_controller.c -- a pass over a certificate signing request is one write, which decides what is
 * to be done and when the next pass is due. */
#include "api/certificates/csr_controller.h"

#include "api/certificates/csr.h"
#include "api/context/key_scheduler.h"
#include "api/write/deletion.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    REQUESTS_MAX = 1 << 20,
    RUNNING_MAX = 4,
    BACKOFF_MAX = 10, /* doublings: about 17 minutes, as in kube-controller-manager */
};

#define RETRY_NS LW_NS_PER_S

typedef struct tracked {
    lw_scheduled_key key; /* first */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
    int64_t expiry_ns; /* by the wall clock; set by a decision */
    lw_csr_step step;  /* set by a decision */
    unsigned retries;
    bool has_changed; /* since the pass began */
} tracked;

struct lw_csr_controller {
    lw_api_port *port;
    lw_key_scheduler requests; /* of tracked, by name */
    bool has_news;             /* something was observed since the last pump */
};

/* Decides about the parsed request. */
static lw_write_decision decide_on(lw_write *write, tracked *t, lw_node *stored)
{
    lw_pending_object pending = { 0 };
    lw_write_decision decision = LW_WRITE_KEEP;
    lw_status st =
        lw_pending_object_open_on(&pending, write->port, write->kind, NULL, stored, stored);
    if (st == LW_OK)
        t->step = lw_csr_advance(&pending);
    if (st == LW_OK)
        st = lw_pending_object_state(&pending);
    if (st == LW_OK && t->step == LW_CSR_CHANGED) {
        lw_pending_object_seal(&pending);
        decision = LW_WRITE_PUT;
        st = lw_pending_object_take(&pending, true, &write->next);
    }
    lw_pending_object_done(&pending);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static lw_write_decision pass_decide(lw_write *write)
{
    static const lw_api_delete_options at_once = { .propagation = LW_PROPAGATION_BACKGROUND };
    tracked *t = LW_CONTAINER_OF(write, tracked, write);
    lw_tree *stored = NULL;
    lw_str text;
    t->step = LW_CSR_NOTHING;
    t->expiry_ns = INT64_MAX;
    if (!write->current ||
        lw_object_raw(write->current, "/metadata/deletionTimestamp", &text) == LW_OK)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st < 0)
        return lw_write_fail(write, st);
    lw_write_decision decision;
    t->expiry_ns = lw_csr_expiry_ns(lw_tree_root(stored));
    if (t->expiry_ns <= lw_clock_wall(write->port->api->clock))
        decision = lw_deletion_decide(write, &at_once);
    else
        decision = decide_on(write, t, lw_tree_root(stored));
    lw_tree_free(stored);
    return decision;
}

/* When the next pass is due, if nothing happens before; INT64_MAX: never. */
static int64_t next_pass(tracked *t, bool has_failed)
{
    int64_t now_ns = lw_key_scheduler_now(t->key.scheduler);
    int64_t wall_ns = lw_clock_wall(t->write.port->api->clock);
    int64_t next_ns = t->expiry_ns == INT64_MAX ? INT64_MAX : now_ns + (t->expiry_ns - wall_ns);
    if (has_failed)
        return now_ns + RETRY_NS;
    if (t->step != LW_CSR_RETRY) {
        t->retries = 0;
        return next_ns;
    }
    int64_t retry_ns = now_ns + (RETRY_NS << t->retries);
    if (t->retries < BACKOFF_MAX)
        t->retries++;
    return retry_ns < next_ns ? retry_ns : next_ns;
}

static void pass_done(lw_write *write)
{
    tracked *t = LW_CONTAINER_OF(write, tracked, write);
    t->not_before_ns = next_pass(t, write->outcome == LW_WRITE_REFUSE);
    if (t->has_changed)
        t->not_before_ns = 0;
    lw_write_release(write);
    lw_key_scheduler_pass_over(&t->key, t->not_before_ns != INT64_MAX);
}

static void pass_start(lw_scheduled_key *key)
{
    tracked *t = (tracked *)(void *)key;
    const lw_csr_controller *controller =
        LW_CONTAINER_OF(key->scheduler, lw_csr_controller, requests);
    t->has_changed = false;
    t->write = (lw_write){ .port = controller->port,
                           .kind = &lw_kind_certificatesigningrequests,
                           .key = { LW_STR(""), key->name },
                           .decide = pass_decide,
                           .done = pass_done };
    lw_write_start(&t->write);
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const tracked *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type passes = {
    .entry_size = sizeof(tracked),
    .keys_max = REQUESTS_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = ready_ns,
    .start = pass_start,
};

lw_status lw_csr_controller_new(lw_csr_controller **out, lw_api_port *port)
{
    lw_csr_controller *controller = lw_alloc_zero(1, sizeof(*controller));
    if (!controller)
        return LW_ERR_NOMEM;
    controller->port = port;
    lw_key_scheduler_init(&controller->requests, &passes, port->loop);
    *out = controller;
    return LW_OK;
}

lw_status lw_csr_controller_observe(lw_csr_controller *controller, const lw_kind *kind,
                                    const lw_cache_event *event)
{
    if (!controller)
        return LW_OK;
    if (kind != &lw_kind_certificatesigningrequests)
        return LW_OK;
    lw_str name = lw_str_of(lw_object_name(event->object));
    lw_scheduled_key *key = lw_key_scheduler_find(&controller->requests, name);
    if (event->type == LW_WATCH_DELETED) {
        if (key)
            lw_key_scheduler_remove(key);
        return LW_OK;
    }
    if (!key)
        key = lw_key_scheduler_add(&controller->requests, name);
    if (!key)
        return LW_ERR_NOMEM;
    tracked *t = (tracked *)(void *)key;
    t->not_before_ns = 0;
    t->has_changed = true;
    controller->has_news = true;
    lw_key_scheduler_want(key);
    return LW_OK;
}

void lw_csr_controller_pump(lw_csr_controller *controller)
{
    if (!controller)
        return;
    /* Every request waits for its expiry, so that looking at all of them takes a while. */
    if (!controller->has_news)
        return;
    controller->has_news = false;
    lw_key_scheduler_pump(&controller->requests);
}

void lw_csr_controller_forget(lw_csr_controller *controller)
{
    if (!controller)
        return;
    lw_key_scheduler_forget(&controller->requests);
}

void lw_csr_controller_stop(lw_csr_controller *controller)
{
    if (controller)
        lw_key_scheduler_stop(&controller->requests);
}

void lw_csr_controller_free(lw_csr_controller *controller)
{
    if (!controller)
        return;
    lw_csr_controller_stop(controller);
    lw_key_scheduler_done(&controller->requests);
    lw_free(controller);
}
