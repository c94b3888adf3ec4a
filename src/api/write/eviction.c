/* SPDX-License-Identifier: Apache-2.0 */
/* eviction.c -- eviction of a pod.
 *
 *     CHECK ──▶ BUDGET ──▶ MARK ──▶ DELETE
 *       │  one budget      ▲        as any deletion
 *       └──────────────────┘
 *        no budget, or the pod does not count
 *
 * CHECK looks for budgets of the pod.  BUDGET stores that the budget allows one disruption less.
 * MARK stores the condition DisruptionTarget of the pod.  It is one write, whose key changes. */
#include "api/write/eviction.h"

#include <stdio.h>

#include <listwatch/label_selector.h>

#include "api/admission/namespaces.h"
#include "api/admission/node_restriction.h"
#include "api/http/failures.h"
#include "api/pending/condition.h"
#include "api/pending/metadata.h"
#include "api/pending/pending_object.h"
#include "api/write/ask.h"
#include "api/write/deletion.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "object/selector/label_selector.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    LABELS_MAX = 1024,    /* of a pod, that budgets are compared with */
    DISRUPTED_MAX = 2000, /* pods that the controller has not confirmed */
    RETRY_S = 10,
    TEXT_SIZE = 1024,
};

#define REFUSAL "Cannot evict pod as it would violate the pod's disruption budget."

static lw_str text_at(const lw_object *obj, const char *pointer)
{
    return lw_str_of(lw_object_string(obj, pointer, ""));
}

/* Returns true if budgets do not count the pod: it is over, or has not started. */
static bool is_uncounted(const lw_object *pod)
{
    lw_str phase = text_at(pod, "/status/phase"), raw;
    return lw_str_equal(phase, LW_STR("Succeeded")) || lw_str_equal(phase, LW_STR("Failed")) ||
           lw_str_equal(phase, LW_STR("Pending")) ||
           lw_object_raw(pod, "/metadata/deletionTimestamp", &raw) == LW_OK;
}

/* Whether the selector of |budget| selects |pod|; one that cannot be read selects nothing. */
static lw_status selects(const lw_object *budget, const lw_object *pod, bool *out)
{
    lw_label labels[LABELS_MAX];
    lw_label_selector *selector = NULL;
    lw_str json;
    *out = false;
    if (lw_object_raw(budget, "/spec/selector", &json) < 0)
        return LW_OK;
    lw_status st = lw_label_selector_from_json(&selector, json, NULL);
    if (st < 0)
        return st == LW_ERR_NOMEM ? st : LW_OK;
    size_t count = lw_object_label_count(pod);
    for (size_t i = 0; i < count && i < LABELS_MAX; i++)
        labels[i] = lw_object_label_at(pod, i);
    *out =
        lw_label_selector_matches_labels(selector, labels, count < LABELS_MAX ? count : LABELS_MAX);
    lw_label_selector_free(selector);
    return LW_OK;
}

/* Sets |*found| to the budget of the pod, or NULL, and |*count| to how many there are. */
static lw_status find_budgets(const lw_write *write, lw_object **found, size_t *count)
{
    const lw_cache_filter filter = { .ns = write->key.ns };
    lw_cache_list list = { 0 };
    lw_status st =
        lw_cache_list_now(lw_api_resource(write->port->api, &lw_kind_poddisruptionbudgets), &filter,
                          LW_STR(""), 0, &list, NULL);
    for (size_t i = 0; st == LW_OK && i < list.count; i++) {
        bool is_selected;
        st = selects(list.objects[i], write->current, &is_selected);
        if (st == LW_OK && is_selected && (*count)++ == 0)
            *found = lw_object_ref(list.objects[i]);
    }
    lw_cache_list_done(&list);
    return st;
}

static bool is_ready(const lw_node *pod)
{
    const lw_node *conditions = lw_fields_find(pod, "/status/conditions");
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        const lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), LW_STR("Ready")))
            return lw_str_equal(lw_fields_text(condition, "status"), LW_STR("True"));
    }
    return false;
}

