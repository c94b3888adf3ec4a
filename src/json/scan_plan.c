/* SPDX-License-Identifier: Apache-2.0 */
/* scan_plan.c -- builds the tree of keys that the scanner handles.
 *
 * The node of "*" is the |any| of its parent.  When all paths have been added, it is merged into
 * its named siblings, so that a lookup finds everything in one node.  The first failure is
 * remembered; NULL stands for a node that could not be made. */
#include "json/scan_plan.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/path.h"
#include "json/text.h"

/* A node with its key, in the list of all nodes, which is used to free them. */
typedef struct plan_cell {
    lw_plan_node node; /* first, so that a pointer to a node is one to its cell */
    struct plan_cell *older;
    char key[];
} plan_cell;

struct lw_plan {
    lw_plan_node *root;
    lw_plan_node *object; /* root of each object, somewhere below root */
    bool keeps_others;
    size_t count;
    plan_cell *newest;
    lw_status st;
};

const char *lw_role_name(lw_role role)
{
    static const char *const names[] = {
        [LW_ROLE_API_VERSION] = "apiVersion",
        [LW_ROLE_KIND] = "kind",
        [LW_ROLE_NAMESPACE] = "metadata.namespace",
        [LW_ROLE_NAME] = "metadata.name",
        [LW_ROLE_UID] = "metadata.uid",
        [LW_ROLE_RESOURCE_VERSION] = "metadata.resourceVersion",
        [LW_ROLE_ENVELOPE_TYPE] = "type",
        [LW_ROLE_ENVELOPE_API_VERSION] = "apiVersion",
        [LW_ROLE_ENVELOPE_KIND] = "kind",
        [LW_ROLE_ENVELOPE_RESOURCE_VERSION] = "metadata.resourceVersion",
        [LW_ROLE_ENVELOPE_CONTINUE] = "metadata.continue",
        [LW_ROLE_ENVELOPE_METADATA] = "metadata",
        [LW_ROLE_ENVELOPE_REMAINING] = "metadata.remainingItemCount",
        [LW_ROLE_METADATA] = "metadata",
        [LW_ROLE_LABELS] = "metadata.labels",
        [LW_ROLE_LABEL] = "a label",
        [LW_ROLE_ITEMS] = "items",
        [LW_ROLE_ITEM] = "each object",
        [LW_ROLE_SPEC] = "spec",
        [LW_ROLE_NONE] = "a member",
    };
    return names[role];
}

static lw_plan_node *plan_node(lw_plan *plan, lw_str key, lw_role role)
{
    if (plan->st < 0)
        return NULL;
    if (plan->count++ == LW_PLAN_NODES) {
        plan->st = LW_ERR_LIMIT;
        return NULL;
    }
    plan_cell *cell = lw_alloc(sizeof(*cell) + key.len);
    if (!cell) {
        plan->st = LW_ERR_NOMEM;
        return NULL;
    }
    if (key.len > 0)
        memcpy(cell->key, key.ptr, key.len);
    cell->node = (lw_plan_node){ .key = lw_str_make(cell->key, key.len), .role = role };
    cell->older = plan->newest;
    plan->newest = cell;
    return &cell->node;
}

static lw_plan_node *plan_child(lw_plan *plan, lw_plan_node *parent, lw_str key, lw_role role)
{
    lw_plan_node *child = parent ? plan_node(plan, key, role) : NULL;
    if (child) {
        child->next = parent->children;
        parent->children = child;
    }
    return child;
}

static lw_plan_node *plan_any(lw_plan *plan, lw_plan_node *parent, lw_role role)
{
    if (parent && !parent->any)
        parent->any = plan_node(plan, LW_STR("*"), role);
    return parent ? parent->any : NULL;
}

/* Adds a member whose text is reported and which is therefore always copied. */
static void plan_text(lw_plan *plan, lw_plan_node *parent, lw_str key, lw_role role)
{
    lw_plan_node *node = plan_child(plan, parent, key, role);
    if (node)
        node->is_kept = true;
}

