/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_read.c -- reads resources from discovery documents.
 *
 * There are four documents: APIGroupDiscoveryList (KEP-3352), which contains everything, and the
 * older ones: APIVersions (/api) and APIGroupList (/apis), which list group versions, each of which
 * has an APIResourceList. */
#include "client/discovery.h"

#include "base/error.h"
#include "base/str.h"
#include "json/tree.h"

enum {
    GROUP_SHIFT = 24, /* position of the group in a rank; the lower bits are for versions */
};

typedef struct reading {
    uint64_t rank;
    lw_resource_set *set;
    lw_discovery_version_fn on_version;
    void *arg;
} reading;

static lw_str member_text(const lw_node *object, const char *key)
{
    const lw_node *node = lw_node_get(object, lw_str_of(key));
    return lw_node_is(node, LW_JSON_STRING) ? lw_node_text(node) : lw_str_make(NULL, 0);
}

static bool is_name(lw_str text)
{
    return text.len > 0 && text.len <= LW_RESOURCE_NAME_MAX;
}

static lw_status complain(lw_error *err, lw_status st)
{
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "the server serves more than %d resources",
                            LW_RESOURCE_SET_MAX);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static void read_short_names(const lw_node *names, lw_resource_entry *entry)
{
    for (size_t i = 0; i < lw_node_count(names); i++) {
        const lw_node *name = lw_node_at(names, i);
        if (!lw_node_is(name, LW_JSON_STRING) || !is_name(lw_node_text(name)))
            continue;
        if (entry->short_name_count < LW_RESOURCE_SHORT_NAMES)
            entry->short_names[entry->short_name_count++] = lw_node_text(name);
    }
}

/* Adds |entry|, after adding the members of |node| that both kinds of document have. */
static lw_status add_entry(const reading *r, uint64_t rank, const lw_node *node,
                           lw_resource_entry *entry, lw_error *err)
{
    const lw_resource *resource = &entry->resource;
    if (!is_name(resource->gvr.resource) || !is_name(resource->kind) ||
        !is_name(resource->gvr.version) || resource->gvr.group.len > LW_RESOURCE_NAME_MAX)
        return LW_OK;
    if (entry->singular.len > LW_RESOURCE_NAME_MAX)
        entry->singular = lw_str_make(NULL, 0);
    read_short_names(lw_node_get(node, LW_STR("shortNames")), entry);
    return complain(err, lw_resource_set_add(r->set, rank, entry));
}

/* Aggregated. */

static lw_status read_aggregated_version(const reading *r, lw_str group, uint64_t rank,
                                         const lw_node *version, lw_error *err)
{
    const lw_node *resources = lw_node_get(version, LW_STR("resources"));
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(resources); i++) {
        const lw_node *node = lw_node_at(resources, i);
        lw_resource_entry entry = {
            .resource = { .gvr = { group, member_text(version, "version"),
                                   member_text(node, "resource") },
                          .kind = member_text(lw_node_get(node, LW_STR("responseKind")), "kind"),
                          .is_namespaced =
                              lw_str_equal(member_text(node, "scope"), LW_STR("Namespaced")) },
            .singular = member_text(node, "singularResource"),
        };
        st = add_entry(r, rank, node, &entry, err);
    }
    return st;
}

static lw_status read_aggregated(const reading *r, const lw_node *root, lw_error *err)
{
    const lw_node *groups = lw_node_get(root, LW_STR("items"));
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(groups); i++) {
        const lw_node *group = lw_node_at(groups, i);
        lw_str name = member_text(lw_node_get(group, LW_STR("metadata")), "name");
        const lw_node *versions = lw_node_get(group, LW_STR("versions"));
        for (size_t v = 0; st == LW_OK && v < lw_node_count(versions); v++)
            st = read_aggregated_version(r, name, r->rank + (i << GROUP_SHIFT) + v,
                                         lw_node_at(versions, v), err);
    }
    return st;
}

/* One document per group version. */

static lw_status read_resources(const reading *r, const lw_node *root, lw_error *err)
{
    const lw_node *resources = lw_node_get(root, LW_STR("resources"));
    lw_str group, version;
    lw_status st = lw_api_version_parse(member_text(root, "groupVersion"), &group, &version, err);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(resources); i++) {
        const lw_node *node = lw_node_at(resources, i);
        lw_str name = member_text(node, "name");
        if (name.len > 0 && memchr(name.ptr, '/', name.len))
            continue; /* a subresource: "pods/status" */
        lw_resource_entry entry = {
            .resource = { .gvr = { group, version, name },
                          .kind = member_text(node, "kind"),
                          .is_namespaced = lw_node_bool(lw_node_get(node, LW_STR("namespaced"))) },
            .singular = member_text(node, "singularName"),
        };
        st = add_entry(r, r->rank, node, &entry, err);
    }
    return st;
}

static lw_status read_core_versions(const reading *r, const lw_node *root, lw_error *err)
{
    const lw_node *versions = lw_node_get(root, LW_STR("versions"));
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(versions); i++) {
        lw_str version = lw_node_text(lw_node_at(versions, i));
        if (is_name(version))
            st = r->on_version(LW_STR(""), version, r->rank + i, r->arg, err);
    }
    return st;
}

static lw_status read_group(const reading *r, const lw_node *group, uint64_t rank, lw_error *err)
{
    lw_str name = member_text(group, "name");
    const lw_node *versions = lw_node_get(group, LW_STR("versions"));
    lw_str preferred = member_text(lw_node_get(group, LW_STR("preferredVersion")), "version");
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && is_name(name) && i < lw_node_count(versions); i++) {
        lw_str version = member_text(lw_node_at(versions, i), "version");
        uint64_t place = lw_str_equal(version, preferred) ? 0 : i + 1;
        if (is_name(version))
            st = r->on_version(name, version, rank + place, r->arg, err);
    }
    return st;
}

static lw_status read_groups(const reading *r, const lw_node *root, lw_error *err)
{
    const lw_node *groups = lw_node_get(root, LW_STR("groups"));
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(groups); i++)
        st = read_group(r, lw_node_at(groups, i), r->rank + (i << GROUP_SHIFT), err);
    return st;
}

static lw_status read_document(const reading *r, const lw_node *root, lw_error *err)
{
    lw_str kind = member_text(root, "kind");
    if (lw_str_equal(kind, LW_STR("APIGroupDiscoveryList")))
        return read_aggregated(r, root, err);
    if (lw_str_equal(kind, LW_STR("APIResourceList")))
        return read_resources(r, root, err);
    if (lw_str_equal(kind, LW_STR("APIVersions")))
        return read_core_versions(r, root, err);
    if (lw_str_equal(kind, LW_STR("APIGroupList")))
        return read_groups(r, root, err);
    return lw_error_set(err, LW_ERR_INVALID, "expected a discovery document, got kind \"%.*s\"",
                        LW_STR_ARG(kind));
}

lw_status lw_discovery_read(lw_str json, uint64_t rank, lw_resource_set *set,
                            lw_discovery_version_fn on_version, void *arg, lw_error *err)
{
    reading r = { rank, set, on_version, arg };
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, LW_DISCOVERY_TREE_MAX, err);
    if (st < 0)
        return st;
    st = read_document(&r, lw_tree_root(tree), err);
    lw_tree_free(tree);
    return st;
}