/* Returns true if a pod that is not ready may go in any case. */
static lw_status may_go_unready(const lw_object *pod, const lw_object *budget, bool *out)
{
    lw_tree *tree = NULL;
    *out = false;
    lw_status st = lw_tree_parse(&tree, lw_object_json(pod), 0, NULL);
    if (st < 0)
        return st;
    int64_t healthy = lw_object_int(budget, "/status/currentHealthy", 0);
    int64_t desired = lw_object_int(budget, "/status/desiredHealthy", 0);
    bool always =
        lw_str_equal(text_at(budget, "/spec/unhealthyPodEvictionPolicy"), LW_STR("AlwaysAllow"));
    *out = !is_ready(lw_tree_root(tree)) && (always || (healthy >= desired && desired > 0));
    lw_tree_free(tree);
    return LW_OK;
}

static lw_write_decision refuse_several(lw_write *write)
{
    lw_buf message;
    lw_buf_init(&message, TEXT_SIZE);
    lw_buf_append_text(&message, "This pod has more than one PodDisruptionBudget, which the "
                                 "eviction subresource does not support.");
    lw_api_status_unclassified(&write->status, &message);
    return LW_WRITE_REFUSE;
}

/* Goes on with the pod. */
static lw_write_decision go_on_with_pod(lw_write_call *wc, lw_eviction_step step)
{
    wc->write.kind = &lw_kind_pods;
    wc->write.key.name = wc->pod_name;
    wc->write.has_stored = false;
    wc->eviction_step = step;
    return LW_WRITE_AGAIN;
}

static lw_write_decision check_budgets(lw_write_call *wc)
{
    lw_write *write = &wc->write;
    lw_object *budget = NULL;
    size_t count = 0;
    bool is_free = is_uncounted(write->current);
    lw_status st = is_free ? LW_OK : find_budgets(write, &budget, &count);
    if (st == LW_OK && count == 1)
        st = may_go_unready(write->current, budget, &is_free);
    if (st < 0 || count != 1 || is_free) {
        lw_object_unref(budget);
        if (st < 0)
            return lw_write_fail(write, st);
        return count > 1 ? refuse_several(write) : go_on_with_pod(wc, LW_EVICTION_MARK);
    }
    wc->pod_name = write->key.name;
    wc->budget = budget;
    write->kind = &lw_kind_poddisruptionbudgets;
    write->key.name = lw_str_of(lw_object_name(budget));
    wc->eviction_step = LW_EVICTION_BUDGET;
    return LW_WRITE_AGAIN;
}

/* 429 with the cause |why|. */
static lw_write_decision refuse_for_now(lw_write *write, int32_t retry_s, const char *why)
{
    lw_api_status_too_many(&write->status, LW_STR(REFUSAL), retry_s);
    lw_api_status_add_cause(&write->status, LW_STR("DisruptionBudget"), lw_str_of(why), LW_STR(""));
    return LW_WRITE_REFUSE;
}

/* 403 with the cause |why|. */
static lw_write_decision forbid(lw_write *write, const char *reason, const char *why)
{
    char cause[TEXT_SIZE];
    lw_gvr gvr = lw_gvr_make("policy", "v1", "poddisruptionbudget");
    lw_api_status_forbidden(&write->status, gvr, write->key.name, lw_str_of(reason));
    (void)snprintf(cause, sizeof(cause),
                   "The disruption budget %.*s does not allow evicting pods currently: %s",
                   LW_STR_ARG(write->key.name), why);
    lw_api_status_add_cause(&write->status, LW_STR("DisruptionBudget"), lw_str_of(cause),
                            LW_STR(""));
    return LW_WRITE_REFUSE;
}

static const lw_node *find_allowed_condition(const lw_node *status)
{
    const lw_node *conditions = lw_node_get(status, LW_STR("conditions"));
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        const lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), LW_STR("DisruptionAllowed")))
            return lw_str_equal(lw_fields_text(condition, "status"), LW_STR("False")) &&
                           lw_fields_text(condition, "message").len > 0
                       ? condition
                       : NULL;
    }
    return NULL;
}

