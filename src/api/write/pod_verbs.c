/* SPDX-License-Identifier: Apache-2.0 */
/* pod_verbs.c -- binding of a pod to a node; POST to binding and eviction. */
#include "api/write/verbs.h"

#include <stdio.h>

#include "api/admission/namespaces.h"
#include "api/admission/node_restriction.h"
#include "api/http/body.h"
#include "api/http/failures.h"
#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/pending_object.h"
#include "api/write/ask.h"
#include "api/write/eviction.h"
#include "api/write/write_call.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "object/names.h"
#include "object/quote.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_SIZE = 1024,
};

static bool refuse_missing(lw_write *write)
{
    lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
    return false;
}

static bool refuse_conflict(lw_write *write, const char *why)
{
    lw_gvr gvr = lw_gvr_make("", "v1", "pods/binding");
    lw_api_status_conflict(&write->status, gvr, write->key.name, lw_str_of(why));
    return false;
}

static bool is_bindable(lw_write *write)
{
    char why[TEXT_SIZE];
    lw_str raw;
    if (!write->current)
        return refuse_missing(write);
    const char *name = lw_object_name(write->current);
    const char *node = lw_object_string(write->current, "/spec/nodeName", "");
    if (lw_object_raw(write->current, "/metadata/deletionTimestamp", &raw) == LW_OK) {
        (void)snprintf(why, sizeof(why), "pod %s is being deleted, cannot be assigned to a host",
                       name);
        return refuse_conflict(write, why);
    }
    if (node[0] != '\0') {
        (void)snprintf(why, sizeof(why), "pod %s is already assigned to node \"%s\"", name, node);
        return refuse_conflict(write, why);
    }
    if (lw_object_raw(write->current, "/spec/schedulingGates/0", &raw) == LW_OK) {
        (void)snprintf(why, sizeof(why), "pod %s has non-empty .spec.schedulingGates", name);
        return refuse_conflict(write, why);
    }
    return true;
}

/* Says in the status since when the pod has a place. */
static void set_scheduled(lw_pending_object *pending, int64_t wall_ns)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    lw_node *conditions = lw_node_get(status, LW_STR("conditions"));
    if (!lw_node_is(conditions, LW_JSON_ARRAY)) {
        conditions = lw_tree_array(tree);
        lw_node_put(tree, status, LW_STR("conditions"), conditions);
    }
    for (size_t i = lw_node_count(conditions); i-- > 0;) {
        if (lw_str_equal(lw_fields_text(lw_node_at(conditions, i), "type"), LW_STR("PodScheduled")))
            lw_node_remove_at(conditions, i);
    }
    lw_node *condition = lw_tree_object(tree);
    lw_node_append(tree, conditions, condition);
    lw_fields_set_text(tree, condition, "type", LW_STR("PodScheduled"));
    lw_fields_set_text(tree, condition, "status", LW_STR("True"));
    lw_metadata_set_time(pending, condition, "lastTransitionTime", wall_ns);
}

/* Annotations and labels of a binding go to the pod. */
static void copy_map(lw_pending_object *pending, const lw_node *binding, const char *member)
{
    const lw_node *from = lw_node_get(lw_node_get(binding, LW_STR("metadata")), lw_str_of(member));
    if (!lw_node_is(from, LW_JSON_OBJECT) || lw_node_count(from) == 0)
        return;
    lw_node *to = lw_fields_object(pending->tree, pending->metadata, member);
    for (size_t i = 0; i < lw_node_count(from); i++) {
        if (lw_node_is(lw_node_at(from, i), LW_JSON_STRING))
            lw_node_put(pending->tree, to, lw_node_key_at(from, i),
                        lw_tree_copy(pending->tree, lw_node_at(from, i)));
    }
}

static lw_node_restriction_request restriction_request(const lw_write *write)
{
    return (lw_node_restriction_request){ write->port->api, write->user,    write->kind,
                                          write->key,       write->current, NULL };
}

/* To bind and to evict is to create a binding or an eviction in the namespace. */
static bool is_in_namespace(lw_write *write)
{
    return lw_namespace_admits(write->port, write->kind, write->key.ns, write->key.name,
                               &write->status);
}

/* A fault of a binding is no Status of kube-apiserver's: 500 with the bare message. */
static bool refuse_binding(lw_buf *faults, size_t count, lw_api_status *status)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&message, count > 1 ? "[" : "");
    lw_buf_append_str(&message, lw_buf_view(faults));
    lw_buf_append_text(&message, count > 1 ? "]" : "");
    if (faults->st < 0)
        message.st = faults->st;
    lw_buf_done(faults);
    lw_api_status_unclassified(status, &message);
    return false;
}

/* Adds the faults of the name of a node. */
static size_t add_name_faults(lw_buf *faults, size_t count, lw_str kind, lw_str name)
{
    lw_name_problems problems = { .count = 0 };
    if (name.len == 0) {
        lw_buf_printf(faults, "%starget.name: Required value", count > 0 ? ", " : "");
        return count + 1;
    }
    if (kind.len > 0 && !lw_str_equal(kind, LW_STR("Node")))
        return count;
    (void)lw_name_is_dns1123_subdomain(name, &problems);
    for (size_t i = 0; i < problems.count; i++, count++) {
        lw_buf_printf(faults, "%starget.name: Invalid value: ", count > 0 ? ", " : "");
        lw_quote_append(faults, name);
        lw_buf_printf(faults, ": %s", problems.text[i]);
    }
    return count;
}

