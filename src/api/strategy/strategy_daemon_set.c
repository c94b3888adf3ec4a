/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_daemon_set.c -- how many templates a daemon set has had: in an annotation, for clients
 * of before there were revisions. */
#include <stdio.h>

#include "api/strategy/strategy_workload.h"
#include "base/str.h"
#include "json/fields.h"

#define NOTE "deprecated.daemonset.template.generation"

enum {
    NUMBER_SIZE = 24,
};

static uint64_t read_note(const lw_node *metadata)
{
    uint64_t number = 0;
    lw_str text = lw_fields_text(lw_node_get(metadata, LW_STR("annotations")), NOTE);
    return lw_str_to_uint64(text, &number) && number <= INT64_MAX ? number : 0;
}

static void write_note(lw_pending_object *pending, uint64_t number)
{
    char text[NUMBER_SIZE];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    lw_node *notes = lw_fields_object(pending->tree, pending->metadata, "annotations");
    lw_fields_set_text(pending->tree, notes, NOTE, lw_str_of(text));
}

void lw_daemon_set_note_default(lw_pending_object *pending)
{
    write_note(pending, read_note(pending->metadata));
}

void lw_daemon_set_note_create(lw_pending_object *pending)
{
    if (read_note(pending->metadata) < 1)
        write_note(pending, 1);
}

void lw_daemon_set_note_update(lw_pending_object *pending)
{
    uint64_t number = read_note(lw_node_get(pending->old, LW_STR("metadata")));
    bool is_new = !lw_node_equal(lw_fields_find(pending->old, "/spec/template"),
                                 lw_fields_find(pending->root, "/spec/template"));
    write_note(pending, is_new ? number + 1 : number);
}
