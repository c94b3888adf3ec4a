/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_daemon_set.c -- the template generation of a daemon set: an annotation for clients older
 * than ControllerRevisions. */
#include <stdio.h>

#include "api/strategy/strategy_workload.h"
#include "base/str.h"
#include "json/fields.h"

#define ANNOTATION "deprecated.daemonset.template.generation"

enum {
    NUMBER_SIZE = 24,
};

static uint64_t read_generation(const lw_node *metadata)
{
    uint64_t number = 0;
    lw_str text = lw_fields_text(lw_node_get(metadata, LW_STR("annotations")), ANNOTATION);
    return lw_str_to_uint64(text, &number) && number <= INT64_MAX ? number : 0;
}

static void write_generation(lw_pending_object *pending, uint64_t number)
{
    char text[NUMBER_SIZE];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    lw_node *annotations = lw_fields_object(pending->tree, pending->metadata, "annotations");
    lw_fields_set_text(pending->tree, annotations, ANNOTATION, lw_str_of(text));
}

void lw_daemon_set_note_default(lw_pending_object *pending)
{
    write_generation(pending, read_generation(pending->metadata));
}

void lw_daemon_set_note_create(lw_pending_object *pending)
{
    if (read_generation(pending->metadata) < 1)
        write_generation(pending, 1);
}

void lw_daemon_set_note_update(lw_pending_object *pending)
{
    uint64_t number = read_generation(lw_node_get(pending->old, LW_STR("metadata")));
    bool is_new = !lw_node_equal(lw_fields_find(pending->old, "/spec/template"),
                                 lw_fields_find(pending->root, "/spec/template"));
    write_generation(pending, is_new ? number + 1 : number);
}
