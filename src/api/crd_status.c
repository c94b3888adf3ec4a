/* SPDX-License-Identifier: Apache-2.0 */
/* crd_status.c -- a write of the status of a definition, by the server itself. */
#include "api/crd_status.h"

#include <string.h>

#include "api/condition.h"
#include "api/fields.h"
#include "api/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds.h"

enum {
    TEXT_MAX = 4096,
};

typedef struct status_write {
    lw_write write; /* first */
    lw_definition *definition;
    lw_crd_conflict conflict;
} status_write;

static void accept_names(lw_draft *draft)
{
    lw_node *status = lw_fields_object(draft->tree, draft->root, "status");
    const lw_node *names = lw_fields_find(draft->root, "/spec/names");
    lw_fields_set_copy(draft->tree, status, "acceptedNames", names);
}

static void set_accepted(lw_draft *draft, int64_t wall_ns)
{
    const lw_condition accepted = { "NamesAccepted", "True", "NoConflicts",
                                        LW_STR("no conflicts found") };
    const lw_condition established = { "Established", "True", "InitialNamesAccepted",
                                           LW_STR("the initial names have been accepted") };
    lw_condition_set(draft, &accepted, wall_ns);
    lw_condition_set(draft, &established, wall_ns);
    accept_names(draft);
}

static void set_refused(lw_draft *draft, lw_crd_conflict conflict, int64_t wall_ns)
{
    lw_buf message;
    lw_buf_init(&message, TEXT_MAX);
    lw_buf_printf(&message, "\"%.*s\" is already in use", LW_STR_ARG(conflict.name));
    lw_draft_note(draft, message.st);
    const lw_condition refused = { "NamesAccepted", "False", conflict.reason,
                                       lw_buf_view(&message) };
    const lw_condition established = { "Established", "False", "NotAccepted",
                                           LW_STR("not all names are accepted") };
    lw_condition_set(draft, &refused, wall_ns);
    lw_condition_set(draft, &established, wall_ns);
    lw_buf_done(&message);
}

static lw_write_verdict status_decide(lw_write *write)
{
    const status_write *sw = (status_write *)(void *)write;
    lw_draft draft = { 0 };
    lw_tree *stored = NULL;
    /* Another one, or another state of it: somebody else's sync says what it is to be. */
    if (!write->current ||
        lw_object_revision(write->current) != lw_definition_revision(sw->definition))
        return LW_WRITE_KEEP;
    /* In an older form, another kind of server has stored it, and sees to its status itself;
     * written as ours it would lose its schema. */
    if (strcmp(lw_object_api_version(write->current), "apiextensions.k8s.io/v1") != 0)
        return LW_WRITE_KEEP;
    int64_t wall_ns = lw_clock_wall(write->port->api->clock);
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_draft_open_on(&draft, write->port, write->kind, lw_tree_root(stored),
                              lw_tree_root(stored));
    lw_write_verdict verdict = LW_WRITE_KEEP;
    if (st == LW_OK) {
        if (sw->conflict.reason)
            set_refused(&draft, sw->conflict, wall_ns);
        else
            set_accepted(&draft, wall_ns);
        lw_draft_seal(&draft);
        if (!lw_draft_is_unchanged(&draft)) {
            verdict = LW_WRITE_PUT;
            st = lw_draft_take(&draft, true, &write->next);
        }
    }
    lw_draft_done(&draft);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : verdict;
}

static void status_done(lw_write *write)
{
    status_write *sw = (status_write *)(void *)write;
    lw_write_release(write);
    lw_definition_unref(sw->definition);
    lw_free(sw);
}

void lw_crd_status_write(lw_api_port *port, lw_definition *definition, lw_crd_conflict conflict)
{
    status_write *sw = lw_alloc_zero(1, sizeof(*sw));
    if (!sw)
        return;
    sw->definition = lw_definition_ref(definition);
    sw->conflict = conflict;
    sw->write.port = port;
    sw->write.kind = &lw_kind_customresourcedefinitions;
    sw->write.key = (lw_key){ LW_STR(""), lw_definition_name(definition) };
    sw->write.decide = status_decide;
    sw->write.done = status_done;
    lw_write_start(&sw->write);
}
