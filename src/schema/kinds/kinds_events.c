/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_events.c -- the group events.k8s.io: events in their newer shape. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

static const lw_field_label fields[] = {
    { .label = LW_STR_INIT("regarding.kind") },
    { .label = LW_STR_INIT("regarding.namespace") },
    { .label = LW_STR_INIT("regarding.name") },
    { .label = LW_STR_INIT("regarding.uid") },
    { .label = LW_STR_INIT("regarding.apiVersion") },
    { .label = LW_STR_INIT("regarding.resourceVersion") },
    { .label = LW_STR_INIT("regarding.fieldPath") },
    { .label = LW_STR_INIT("reason") },
    { .label = LW_STR_INIT("reportingController") },
    { .label = LW_STR_INIT("type") },
    { .label = { NULL, 0 } },
};

const lw_kind lw_kind_events_k8s_io = {
    .group = LW_STR_INIT("events.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Event"),
    .list_kind = LW_STR_INIT("EventList"),
    .plural = LW_STR_INIT("events"),
    .singular = LW_STR_INIT("event"),
    .storage = LW_STR_INIT("events.k8s.io/events"),
    .ttl_s = LW_KIND_EVENT_TTL_S,
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("ev"), { NULL, 0 } },
    .fields = fields,
    .columns = lw_table_columns_event_k8s_io,
    .empty_members = LW_STR_INIT(",\"eventTime\":null"),
};