/* Adds the members that are reported for every object. */
static void plan_identity(lw_plan *plan, lw_plan_node *object)
{
    plan_text(plan, object, LW_STR("apiVersion"), LW_ROLE_API_VERSION);
    plan_text(plan, object, LW_STR("kind"), LW_ROLE_KIND);
    lw_plan_node *metadata = plan_child(plan, object, LW_STR("metadata"), LW_ROLE_METADATA);
    plan_text(plan, metadata, LW_STR("uid"), LW_ROLE_UID);
    plan_text(plan, metadata, LW_STR("resourceVersion"), LW_ROLE_RESOURCE_VERSION);
    plan_text(plan, metadata, LW_STR("namespace"), LW_ROLE_NAMESPACE);
    plan_text(plan, metadata, LW_STR("name"), LW_ROLE_NAME);
    lw_plan_node *labels = plan_child(plan, metadata, LW_STR("labels"), LW_ROLE_LABELS);
    if (labels)
        labels->is_kept = true;
    (void)plan_any(plan, labels, LW_ROLE_LABEL);
}

/* Adds the path from the root of a list to its objects. */
static lw_plan_node *plan_list(lw_plan *plan, lw_plan_node *root)
{
    plan_text(plan, root, LW_STR("kind"), LW_ROLE_ENVELOPE_KIND);
    plan_text(plan, root, LW_STR("apiVersion"), LW_ROLE_ENVELOPE_API_VERSION);
    lw_plan_node *metadata = plan_child(plan, root, LW_STR("metadata"), LW_ROLE_ENVELOPE_METADATA);
    plan_text(plan, metadata, LW_STR("resourceVersion"), LW_ROLE_ENVELOPE_RESOURCE_VERSION);
    plan_text(plan, metadata, LW_STR("continue"), LW_ROLE_ENVELOPE_CONTINUE);
    plan_text(plan, metadata, LW_STR("remainingItemCount"), LW_ROLE_ENVELOPE_REMAINING);
    lw_plan_node *items = plan_child(plan, root, LW_STR("items"), LW_ROLE_ITEMS);
    return plan_any(plan, items, LW_ROLE_ITEM);
}

static lw_plan_node *plan_event(lw_plan *plan, lw_plan_node *root)
{
    plan_text(plan, root, LW_STR("type"), LW_ROLE_ENVELOPE_TYPE);
    return plan_child(plan, root, LW_STR("object"), LW_ROLE_ITEM);
}

static void plan_shape(lw_plan *plan, lw_scan_shape shape)
{
    bool is_object = shape == LW_SCAN_OBJECT;
    plan->root = plan_node(plan, LW_STR(""), is_object ? LW_ROLE_ITEM : LW_ROLE_NONE);
    plan->object = plan->root;
    if (shape == LW_SCAN_LIST)
        plan->object = plan_list(plan, plan->root);
    if (shape == LW_SCAN_EVENT)
        plan->object = plan_event(plan, plan->root);
    plan_identity(plan, plan->object);
}

static lw_plan_node *plan_named(const lw_plan_node *parent, lw_str key)
{
    lw_plan_node *child = parent->children;
    while (child && !lw_str_equal(child->key, key))
        child = child->next;
    return child;
}

/* Returns the child of |parent| for one segment of a path; makes it if there is none. */
static lw_plan_node *plan_descend(lw_plan *plan, lw_plan_node *parent, lw_str segment)
{
    if (!parent)
        return NULL;
    if (lw_str_equal(segment, LW_STR("*")))
        return plan_any(plan, parent, LW_ROLE_NONE);
    lw_buf key;
    lw_buf_init(&key, segment.len);
    lw_json_path_append_decoded(&key, segment);
    if (key.st < 0)
        plan->st = key.st;
    lw_plan_node *child = plan_named(parent, lw_buf_view(&key));
    if (!child)
        child = plan_child(plan, parent, lw_buf_view(&key), LW_ROLE_NONE);
    lw_buf_done(&key);
    return child;
}

/* Returns true for the members that must not be dropped. */
static bool role_identifies(lw_role role)
{
    return role != LW_ROLE_NONE && role != LW_ROLE_LABEL && role != LW_ROLE_SPEC;
}

static lw_status plan_declare(lw_plan *plan, const char *path, bool is_drop, lw_error *err)
{
    lw_str rest = lw_str_of(path);
    lw_str segment;
    lw_plan_node *node = plan->object;
    unsigned depth = 0;
    if (rest.len == 0 || lw_json_path_check(rest) < 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "path \"%s\" is not a JSON Pointer to a member such as /spec/nodeName",
                            path);
    while (lw_json_path_next(&rest, &segment)) {
        /* There are three levels between the root of a list and a member of its objects. */
        if (++depth > LW_PLAN_DEPTH - 3)
            return lw_error_set(err, LW_ERR_INVALID, "path \"%s\" has more than %d segments", path,
                                LW_PLAN_DEPTH - 3);
        node = plan_descend(plan, node, segment);
    }
    if (!node)
        return LW_OK; /* the failure is in plan->st */
    if (is_drop && role_identifies(node->role))
        return lw_error_set(
            err, LW_ERR_INVALID,
            "path \"%s\" cannot be dropped: it is part of the identity of an object", path);
    if (is_drop)
        node->is_dropped = true;
    else
        node->is_kept = true;
    return LW_OK;
}

