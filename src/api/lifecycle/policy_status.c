/* SPDX-License-Identifier: Apache-2.0 */
/* policy_status.c -- writes the status of ValidatingAdmissionPolicies. */
#include "api/lifecycle/policy_status.h"

#include "api/context/key_scheduler.h"
#include "api/pending/managed.h"
#include "api/pending/pending_object.h"
#include "api/policies/policy_typecheck.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/catalog.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    POLICIES_MAX = 1 << 20,
    RUNNING_MAX = 1, /* a check takes the loop for a while */
};

#define RETRY_NS LW_NS_PER_S

/* A policy whose last generation is not checked yet, or whose pass runs. */
typedef struct unchecked {
    lw_scheduled_key key; /* first */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} unchecked;

struct lw_policy_status {
    lw_api_port *port;
    lw_key_scheduler policies; /* of unchecked, by name */
};

static int64_t generation_of(const lw_node *policy)
{
    return lw_fields_int(lw_node_get(policy, LW_STR("metadata")), "generation", 0);
}

/* Checks the policy and replaces its status. */
static lw_status set_status(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *warnings = NULL;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    lw_registry *registry = lw_catalog_get_ref(&pending->port->api->catalog);
    lw_status st =
        lw_policy_typecheck(registry, lw_node_get(pending->root, LW_STR("spec")), tree, &warnings);
    lw_registry_unref(registry);
    if (st < 0)
        return st;
    lw_node *checking = lw_tree_object(tree);
    if (lw_node_count(warnings) > 0)
        lw_node_put(tree, checking, LW_STR("expressionWarnings"), warnings);
    lw_node_put(tree, status, LW_STR("observedGeneration"),
                lw_tree_int(tree, generation_of(pending->root)));
    lw_node_put(tree, status, LW_STR("typeChecking"), checking);
    return lw_pending_object_state(pending);
}

static bool is_unchecked(const lw_node *policy)
{
    return generation_of(policy) >
           lw_fields_int(lw_node_get(policy, LW_STR("status")), "observedGeneration", 0);
}

static lw_write_decision check_decide(lw_write *write)
{
    static const lw_field_manager manager = { .name =
                                                  LW_STR_INIT("validatingadmissionpolicy-status"),
                                              .subresource = LW_STR_INIT("status"),
                                              .is_apply = true };
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    lw_write_decision decision = LW_WRITE_KEEP;
    if (!write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK && is_unchecked(lw_tree_root(stored))) {
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
        if (st == LW_OK)
            st = set_status(&pending);
        if (st == LW_OK) {
            lw_managed_note(&pending, &manager);
            lw_pending_object_seal(&pending);
            decision = LW_WRITE_PUT;
            st = lw_pending_object_take(&pending, true, &write->next);
        }
        lw_pending_object_done(&pending);
    }
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static void check_done(lw_write *write)
{
    unchecked *u = LW_CONTAINER_OF(write, unchecked, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    u->not_before_ns = has_failed ? lw_key_scheduler_now(u->key.scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(&u->key, has_failed);
}

static void check_start(lw_scheduled_key *key)
{
    unchecked *u = (unchecked *)(void *)key;
    const lw_policy_status *controller =
        LW_CONTAINER_OF(key->scheduler, lw_policy_status, policies);
    u->write = (lw_write){ .port = controller->port,
                           .kind = &lw_kind_validatingadmissionpolicies,
                           .key = { LW_STR(""), key->name },
                           .decide = check_decide,
                           .done = check_done };
    lw_write_start(&u->write);
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const unchecked *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type checks = {
    .entry_size = sizeof(unchecked),
    .keys_max = POLICIES_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = ready_ns,
    .start = check_start,
};

lw_status lw_policy_status_new(lw_policy_status **out, lw_api_port *port)
{
    lw_policy_status *controller = lw_alloc_zero(1, sizeof(*controller));
    if (!controller)
        return LW_ERR_NOMEM;
    controller->port = port;
    lw_key_scheduler_init(&controller->policies, &checks, port->loop);
    *out = controller;
    return LW_OK;
}

static uint64_t number_at(const lw_object *policy, const char *pointer)
{
    lw_str text;
    uint64_t number = 0;
    if (lw_object_raw(policy, pointer, &text) < 0 || !lw_str_to_uint64(text, &number))
        return 0;
    return number;
}

lw_status lw_policy_status_observe(lw_policy_status *controller, const lw_kind *kind,
                                   const lw_cache_event *event)
{
    if (!controller || kind != &lw_kind_validatingadmissionpolicies)
        return LW_OK;
    lw_str name = lw_str_of(lw_object_name(event->object));
    lw_scheduled_key *key = lw_key_scheduler_find(&controller->policies, name);
    bool is_due = event->type != LW_WATCH_DELETED &&
                  number_at(event->object, "/metadata/generation") >
                      number_at(event->object, "/status/observedGeneration");
    if (!is_due) {
        if (key)
            lw_key_scheduler_remove(key);
        return LW_OK;
    }
    if (!key)
        key = lw_key_scheduler_add(&controller->policies, name);
    if (!key)
        return LW_ERR_NOMEM;
    lw_key_scheduler_want(key);
    return LW_OK;
}

void lw_policy_status_pump(lw_policy_status *controller)
{
    if (controller)
        lw_key_scheduler_pump(&controller->policies);
}

void lw_policy_status_forget(lw_policy_status *controller)
{
    if (controller)
        lw_key_scheduler_forget(&controller->policies);
}

void lw_policy_status_stop(lw_policy_status *controller)
{
    if (controller)
        lw_key_scheduler_stop(&controller->policies);
}

void lw_policy_status_free(lw_policy_status *controller)
{
    if (!controller)
        return;
    lw_policy_status_stop(controller);
    lw_key_scheduler_done(&controller->policies);
    lw_free(controller);
}
