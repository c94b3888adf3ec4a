/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_merge.c -- merges discovery documents.
 *
 * A group stands before others of a lower priority, the highest groupPriorityMinimum of its
 * versions, and before others of the same priority whose names come later; versions are ordered by
 * versionPriority, and then as Kubernetes orders versions. */
#include "server/aggregator/discovery_merge.h"

#include "base/str.h"
#include "schema/kinds/kind.h"
#include "schema/kinds/version_order.h"
#include "server/aggregator/openapi_merge.h"
#include "json/fields.h"
#include "json/tree.h"
#include "json/writer.h"

enum {
    TEXT_MAX = 1024,
};

/* A document that is being merged. */
typedef struct merge {
    const lw_apiservice_table *table;
    lw_tree *tree;
    bool is_aggregated; /* of apidiscovery.k8s.io */
} merge;

static const lw_kind *find_builtin(lw_str group, lw_str version)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(kinds[i]->group, group) &&
            (version.len == 0 || lw_str_equal(kinds[i]->version, version)))
            return kinds[i];
    }
    return NULL;
}

/* The priority of a group, of this server or others. */
static int64_t group_priority(const merge *m, lw_str group, bool is_local)
{
    const lw_kind *kind = is_local ? find_builtin(group, LW_STR("")) : NULL;
    int64_t highest = kind ? kind->group_priority : is_local ? LW_KIND_CUSTOM_GROUP_PRIORITY : 0;
    for (size_t i = 0; i < m->table->count; i++) {
        const lw_apiservice *service = m->table->at[i];
        if (lw_str_equal(service->group, group) && service->group_priority > highest)
            highest = service->group_priority;
    }
    return highest;
}

static int64_t version_priority(const merge *m, lw_str group, lw_str version)
{
    const lw_apiservice *service = lw_apiservice_find(m->table, group, version);
    const lw_kind *kind = service ? NULL : find_builtin(group, version);
    return service ? service->version_priority
           : kind  ? kind->version_priority
                   : LW_KIND_CUSTOM_VERSION_PRIORITY;
}

/* The name of the group of a node. */
static lw_str name_of(const merge *m, const lw_node *group)
{
    return m->is_aggregated ? lw_fields_text_at(group, "/metadata/name")
                            : lw_fields_text(group, "name");
}

/* {"groupVersion":"g/v","version":"v"} */
static lw_node *legacy_version(const merge *m, const lw_apiservice *service)
{
    lw_node *node = lw_tree_object(m->tree);
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_buf_printf(&text, "%.*s/%.*s", LW_STR_ARG(service->group), LW_STR_ARG(service->version));
    lw_fields_set_text(m->tree, node, "groupVersion", lw_buf_view(&text));
    lw_fields_set_text(m->tree, node, "version", service->version);
    lw_buf_done(&text);
    return node;
}

/* What the server has said; nothing if it has not answered yet. */
static lw_node *aggregated_version(const merge *m, const lw_apiservice *service)
{
    lw_node *node = NULL;
    if (!service->discovery ||
        lw_tree_parse_node(m->tree, lw_str_of(service->discovery), &node, NULL) < 0)
        node = lw_tree_object(m->tree);
    lw_fields_set_text(m->tree, node, "version", service->version);
    lw_fields_set_text(m->tree, node, "freshness",
                       service->is_fresh ? LW_STR("Current") : LW_STR("Stale"));
    return node;
}

/* Puts the version of |service| in its place among those of |group|; it replaces that of this
 * server. */
static void add_version(const merge *m, lw_node *group, const lw_apiservice *service)
{
    lw_node *versions = lw_node_get(group, LW_STR("versions"));
    lw_node *added = m->is_aggregated ? aggregated_version(m, service) : legacy_version(m, service);
    size_t at = 0;
    if (!versions) {
        versions = lw_tree_array(m->tree);
        lw_node_put(m->tree, group, LW_STR("versions"), versions);
    }
    for (size_t i = 0; i < lw_node_count(versions); i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(versions, i), "version"), service->version)) {
            lw_node_remove_at(versions, i);
            break;
        }
    }
    for (; at < lw_node_count(versions); at++) {
        lw_str other = lw_fields_text(lw_node_at(versions, at), "version");
        int64_t priority = version_priority(m, service->group, other);
        if (priority < service->version_priority || (priority == service->version_priority &&
                                                     lw_version_order(service->version, other) < 0))
            break;
    }
    lw_node_insert(m->tree, versions, at, added);
    if (!m->is_aggregated)
        lw_node_put(m->tree, group, LW_STR("preferredVersion"),
                    lw_tree_copy(m->tree, lw_node_at(versions, 0)));
}

static lw_node *make_group(const merge *m, lw_str name)
{
    lw_node *group = lw_tree_object(m->tree);
    lw_node *named = m->is_aggregated ? lw_fields_object(m->tree, group, "metadata") : group;
    lw_fields_set_text(m->tree, named, "name", name);
    return group;
}

