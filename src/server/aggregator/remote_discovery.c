/* SPDX-License-Identifier: Apache-2.0 */
/* remote_discovery.c -- picks one version out of the discovery documents of another server. */
#include "server/aggregator/remote_discovery.h"

#include "base/str.h"
#include "json/fields.h"
#include "json/tree.h"
#include "json/writer.h"

enum {
    KEY_MAX = 1024,
    RESOURCES_MAX = 5000, /* of an APIResourceList: each is looked for among those before it */
};

static lw_status write_node(const lw_node *node, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    return out->st;
}

static lw_status parse(lw_tree **out, lw_str json)
{
    if (json.len > LW_REMOTE_DISCOVERY_MAX)
        return LW_ERR_LIMIT;
    lw_status st = lw_tree_parse(out, json, 0, NULL);
    if (st == LW_OK && !lw_node_is(lw_tree_root(*out), LW_JSON_OBJECT)) {
        lw_tree_free(*out);
        *out = NULL;
        st = LW_ERR_INVALID;
    }
    return st;
}

/* Clients of Kubernetes 1.26 crash without it. */
static void default_kind(lw_tree *tree, lw_node *resource)
{
    (void)lw_fields_object(tree, resource, "responseKind");
    const lw_node *subresources = lw_node_get(resource, LW_STR("subresources"));
    for (size_t i = 0; i < lw_node_count(subresources); i++) {
        lw_node *subresource = lw_node_at(subresources, i);
        if (lw_node_is(subresource, LW_JSON_OBJECT))
            (void)lw_fields_object(tree, subresource, "responseKind");
    }
}

static lw_node *find_version(const lw_node *items, lw_str group, lw_str version)
{
    for (size_t i = 0; i < lw_node_count(items); i++) {
        const lw_node *item = lw_node_at(items, i);
        if (!lw_str_equal(lw_fields_text_at(item, "/metadata/name"), group))
            continue;
        const lw_node *versions = lw_node_get(item, LW_STR("versions"));
        for (size_t j = 0; j < lw_node_count(versions); j++) {
            lw_node *found = lw_node_at(versions, j);
            if (lw_node_is(found, LW_JSON_OBJECT) &&
                lw_str_equal(lw_fields_text(found, "version"), version))
                return found;
        }
    }
    return NULL;
}

lw_status lw_remote_discovery_pick(lw_str json, lw_str group, lw_str version, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_status st = parse(&tree, json);
    if (st < 0)
        return st;
    lw_node *found = find_version(lw_node_get(lw_tree_root(tree), LW_STR("items")), group, version);
    const lw_node *resources = lw_node_get(found, LW_STR("resources"));
    for (size_t i = 0; i < lw_node_count(resources); i++) {
        if (lw_node_is(lw_node_at(resources, i), LW_JSON_OBJECT))
            default_kind(tree, lw_node_at(resources, i));
    }
    if (found)
        lw_fields_remove(found, "freshness");
    st = found ? lw_tree_status(tree) : LW_ERR_NOT_FOUND;
    if (st == LW_OK)
        st = write_node(found, out);
    lw_tree_free(tree);
    return st;
}

/* What an APIResourceList is converted to. */
typedef struct conversion {
    lw_tree *tree;
    lw_str group, version;
    lw_node *resources; /* made so far */
} conversion;

/* Sets responseKind and verbs. */
static void set_kind(const conversion *c, lw_node *to, const lw_node *from)
{
    lw_node *kind = lw_fields_object(c->tree, to, "responseKind");
    lw_str group = lw_fields_text(from, "group"), version = lw_fields_text(from, "version");
    bool is_own = version.len == 0;
    lw_fields_set_text(c->tree, kind, "group", is_own ? c->group : group);
    lw_fields_set_text(c->tree, kind, "version", is_own ? c->version : version);
    lw_fields_set_text(c->tree, kind, "kind", lw_fields_text(from, "kind"));
    lw_fields_set_copy(c->tree, to, "verbs", lw_node_get(from, LW_STR("verbs")));
}

