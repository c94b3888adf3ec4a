/* SPDX-License-Identifier: Apache-2.0 */
/* crd_status.c -- writes the status of a definition. */
#include "api/crd/crd_status.h"

#include <string.h>

#include "api/context/throttle.h"
#include "api/pending/condition.h"
#include "api/pending/managed.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 4096,
};

typedef struct status_write {
    lw_write write;       /* must be the first member */
    lw_throttle throttle; /* waits before the next attempt */
    lw_backoff backoff;
    lw_definition *definition;
    lw_crd_conflict conflict;
} status_write;

static void accept_names(lw_pending_object *pending)
{
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    const lw_node *names = lw_fields_find(pending->root, "/spec/names");
    lw_fields_set_copy(pending->tree, status, "acceptedNames", names);
}

static void set_accepted(lw_pending_object *pending, bool has_bad_bundle, int64_t wall_ns)
{
    const lw_pending_condition accepted = { "NamesAccepted", "True", "NoConflicts",
                                            LW_STR("no conflicts found") };
    const lw_pending_condition established = { "Established", "True", "InitialNamesAccepted",
                                               LW_STR("the initial names have been accepted") };
    const lw_pending_condition useless = { "Established", "False", LW_CRD_INVALID_BUNDLE,
                                           LW_STR("The conversion webhook CABundle is invalid") };
    lw_pending_condition_set(pending, &accepted, wall_ns);
    lw_pending_condition_set(pending, has_bad_bundle ? &useless : &established, wall_ns);
    accept_names(pending);
}

static void set_refused(lw_pending_object *pending, lw_crd_conflict conflict, int64_t wall_ns)
{
    lw_buf message;
    lw_buf_init(&message, TEXT_MAX);
    lw_buf_printf(&message, "\"%.*s\" is already in use", LW_STR_ARG(conflict.name));
    lw_pending_object_note(pending, message.st);
    const lw_pending_condition refused = { "NamesAccepted", "False", conflict.reason,
                                           lw_buf_view(&message) };
    const lw_pending_condition established = { "Established", "False", "NotAccepted",
                                               LW_STR("not all names are accepted") };
    lw_pending_condition_set(pending, &refused, wall_ns);
    lw_pending_condition_set(pending, &established, wall_ns);
    lw_buf_done(&message);
}

/* The conditions come first, also where a new definition had none; |stored| is the document before
 * the change. */
static void order_status(lw_pending_object *pending, const lw_node *stored)
{
    static const char *const after[] = { "acceptedNames", "storedVersions" };
    lw_tree *tree = pending->tree;
    lw_node *status = lw_node_get(pending->root, LW_STR("status"));
    if (lw_node_count(lw_fields_find(stored, "/status/conditions")) > 0)
        return;
    for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
        const lw_node *value = lw_node_get(status, lw_str_of(after[i]));
        lw_node *copy = value ? lw_tree_copy(tree, value) : NULL;
        lw_fields_remove(status, after[i]);
        if (copy)
            lw_node_put(tree, status, lw_str_of(after[i]), copy);
    }
}

static void status_done(lw_write *write);

static lw_write_decision status_decide(lw_write *write)
{
    const status_write *sw = (status_write *)(void *)write;
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    /* Another definition of this name, or a newer revision of it: its own sync writes the
     * status. */
    if (!write->current ||
        lw_object_revision(write->current) != lw_definition_revision(sw->definition))
        return LW_WRITE_KEEP;
    /* An older version was stored by another kind of server, which maintains the status itself;
     * stored as v1 the definition would lose its schema. */
    if (strcmp(lw_object_api_version(write->current), "apiextensions.k8s.io/v1") != 0)
        return LW_WRITE_KEEP;
    int64_t wall_ns = lw_clock_wall(write->port->api->clock);
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
    lw_write_decision decision = LW_WRITE_KEEP;
    const lw_field_manager manager = { .name = LW_STR("kube-apiserver"),
                                       .subresource = LW_STR("status") };
    if (st == LW_OK) {
        bool has_bad_bundle =
            sw->conflict.reason && strcmp(sw->conflict.reason, LW_CRD_INVALID_BUNDLE) == 0;
        if (sw->conflict.reason && !has_bad_bundle)
            set_refused(&pending, sw->conflict, wall_ns);
        else
            set_accepted(&pending, has_bad_bundle, wall_ns);
        order_status(&pending, lw_tree_root(stored));
        lw_managed_note(&pending, &manager);
        lw_pending_object_seal(&pending);
        if (!lw_managed_is_unchanged(&pending)) {
            decision = LW_WRITE_PUT;
            st = lw_pending_object_take(&pending, true, &write->next);
        }
    }
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static void status_begin(status_write *sw)
{
    sw->write = (lw_write){ .port = sw->throttle.port,
                            .kind = &lw_kind_customresourcedefinitions,
                            .key = { LW_STR(""), lw_definition_name(sw->definition) },
                            .decide = status_decide,
                            .done = status_done };
    lw_write_start(&sw->write);
}

static void status_free(status_write *sw)
{
    lw_definition_unref(sw->definition);
    lw_free(sw);
}

static void retry(lw_throttle *throttle)
{
    status_write *sw = LW_CONTAINER_OF(throttle, status_write, throttle);
    if (throttle->port->is_draining)
        status_free(sw);
    else
        status_begin(sw);
}

/* Discovery does not show the resource until its definition is established, so a short outage of
 * the store must not prevent that forever.  Other refusals would be repeated. */
static bool is_transient(const lw_write *write)
{
    return write->outcome == LW_WRITE_REFUSE && write->status.st == LW_OK &&
           (write->status.code >= 500 || write->status.code == 429);
}

static void status_done(lw_write *write)
{
    status_write *sw = (status_write *)(void *)write;
    lw_api_port *port = write->port;
    bool is_failed = write->outcome == LW_WRITE_REFUSE, is_retried = is_transient(write);
    lw_write_release(write);
    if (is_retried) {
        int64_t now_ns = lw_clock_now(lw_loop_clock(port->loop));
        is_retried = lw_throttle_wait(&sw->throttle, lw_backoff_next(&sw->backoff, now_ns));
    }
    if (is_failed)
        lw_log(port->api->logger, LW_LOG_WARN, "api",
               "cannot write the status of the CustomResourceDefinition %.*s%s",
               LW_STR_ARG(lw_definition_name(sw->definition)),
               is_retried ? "; the write will be retried" : "");
    if (!is_retried)
        status_free(sw);
}

void lw_crd_status_write(lw_api_port *port, lw_definition *definition, lw_crd_conflict conflict)
{
    static const lw_backoff_options delays = { LW_NS_PER_S, 30 * LW_NS_PER_S, 2.0, 1.0, 0 };
    status_write *sw = lw_alloc_zero(1, sizeof(*sw));
    if (!sw || lw_backoff_init(&sw->backoff, &delays, lw_random_next(&port->random)) < 0) {
        lw_free(sw);
        return;
    }
    sw->definition = lw_definition_ref(definition);
    sw->conflict = conflict;
    sw->throttle.port = port;
    sw->throttle.go = retry;
    status_begin(sw);
}