/* Finds the group among |groups|, or puts a new one in its place. */
static lw_node *find_or_add_group(const merge *m, lw_node *groups, lw_str name)
{
    int64_t priority = group_priority(m, name, false);
    size_t at = SIZE_MAX, count = lw_node_count(groups);
    for (size_t i = 0; i < count; i++) {
        lw_node *group = lw_node_at(groups, i);
        lw_str other = name_of(m, group);
        if (lw_str_equal(other, name))
            return group;
        int64_t others = group_priority(m, other, true);
        if (at == SIZE_MAX &&
            (others < priority || (others == priority && lw_str_compare(name, other) < 0)))
            at = i;
    }
    lw_node *made = make_group(m, name);
    lw_node_insert(m->tree, groups, at == SIZE_MAX ? count : at, made);
    return made;
}

static void merge_groups(const merge *m, lw_node *groups)
{
    for (size_t i = 0; i < m->table->count; i++) {
        const lw_apiservice *service = m->table->at[i];
        if (service->group.len > 0)
            add_version(m, find_or_add_group(m, groups, service->group), service);
    }
}

static void merge_group(const merge *m, lw_node *group, lw_str name)
{
    for (size_t i = 0; i < m->table->count; i++) {
        if (lw_str_equal(m->table->at[i]->group, name))
            add_version(m, group, m->table->at[i]);
    }
}

static void merge_openapi(const merge *m, lw_node *paths)
{
    for (size_t i = 0; i < m->table->count; i++) {
        const lw_apiservice *service = m->table->at[i];
        lw_buf key;
        if (!service->openapi_url)
            continue;
        lw_node *entry = lw_tree_object(m->tree);
        lw_buf_init(&key, TEXT_MAX);
        lw_buf_printf(&key, "apis/%.*s/%.*s", LW_STR_ARG(service->group),
                      LW_STR_ARG(service->version));
        lw_fields_set_text(m->tree, entry, "serverRelativeURL", lw_str_of(service->openapi_url));
        lw_node_put(m->tree, paths, lw_buf_view(&key), entry);
        lw_buf_done(&key);
    }
}

static bool has_group(const lw_apiservice_table *table, lw_str group)
{
    for (size_t i = 0; table && i < table->count; i++) {
        if (lw_str_equal(table->at[i]->group, group))
            return true;
    }
    return false;
}

static void change(const merge *m, lw_aggregated_document document, lw_str group)
{
    lw_node *root = lw_tree_root(m->tree);
    switch (document) {
    case LW_AGGREGATED_GROUPS: merge_groups(m, lw_node_get(root, LW_STR("groups"))); break;
    case LW_AGGREGATED_DISCOVERY: merge_groups(m, lw_node_get(root, LW_STR("items"))); break;
    case LW_AGGREGATED_OPENAPI: merge_openapi(m, lw_node_get(root, LW_STR("paths"))); break;
    case LW_AGGREGATED_OPENAPI_2: break;
    case LW_AGGREGATED_GROUP:
        lw_fields_set_text(m->tree, root, "name", group);
        merge_group(m, root, group);
        break;
    }
}

lw_status lw_discovery_merge(const lw_apiservice_table *table, lw_aggregated_document document,
                             lw_str group, lw_buf *json)
{
    static const lw_str blank = LW_STR_INIT("{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"}");
    merge m = { .table = table, .is_aggregated = document == LW_AGGREGATED_DISCOVERY };
    lw_json_writer w;
    if (json->len == 0 && !has_group(table, group))
        return LW_ERR_NOT_FOUND;
    if (json->st < 0 || !table)
        return json->st;
    lw_status st =
        lw_tree_parse(&m.tree, json->len > 0 ? lw_buf_view(json) : blank, LW_TREE_LIMIT, NULL);
    if (st < 0)
        return st;
    change(&m, document, group);
    st = lw_tree_status(m.tree);
    if (st == LW_OK) {
        lw_buf_reset(json);
        lw_json_writer_init(&w, json, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(m.tree), &w);
        st = json->st;
    }
    lw_tree_free(m.tree);
    return st;
}

static lw_status merge_now(void *arg, lw_aggregated_document document, lw_str group, lw_buf *json)
{
    lw_apiservice_table *table = lw_aggregator_table_ref(arg);
    lw_status st = document == LW_AGGREGATED_OPENAPI_2
                       ? lw_openapi_merge(table, json)
                       : lw_discovery_merge(table, document, group, json);
    lw_apiservice_table_unref(table);
    return st;
}

static uint64_t openapi_stamp(void *arg)
{
    return lw_aggregator_openapi_stamp(arg);
}

lw_aggregation lw_discovery_merging(lw_aggregator *aggregator)
{
    return aggregator ? (lw_aggregation){ merge_now, openapi_stamp, aggregator }
                      : (lw_aggregation){ NULL, NULL, NULL };
}
