/* SPDX-License-Identifier: Apache-2.0 */
/* gc_graph.c -- the graph of owner references. */
#include "api/lifecycle/gc_graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/kinds/definition.h"

static const lw_map_type by_uid = LW_MAP_STR_TYPE(lw_gc_node, uid);

void lw_gc_graph_init(lw_gc_graph *graph, void (*on_forget)(lw_gc_node *node, void *arg), void *arg)
{
    lw_map_init(&graph->nodes, &by_uid, lw_hash_seed_random(), LW_GC_NODES_MAX);
    graph->on_forget = on_forget;
    graph->arg = arg;
}

static void node_free(lw_gc_graph *graph, lw_gc_node *node)
{
    if (graph->on_forget)
        graph->on_forget(node, graph->arg);
    lw_gc_node_unidentify(node);
    lw_free(node->refs);
    lw_free(node);
}

void lw_gc_graph_clear(lw_gc_graph *graph)
{
    lw_map_cursor cursor = lw_map_begin(&graph->nodes);
    for (lw_gc_node *node; (node = lw_map_next(&graph->nodes, &cursor));)
        node_free(graph, node);
    lw_map_clear(&graph->nodes);
}

lw_gc_node *lw_gc_graph_find(const lw_gc_graph *graph, lw_str uid)
{
    return lw_map_get_str(&graph->nodes, uid);
}

lw_gc_node *lw_gc_graph_get(lw_gc_graph *graph, lw_str uid)
{
    lw_gc_node *node = lw_gc_graph_find(graph, uid);
    void *replaced = NULL;
    if (node)
        return node;
    node = lw_alloc_zero(1, sizeof(*node) + uid.len + 1);
    if (!node)
        return NULL;
    char *text = (char *)(node + 1);
    if (uid.len > 0)
        memcpy(text, uid.ptr, uid.len);
    node->uid = lw_str_make(text, uid.len);
    lw_dlist_init(&node->dependents);
    if (lw_map_put(&graph->nodes, &node->uid, node, &replaced) < 0) {
        lw_free(node);
        return NULL;
    }
    return node;
}

lw_status lw_gc_node_identify(lw_gc_node *node, const lw_kind *kind, const lw_object *obj)
{
    if (node->kind)
        return LW_OK;
    node->ns = lw_str_dup(lw_str_of(lw_object_namespace(obj)));
    node->name = lw_str_dup(lw_str_of(lw_object_name(obj)));
    if (node->ns && node->name) {
        node->kind = lw_kind_ref(kind);
        return LW_OK;
    }
    lw_gc_node_unidentify(node);
    return LW_ERR_NOMEM;
}

void lw_gc_node_unidentify(lw_gc_node *node)
{
    lw_kind_unref(node->kind);
    node->kind = NULL;
    lw_free(node->ns);
    lw_free(node->name);
    node->ns = node->name = NULL;
}

bool lw_gc_node_has_owners_of(const lw_gc_node *node, const lw_object *obj)
{
    lw_owner_walk walk = lw_owner_walk_begin(obj);
    lw_owner_ref ref;
    size_t count = 0;
    while (count < LW_GC_REFS_MAX && lw_owner_walk_next(&walk, &ref)) {
        if (count == node->ref_count || node->refs[count].blocks != ref.blocks ||
            !lw_str_equal(node->refs[count].owner->uid, ref.uid))
            return false;
        count++;
    }
    return count == node->ref_count;
}

static size_t count_owners(const lw_object *obj)
{
    lw_owner_walk walk = lw_owner_walk_begin(obj);
    lw_owner_ref ref;
    size_t count = 0;
    while (count < LW_GC_REFS_MAX && lw_owner_walk_next(&walk, &ref))
        count++;
    return count;
}

static void drop_owners(lw_gc_graph *graph, lw_gc_node *node,
                        void (*on_removed)(lw_gc_node *owner, void *arg), void *arg)
{
    lw_gc_ref *refs = node->refs;
    size_t count = node->ref_count;
    node->refs = NULL;
    node->ref_count = 0;
    for (size_t i = 0; i < count; i++) {
        lw_dlist_remove(&refs[i].link);
        if (on_removed)
            on_removed(refs[i].owner, arg);
        if (refs[i].owner != node)
            lw_gc_graph_release(graph, refs[i].owner);
    }
    lw_free(refs);
}

lw_status lw_gc_graph_set_owners(lw_gc_graph *graph, lw_gc_node *node, const lw_object *obj,
                                 void (*on_removed)(lw_gc_node *owner, void *arg), void *arg)
{
    size_t count = obj ? count_owners(obj) : 0;
    lw_gc_ref *refs = NULL;
    drop_owners(graph, node, on_removed, arg);
    if (count == 0)
        return LW_OK;
    refs = lw_alloc_zero(count, sizeof(refs[0]));
    if (!refs)
        return LW_ERR_NOMEM;
    lw_owner_walk walk = lw_owner_walk_begin(obj);
    lw_owner_ref ref;
    node->refs = refs;
    while (node->ref_count < count && lw_owner_walk_next(&walk, &ref)) {
        lw_gc_ref *slot = &refs[node->ref_count];
        slot->owner = lw_gc_graph_get(graph, ref.uid);
        if (!slot->owner)
            return LW_ERR_NOMEM;
        slot->dependent = node;
        slot->blocks = ref.blocks;
        lw_dlist_push_back(&slot->owner->dependents, &slot->link);
        node->ref_count++;
    }
    return LW_OK;
}

bool lw_gc_node_is_blocked(const lw_gc_node *node)
{
    LW_DLIST_FOR_EACH(lw_gc_ref, ref, &node->dependents, link)
    {
        if (ref->blocks && ref->dependent != node)
            return true;
    }
    return false;
}

void lw_gc_graph_release(lw_gc_graph *graph, lw_gc_node *node)
{
    if (node->ref_count > 0 || !lw_dlist_is_empty(&node->dependents) || node->is_waiting ||
        node->is_in_work)
        return;
    (void)lw_map_remove_str(&graph->nodes, node->uid);
    node_free(graph, node);
}
