/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_content.c -- counts the objects left in a namespace; the messages are those of
 * Kubernetes. */
#include "api/lifecycle/namespace_content.h"

#include "api/pending/metadata.h"
#include "base/alloc.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 16 * 1024,
    KINDS_MAX = 256,
    FINALIZERS_MAX = 32, /* finalizers that are reported */
    LOOKED_AT = 256,     /* objects of a kind whose finalizers are counted */
};

/* A name and how often it occurs. */
typedef struct tally {
    lw_str name;
    lw_str group; /* for a kind */
    size_t count;
} tally;

typedef struct counted {
    tally kinds[KINDS_MAX];
    size_t kind_count;
    tally finalizers[FINALIZERS_MAX];
    size_t finalizer_count;
    lw_cache_list lists[KINDS_MAX]; /* the names of finalizers are views into these */
} counted;

bool lw_namespace_holds(const lw_kind *kind)
{
    return kind->is_namespaced && (kind->verbs & LW_VERB_DELETE) != 0 && lw_kind_is_first(kind);
}

/* Returns the kinds that are served now. */
static const lw_kind *const *kinds_of_now(lw_api_port *port, size_t *count)
{
    return lw_registry_kinds(lw_catalog_look(&port->api->catalog, &port->kinds), count);
}

lw_status lw_namespace_is_empty(lw_api_port *port, lw_str ns, bool *is_empty)
{
    const lw_cache_filter filter = { .ns = ns };
    size_t count;
    const lw_kind *const *kinds = kinds_of_now(port, &count);
    *is_empty = true;
    for (size_t i = 0; i < count && *is_empty; i++) {
        lw_cache_list list = { 0 };
        lw_cache_resource *resource = lw_api_resource(port->api, kinds[i]);
        if (!resource || !lw_namespace_holds(kinds[i]))
            continue;
        lw_status st = lw_cache_list_now(resource, &filter, LW_STR(""), 1, &list, NULL);
        if (st < 0)
            return st;
        *is_empty = list.count == 0;
        lw_cache_list_done(&list);
    }
    return LW_OK;
}

static void count_finalizer(counted *c, lw_str name)
{
    size_t i = 0;
    while (i < c->finalizer_count && !lw_str_equal(c->finalizers[i].name, name))
        i++;
    if (i == FINALIZERS_MAX)
        return;
    if (i == c->finalizer_count)
        c->finalizers[c->finalizer_count++] = (tally){ .name = name };
    c->finalizers[i].count++;
}

static void count_finalizers(counted *c, const lw_object *obj)
{
    lw_str json;
    if (lw_object_raw(obj, "/metadata/finalizers", &json) < 0)
        return;
    lw_json_cursor at = lw_json_cursor_on(json);
    if (lw_json_cursor_type(&at) != LW_JSON_ARRAY)
        return;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_element(&at)) {
        if (lw_json_cursor_type(&at) == LW_JSON_STRING)
            count_finalizer(c, lw_json_cursor_string(&at));
        else
            (void)lw_json_cursor_skip(&at);
    }
}

static lw_status count_kind(counted *c, const lw_kind *kind, lw_cache_resource *resource, lw_str ns)
{
    const lw_cache_filter filter = { .ns = ns };
    lw_cache_list *list = &c->lists[c->kind_count];
    lw_status st = lw_cache_list_now(resource, &filter, LW_STR(""), LOOKED_AT, list, NULL);
    if (st < 0) {
        *list = (lw_cache_list){ 0 };
        return st;
    }
    if (list->count == 0) {
        lw_cache_list_done(list);
        *list = (lw_cache_list){ 0 };
        return LW_OK;
    }
    c->kinds[c->kind_count++] = (tally){ kind->plural, kind->group, list->count + list->remaining };
    for (size_t i = 0; i < list->count; i++)
        count_finalizers(c, list->objects[i]);
    return LW_OK;
}

static int compare(const tally *a, const tally *b)
{
    int order = lw_str_compare(a->name, b->name);
    return order ? order : lw_str_compare(a->group, b->group);
}

static void sort(tally *tallies, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        tally moved = tallies[i];
        size_t at = i;
        for (; at > 0 && compare(&moved, &tallies[at - 1]) < 0; at--)
            tallies[at] = tallies[at - 1];
        tallies[at] = moved;
    }
}

static void write_texts(counted *c, lw_namespace_content *content)
{
    sort(c->kinds, c->kind_count);
    sort(c->finalizers, c->finalizer_count);
    for (size_t i = 0; i < c->kind_count; i++)
        lw_buf_printf(&content->kinds, "%s%.*s.%.*s has %zu resource instances", i ? ", " : "",
                      LW_STR_ARG(c->kinds[i].name), LW_STR_ARG(c->kinds[i].group),
                      c->kinds[i].count);
    for (size_t i = 0; i < c->finalizer_count; i++)
        lw_buf_printf(&content->finalizers, "%s%.*s in %zu resource instances", i ? ", " : "",
                      LW_STR_ARG(c->finalizers[i].name), c->finalizers[i].count);
}