static lw_status plan_declare_all(lw_plan *plan, const lw_scan_options *options, lw_error *err)
{
    static const char *const by_default[] = { "/metadata/managedFields", NULL };
    if (options->drop && options->keep)
        return lw_error_set(err, LW_ERR_INVALID,
                            "drop and keep are mutually exclusive: set only one of them");
    const char *const *paths = options->keep ? options->keep : options->drop;
    if (!paths)
        paths = by_default;
    plan->keeps_others = !options->keep;
    for (size_t i = 0; paths[i]; i++) {
        lw_status st = plan_declare(plan, paths[i], !options->keep, err);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

/* The position of the spec of each object is reported as well, if the spec is copied. */
static void plan_spec(lw_plan *plan)
{
    lw_plan_node *spec = plan->object ? plan_named(plan->object, LW_STR("spec")) : NULL;
    if (spec)
        spec->role = LW_ROLE_SPEC;
    else if (plan->keeps_others)
        (void)plan_child(plan, plan->object, LW_STR("spec"), LW_ROLE_SPEC);
}

/* Merges |from| into |into|.  The recursion is limited by LW_PLAN_DEPTH. */
static void plan_merge(lw_plan *plan, lw_plan_node *into, const lw_plan_node *from)
{
    if (into->role == LW_ROLE_NONE)
        into->role = from->role;
    into->is_kept |= from->is_kept;
    into->is_dropped |= from->is_dropped && !role_identifies(into->role);
    for (const lw_plan_node *child = from->children; child && plan->st >= 0; child = child->next) {
        lw_plan_node *twin = plan_named(into, child->key);
        if (!twin)
            twin = plan_child(plan, into, child->key, LW_ROLE_NONE);
        if (twin)
            plan_merge(plan, twin, child);
    }
    lw_plan_node *any = from->any ? plan_any(plan, into, LW_ROLE_NONE) : NULL;
    if (any)
        plan_merge(plan, any, from->any);
}

/* Merges every "*" into its named siblings, from the top down. */
static void plan_merge_wildcards(lw_plan *plan, lw_plan_node *node)
{
    for (lw_plan_node *child = node->children; child && plan->st >= 0; child = child->next) {
        if (node->any)
            plan_merge(plan, child, node->any);
        plan_merge_wildcards(plan, child);
    }
    if (node->any)
        plan_merge_wildcards(plan, node->any);
}

lw_status lw_plan_new(lw_plan **out, const lw_scan_options *options, lw_error *err)
{
    lw_plan *plan = lw_alloc_zero(1, sizeof(*plan));
    if (!plan)
        return lw_error_nomem(err);
    plan_shape(plan, options->shape);
    lw_status st = plan_declare_all(plan, options, err);
    if (st < 0)
        goto fail;
    plan_spec(plan);
    if (plan->st >= 0)
        plan_merge_wildcards(plan, plan->root);
    st = plan->st;
    if (st == LW_ERR_NOMEM)
        (void)lw_error_nomem(err);
    if (st == LW_ERR_LIMIT)
        (void)lw_error_set(err, st, "the paths to drop or keep have more than %d segments in total",
                           LW_PLAN_NODES);
    if (st < 0)
        goto fail;
    *out = plan;
    return LW_OK;
fail:
    lw_plan_free(plan);
    return st;
}

void lw_plan_free(lw_plan *plan)
{
    if (!plan)
        return;
    while (plan->newest) {
        plan_cell *cell = plan->newest;
        plan->newest = cell->older;
        lw_free(cell);
    }
    lw_free(plan);
}

const lw_plan_node *lw_plan_root(const lw_plan *plan)
{
    return plan->root;
}

bool lw_plan_keeps_others(const lw_plan *plan)
{
    return plan->keeps_others;
}

const lw_plan_node *lw_plan_find_escaped(const lw_plan_node *node, lw_str raw_key)
{
    bool is_escaped = raw_key.len > 0 && memchr(raw_key.ptr, '\\', raw_key.len);
    if (!is_escaped && raw_key.len > 0)
        return node->any;
    for (const lw_plan_node *child = node->children; child; child = child->next) {
        if (lw_json_text_equal(raw_key, child->key))
            return child;
    }
    return node->any;
}