/* 429: the budget allows no disruption at present. */
static lw_write_decision refuse_exhausted(lw_write *write, const lw_node *status)
{
    char why[TEXT_SIZE];
    const lw_node *condition = find_allowed_condition(status);
    lw_str reason = lw_fields_text(condition, "reason");
    lw_str message = lw_fields_text(condition, "message");
    int64_t healthy = lw_fields_int(status, "currentHealthy", 0);
    int64_t desired = lw_fields_int(status, "desiredHealthy", 0);
    int len =
        snprintf(why, sizeof(why), "The disruption budget %.*s ", LW_STR_ARG(write->key.name));
    char *rest = why + len;
    size_t size = sizeof(why) - (size_t)len;
    static const char denied[] = "does not allow evicting pods currently";
    if (condition && lw_str_equal(reason, LW_STR("SyncFailed")))
        (void)snprintf(rest, size, "%s because it failed sync: %.*s", denied, LW_STR_ARG(message));
    else if (healthy <= desired)
        (void)snprintf(rest, size, "needs %lld healthy pods and has %lld currently",
                       (long long)desired, (long long)healthy);
    else if (condition)
        (void)snprintf(rest, size, "%s (%.*s): %.*s", denied, LW_STR_ARG(reason),
                       LW_STR_ARG(message));
    else
        (void)snprintf(rest, size, "%s", denied);
    return refuse_for_now(write, 0, why);
}

/* Checks that the budget allows a disruption. */
static bool allows(lw_write *write, const lw_node *budget)
{
    char why[TEXT_SIZE];
    const lw_node *status = lw_node_get(budget, LW_STR("status"));
    int64_t allowed = lw_fields_int(status, "disruptionsAllowed", 0);
    int64_t generation = lw_fields_int(lw_node_get(budget, LW_STR("metadata")), "generation", 0);
    if (lw_fields_int(status, "observedGeneration", 0) < generation) {
        (void)snprintf(why, sizeof(why),
                       "The disruption budget %.*s is still being processed by the server.",
                       LW_STR_ARG(write->key.name));
        (void)refuse_for_now(write, RETRY_S, why);
    } else if (allowed < 0) {
        (void)forbid(write, "pdb disruptions allowed is negative",
                     "pdb disruptions allowed is negative");
    } else if (lw_node_count(lw_node_get(status, LW_STR("disruptedPods"))) > DISRUPTED_MAX) {
        (void)forbid(
            write, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
            "too many pending evictions not confirmed by PDB controller");
    } else if (allowed == 0) {
        (void)refuse_exhausted(write, status);
    } else {
        return true;
    }
    return false;
}

/* One disruption less, and the pod that it is for: its controller need not have seen it go. */
static void count_disruption(lw_write_call *wc, lw_pending_object *pending)
{
    int64_t wall_ns = lw_clock_wall(wc->write.port->api->clock);
    lw_tree *tree = pending->tree;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    int64_t left = lw_fields_int(status, "disruptionsAllowed", 0) - 1;
    lw_fields_set_int(tree, status, "disruptionsAllowed", left);
    if (left == 0) {
        const lw_pending_condition condition = { "DisruptionAllowed", "False", "InsufficientPods",
                                                 LW_STR_INIT("") };
        lw_pending_condition_set(pending, &condition, wall_ns);
    }
    char name[TEXT_SIZE];
    (void)snprintf(name, sizeof(name), "%.*s", LW_STR_ARG(wc->pod_name));
    lw_metadata_set_time(pending, lw_fields_object(tree, status, "disruptedPods"), name, wall_ns);
}

typedef void change_function(lw_write_call *wc, lw_pending_object *pending);

/* Stores what |change| makes of the current object, and decides again. */
static lw_write_decision store_changed(lw_write_call *wc, lw_tree *stored, change_function *change,
                                       bool *is_unchanged)
{
    lw_write *write = &wc->write;
    lw_pending_object pending = { 0 };
    lw_status st = lw_pending_object_open_on(&pending, write->port, write->kind, write->budget,
                                             lw_tree_root(stored), lw_tree_root(stored));
    if (st == LW_OK) {
        change(wc, &pending);
        lw_pending_object_seal(&pending);
        *is_unchanged = lw_pending_object_is_unchanged(&pending);
        st = *is_unchanged ? LW_OK : lw_pending_object_take(&pending, true, &write->next);
    }
    lw_pending_object_done(&pending);
    return st < 0 ? lw_write_fail(write, st) : LW_WRITE_PUT_FIRST;
}