static bool check_binding(lw_write *write, const lw_node *binding)
{
    lw_str kind = lw_fields_text_at(binding, "/target/kind");
    size_t count = 0;
    lw_buf faults;
    if (!lw_str_equal(lw_fields_text_at(binding, "/metadata/name"), write->key.name)) {
        lw_api_status_bad_request(&write->status,
                                  LW_STR("name in URL does not match name in Binding object"));
        return false;
    }
    lw_buf_init(&faults, LW_API_STATUS_TEXT_MAX);
    if (kind.len > 0 && !lw_str_equal(kind, LW_STR("Node"))) {
        lw_buf_append_text(&faults, "target.kind: Unsupported value: ");
        lw_quote_append(&faults, kind);
        lw_buf_append_text(&faults, ": supported values: \"Node\", \"<empty>\"");
        count = 1;
    }
    count = add_name_faults(&faults, count, kind, lw_fields_text_at(binding, "/target/name"));
    if (count > 0)
        return refuse_binding(&faults, count, &write->status);
    lw_buf_done(&faults);
    return true;
}

/* Asks policies and webhooks about the binding that is created. */
static bool is_admitted(lw_write *write, lw_write_decision *decision)
{
    lw_tree **body = &lw_write_call_of(write)->body;
    lw_ask ask = { .operation = LW_OPERATION_CREATE,
                   .subresource = LW_SUB_BINDING,
                   .object = lw_tree_root(*body),
                   .gvk = lw_gvk_make("", "v1", "Binding"),
                   .body = body,
                   .check = check_binding };
    return lw_ask_is_admitted(write, &ask, decision);
}

static lw_write_decision binding_decide(lw_write *write)
{
    const lw_node_restriction_request request = restriction_request(write);
    const lw_api *api = write->port->api;
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    if (!is_in_namespace(write) || !lw_node_restriction_admits_binding(&request, &write->status))
        return LW_WRITE_REFUSE;
    lw_write_decision asked;
    if (!is_admitted(write, &asked))
        return asked;
    if (!is_bindable(write))
        return LW_WRITE_REFUSE;
    const lw_node *binding = lw_tree_root(lw_write_call_of(write)->body);
    lw_status st = lw_tree_parse_stored(&stored, lw_object_json(write->current), LW_STR("fieldsV1"),
                                        NULL, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, write->budget,
                                       lw_tree_root(stored), lw_tree_root(stored));
    if (st == LW_OK) {
        /* What changes needs no defaults, and was checked. */
        pending.checked = lw_object__checked(write->current);
        lw_node *spec = lw_fields_object(pending.tree, pending.root, "spec");
        lw_fields_set_text(pending.tree, spec, "nodeName",
                           lw_fields_text_at(binding, "/target/name"));
        copy_map(&pending, binding, "annotations");
        copy_map(&pending, binding, "labels");
        lw_fields_remove(lw_node_get(pending.root, LW_STR("status")), "nominatedNodeName");
        set_scheduled(&pending, lw_clock_wall(api->clock));
        lw_pending_object_seal(&pending);
        st = lw_pending_object_take(&pending, true, &write->next);
    }
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : LW_WRITE_PUT;
}

/* Neither shows the pod: it is done, that is all. */
static void verb_done(lw_write *write)
{
    enum {
        CREATED = 201
    };
    lw_write_call *wc = lw_write_call_of(write);
    lw_api_status status;
    if (write->outcome == LW_WRITE_REFUSE) {
        lw_write_call_answer(write);
        return;
    }
    lw_api_status_init(&status);
    status.is_success = true;
    status.code = CREATED;
    lw_write_call_refuse(wc, &status);
}

/* A binding that is posted to the collection names its pod itself. */
static bool find_pod(lw_write_call *wc, lw_api_status *status)
{
    if (wc->call->route.kind != &lw_kind_bindings)
        return true;
    wc->write.kind = &lw_kind_pods;
    lw_str name = lw_fields_text_at(lw_tree_root(wc->body), "/metadata/name");
    if (name.len == 0) {
        lw_api_status_bad_request(status, LW_STR("Name parameter required."));
        return false;
    }
    wc->bound_name = lw_str_dup(name); /* the body may be replaced */
    wc->write.key.name = wc->bound_name ? lw_str_of(wc->bound_name) : LW_STR("");
    if (!wc->bound_name)
        lw_api_status_of_failure(status, LW_ERR_NOMEM);
    return wc->bound_name != NULL;
}

void lw_rest_pod_verb(lw_api_call *call)
{
    bool is_binding =
        call->route.subresource == LW_SUB_BINDING || call->route.kind == &lw_kind_bindings;
    lw_gvk gvk =
        is_binding ? lw_gvk_make("", "v1", "Binding") : lw_gvk_make("policy", "v1", "Eviction");
    lw_write_options options;
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!lw_write_options_read(&options, &call->query, "CreateOptions", &status) ||
        !lw_body_read(call, gvk, &wc->body, &status) || !find_pod(wc, &status) ||
        (!is_binding && !lw_pod_eviction_read(wc, &status))) {
        lw_write_call_refuse(wc, &status);
        return;
    }
    wc->write.is_dry_run = options.is_dry_run || wc->delete_options.is_dry_run;
    lw_write_call_start(wc, is_binding ? binding_decide : lw_pod_eviction_decide, verb_done);
}