static lw_node *add_resource(const conversion *c, lw_str name, const lw_node *from)
{
    lw_node *made = lw_tree_object(c->tree);
    bool is_namespaced = lw_node_bool(lw_node_get(from, LW_STR("namespaced")));
    lw_fields_set_text(c->tree, made, "resource", name);
    lw_fields_set_text(c->tree, made, "scope",
                       is_namespaced ? LW_STR("Namespaced") : LW_STR("Cluster"));
    lw_node_append(c->tree, c->resources, made);
    return made;
}

/* The resource of a subresource is most often the last one. */
static lw_node *find_resource(const conversion *c, lw_str name)
{
    for (size_t i = lw_node_count(c->resources); i > 0; i--) {
        lw_node *resource = lw_node_at(c->resources, i - 1);
        if (lw_str_equal(lw_fields_text(resource, "resource"), name))
            return resource;
    }
    return NULL;
}

static void convert_resource(const conversion *c, lw_str name, const lw_node *from)
{
    lw_node *to = find_resource(c, name);
    lw_str singular = lw_fields_text(from, "singularName");
    if (!to)
        to = add_resource(c, name, from);
    set_kind(c, to, from);
    lw_fields_set_text(c->tree, to, "singularResource", singular);
    lw_fields_set_copy(c->tree, to, "shortNames", lw_node_get(from, LW_STR("shortNames")));
    lw_fields_set_copy(c->tree, to, "categories", lw_node_get(from, LW_STR("categories")));
}

static void convert_subresource(const conversion *c, lw_str name, lw_str sub, const lw_node *from)
{
    lw_node *to = find_resource(c, name), *made = lw_tree_object(c->tree);
    if (!to) {
        to = add_resource(c, name, from);
        (void)lw_fields_object(c->tree, to, "responseKind");
    }
    lw_node *list = lw_node_get(to, LW_STR("subresources"));
    if (!list) {
        list = lw_tree_array(c->tree);
        lw_node_put(c->tree, to, LW_STR("subresources"), list);
    }
    lw_fields_set_text(c->tree, made, "subresource", sub);
    set_kind(c, made, from);
    lw_node_append(c->tree, list, made);
}

lw_status lw_remote_discovery_convert(lw_str json, lw_str group, lw_str version, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_status st = parse(&tree, json);
    if (st < 0)
        return st;
    const lw_node *list = lw_node_get(lw_tree_root(tree), LW_STR("resources"));
    if (!lw_node_is(list, LW_JSON_ARRAY) || lw_node_count(list) > RESOURCES_MAX) {
        st = lw_node_is(list, LW_JSON_ARRAY) ? LW_ERR_LIMIT : LW_ERR_INVALID;
        lw_tree_free(tree);
        return st;
    }
    conversion c = { tree, group, version, lw_tree_array(tree) };
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_node *from = lw_node_at(list, i);
        lw_str name, sub, full = lw_fields_text(from, "name");
        if (!lw_node_is(from, LW_JSON_OBJECT) || full.len == 0)
            continue;
        if (lw_str_cut(full, '/', &name, &sub))
            convert_subresource(&c, name, sub, from);
        else
            convert_resource(&c, name, from);
    }
    lw_node *made = lw_tree_object(tree);
    lw_fields_set_text(tree, made, "version", version);
    lw_node_put(tree, made, LW_STR("resources"), c.resources);
    st = lw_tree_status(tree);
    if (st == LW_OK)
        st = write_node(made, out);
    lw_tree_free(tree);
    return st;
}

lw_status lw_remote_openapi_pick(lw_str json, lw_str group, lw_str version, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_buf key;
    lw_status st = parse(&tree, json);
    if (st < 0)
        return st;
    lw_buf_init(&key, KEY_MAX);
    lw_buf_printf(&key, "apis/%.*s/%.*s", LW_STR_ARG(group), LW_STR_ARG(version));
    const lw_node *paths = lw_node_get(lw_tree_root(tree), LW_STR("paths"));
    lw_str url = lw_fields_text(lw_node_get(paths, lw_buf_view(&key)), "serverRelativeURL");
    if (key.st < 0)
        st = key.st;
    else if (!lw_str_starts_with(url, LW_STR("/openapi/v3/")) || url.len > LW_REMOTE_URL_MAX)
        st = LW_ERR_NOT_FOUND;
    else
        lw_buf_append_str(out, url);
    lw_buf_done(&key);
    lw_tree_free(tree);
    return st < 0 ? st : out->st;
}