lw_status lw_namespace_content_look(lw_namespace_content *content, lw_api_port *port, lw_str ns)
{
    lw_status st = LW_OK;
    size_t count;
    const lw_kind *const *kinds = kinds_of_now(port, &count);
    counted *c = lw_alloc_zero(1, sizeof(*c));
    lw_buf_init(&content->kinds, TEXT_MAX);
    lw_buf_init(&content->finalizers, TEXT_MAX);
    if (!c)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count && c->kind_count < KINDS_MAX && st == LW_OK; i++) {
        lw_cache_resource *resource = lw_api_resource(port->api, kinds[i]);
        if (resource && lw_namespace_holds(kinds[i]))
            st = count_kind(c, kinds[i], resource, ns);
    }
    if (st == LW_OK)
        write_texts(c, content);
    for (size_t i = 0; i < c->kind_count; i++)
        lw_cache_list_done(&c->lists[i]);
    lw_free(c);
    if (st == LW_OK &&
        (content->kinds.st == LW_ERR_NOMEM || content->finalizers.st == LW_ERR_NOMEM))
        st = LW_ERR_NOMEM;
    return st;
}

void lw_namespace_content_done(lw_namespace_content *content)
{
    lw_buf_done(&content->kinds);
    lw_buf_done(&content->finalizers);
}

/* The texts of a condition, when it is False and when it is True. */
typedef struct condition {
    const char *type;
    const char *good_reason, *good_message;
    const char *bad_reason, *bad_prefix;
} condition;

static const condition conditions[] = {
    { "NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered",
      "All resources successfully discovered", "", "" },
    { "NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
      "All legacy kube types successfully parsed", "", "" },
    { "NamespaceDeletionContentFailure", "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization", "ContentDeletionFailed",
      "Failed to delete all resource types, 1 remaining: " },
    { "NamespaceContentRemaining", "ContentRemoved", "All content successfully removed",
      "SomeResourcesRemain", "Some resources are remaining: " },
    { "NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
      "All content-preserving finalizers finished", "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: " },
};

enum {
    CONDITIONS = sizeof(conditions) / sizeof(conditions[0]),
};

static lw_node *find_condition(const lw_node *list, lw_str type)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_node *node = lw_node_at(list, i);
        if (lw_str_equal(lw_fields_text(node, "type"), type))
            return node;
    }
    return NULL;
}

static lw_status write_condition(const condition *what, lw_str why, lw_tree *tree, lw_node *list,
                                 int64_t wall_ns)
{
    char time[LW_TIME_TEXT_SIZE];
    bool is_bad = why.len > 0;
    lw_str type = lw_str_of(what->type), status = is_bad ? LW_STR("True") : LW_STR("False");
    lw_buf message;
    lw_buf_init(&message, TEXT_MAX + 256);
    lw_buf_append_text(&message, is_bad ? what->bad_prefix : what->good_message);
    lw_buf_append_str(&message, why);
    lw_status st = message.st;
    lw_node *node = find_condition(list, type);
    bool is_same = node && lw_str_equal(lw_fields_text(node, "status"), status) &&
                   lw_str_equal(lw_fields_text(node, "message"), lw_buf_view(&message));
    if (!node) {
        node = lw_tree_object(tree);
        lw_node_append(tree, list, node);
    }
    if (!is_same && st == LW_OK)
        st = lw_time_format(time, lw_time_of_ns(wall_ns));
    if (!is_same && st == LW_OK) {
        lw_fields_set_text(tree, node, "type", type);
        lw_fields_set_text(tree, node, "status", status);
        lw_fields_set_text(tree, node, "lastTransitionTime", lw_str_of(time));
        lw_fields_set_text(tree, node, "reason",
                           lw_str_of(is_bad ? what->bad_reason : what->good_reason));
        lw_fields_set_text(tree, node, "message", lw_buf_view(&message));
    }
    lw_buf_done(&message);
    return st;
}

lw_status lw_namespace_content_tell(const lw_namespace_content *content, lw_str failure,
                                    lw_tree *tree, lw_node *root, int64_t wall_ns)
{
    const lw_str whys[CONDITIONS] = { LW_STR(""), LW_STR(""), failure, lw_buf_view(&content->kinds),
                                      lw_buf_view(&content->finalizers) };
    lw_status st = LW_OK;
    lw_node *status = lw_fields_object(tree, root, "status");
    lw_node *list = lw_node_get(status, LW_STR("conditions"));
    lw_fields_set_text(tree, status, "phase", LW_STR("Terminating"));
    if (!lw_node_is(list, LW_JSON_ARRAY)) {
        list = lw_tree_array(tree);
        lw_node_put(tree, status, LW_STR("conditions"), list);
    }
    for (size_t i = 0; st == LW_OK && i < CONDITIONS; i++)
        st = write_condition(&conditions[i], whys[i], tree, list, wall_ns);
    return st;
}