static lw_write_decision charge_budget(lw_write_call *wc)
{
    lw_write *write = &wc->write;
    lw_tree *stored = NULL;
    bool is_unchanged = false;
    if (write->has_stored)
        return go_on_with_pod(wc, LW_EVICTION_MARK);
    if (!write->current) { /* the budget is gone: look again */
        (void)go_on_with_pod(wc, LW_EVICTION_CHECK);
        lw_object_unref(wc->budget);
        wc->budget = NULL;
        return LW_WRITE_AGAIN;
    }
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    lw_write_decision decision = LW_WRITE_REFUSE;
    if (st < 0)
        decision = lw_write_fail(write, st);
    else if (allows(write, lw_tree_root(stored)))
        decision = write->is_dry_run ? go_on_with_pod(wc, LW_EVICTION_MARK)
                                     : store_changed(wc, stored, count_disruption, &is_unchanged);
    lw_tree_free(stored);
    return decision;
}

static void set_disruption_target(lw_write_call *wc, lw_pending_object *pending)
{
    static const lw_pending_condition target = { "DisruptionTarget", "True",
                                                 "EvictionByEvictionAPI",
                                                 LW_STR_INIT("Eviction API: evicting") };
    lw_pending_condition_set(pending, &target, lw_clock_wall(wc->write.port->api->clock));
}

/* Says in the pod why it goes; then the deletion's preconditions are met. */
static lw_write_decision mark_pod(lw_write_call *wc)
{
    lw_write *write = &wc->write;
    lw_tree *stored = NULL;
    bool is_unchanged = false;
    if (write->has_stored || write->is_dry_run) {
        if (write->has_stored)
            wc->delete_options.resource_version = LW_STR("");
        return go_on_with_pod(wc, LW_EVICTION_DELETE);
    }
    if (!lw_deletion_meets_preconditions(write, &wc->delete_options))
        return LW_WRITE_REFUSE;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    lw_write_decision decision =
        st < 0 ? lw_write_fail(write, st)
               : store_changed(wc, stored, set_disruption_target, &is_unchanged);
    lw_tree_free(stored);
    return is_unchanged ? go_on_with_pod(wc, LW_EVICTION_DELETE) : decision;
}

static bool has_name_of_pod(lw_write *write, const lw_node *eviction)
{
    if (lw_str_equal(lw_fields_text_at(eviction, "/metadata/name"), write->key.name))
        return true;
    lw_api_status_bad_request(&write->status,
                              LW_STR("name in URL does not match name in Eviction object"));
    return false;
}

/* May the user evict it, and what do webhooks say? */
static lw_write_decision admit(lw_write_call *wc)
{
    lw_write *write = &wc->write;
    const lw_node_restriction_request request = { write->port->api, write->user,    write->kind,
                                                  write->key,       write->current, NULL };
    if (!lw_namespace_admits(write->port, write->kind, write->key.ns, write->key.name,
                             &write->status) ||
        !lw_node_restriction_admits_eviction(&request, &write->status))
        return LW_WRITE_REFUSE;
    lw_ask ask = { .operation = LW_OPERATION_CREATE,
                   .subresource = LW_SUB_EVICTION,
                   .object = lw_tree_root(wc->body),
                   .gvk = lw_gvk_make("policy", "v1", "Eviction"),
                   .body = &wc->body,
                   .check = has_name_of_pod };
    lw_write_decision asked;
    if (!lw_ask_is_admitted(write, &ask, &asked))
        return asked;
    if (!lw_pod_eviction_read(wc, &write->status)) /* its options may have changed */
        return LW_WRITE_REFUSE;
    wc->pod_name = write->key.name;
    wc->eviction_step = LW_EVICTION_CHECK;
    return LW_WRITE_AGAIN;
}

lw_write_decision lw_pod_eviction_decide(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    if (wc->eviction_step == LW_EVICTION_ADMIT)
        return admit(wc);
    if (wc->eviction_step == LW_EVICTION_BUDGET)
        return charge_budget(wc);
    if (wc->eviction_step != LW_EVICTION_DELETE && !write->current) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return LW_WRITE_REFUSE;
    }
    if (wc->eviction_step == LW_EVICTION_CHECK)
        return check_budgets(wc);
    if (wc->eviction_step == LW_EVICTION_MARK)
        return mark_pod(wc);
    write->is_admitted = true; /* webhooks were asked about the eviction */
    return lw_deletion_decide(write, &wc->delete_options);
}

bool lw_pod_eviction_read(lw_write_call *wc, lw_api_status *status)
{
    const lw_node *options = lw_fields_find(lw_tree_root(wc->body), "/deleteOptions");
    return lw_api_delete_options_from_tree(&wc->delete_options, options, status);
}
