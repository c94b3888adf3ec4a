/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache_nodes.c -- the records of nodes. */
#include "scheduler/scheduler_cache.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"

enum {
    NODES_MIN = 16,
    DEFAULT_PODS = 110, /* default of a node's capacity */
};

static lw_status reserve(lw_scheduler_cache *c)
{
    if (c->node_count < c->node_size)
        return LW_OK;
    size_t size = c->node_size > 0 ? c->node_size * 2 : NODES_MIN;
    lw_node_record **nodes = realloc(c->nodes, size * sizeof(lw_node_record *));
    if (!nodes)
        return LW_ERR_NOMEM;
    c->nodes = nodes;
    c->node_size = size;
    return LW_OK;
}

lw_node_record *lw_scheduler_cache__node(lw_scheduler_cache *c, lw_str name)
{
    lw_node_record *node = lw_names_get(&c->node_names, name);
    if (node)
        return node;
    node = reserve(c) == LW_OK ? calloc(1, sizeof(*node) + name.len + 1) : NULL;
    if (!node)
        return NULL;
    memcpy(node->name, name.ptr, name.len);
    node->named.name = lw_str_make(node->name, name.len);
    if (lw_names_add(&c->node_names, &node->named) < 0) {
        free(node);
        return NULL;
    }
    node->index = c->node_count;
    c->nodes[c->node_count++] = node;
    return node;
}

/* Moves the last node to a free index, in every group too. */
static void move_last(lw_scheduler_cache *c, size_t to)
{
    size_t from = c->node_count - 1;
    lw_spread_group *group = NULL;
    while ((group = lw_names_next(&c->group_names, group ? &group->named : NULL))) {
        uint32_t moved = from < group->count_size ? group->counts[from] : 0;
        if (to < group->count_size)
            group->counts[to] = moved;
        if (from < group->count_size)
            group->counts[from] = 0;
    }
    c->nodes[to] = c->nodes[from];
    c->nodes[to]->index = to;
}

void lw_scheduler_cache__drop_idle_node(lw_scheduler_cache *c, lw_node_record *node)
{
    if (node->object || node->first)
        return;
    lw_names_remove(&c->node_names, &node->named);
    move_last(c, node->index);
    c->node_count--;
    free(node->taints);
    free(node);
}

/* Reads the taints that matter for scheduling.  A node that is not ready is treated as tainted even
 * before the taint is written. */
static lw_status read_taints(const lw_object *object, lw_taint **out, size_t *count)
{
    lw_taint found[LW_TAINTS_MAX + 1];
    bool is_marked = false;
    size_t all = lw_taints_read(object, found, LW_TAINTS_MAX), kept = 0;
    for (size_t i = 0; i < all; i++) {
        is_marked |= lw_text_is(found[i].key, LW_TAINT_NOT_READY) ||
                     lw_text_is(found[i].key, LW_TAINT_UNREACHABLE);
        if (found[i].effect == LW_TAINT_NO_SCHEDULE || found[i].effect == LW_TAINT_NO_EXECUTE)
            found[kept++] = found[i];
    }
    if (!is_marked && !lw_text_is(lw_read_condition(object, "Ready", NULL), "True"))
        found[kept++] =
            (lw_taint){ lw_str_of(LW_TAINT_NOT_READY), lw_str_make("", 0), LW_TAINT_NO_SCHEDULE };
    *out = malloc((kept > 0 ? kept : 1) * sizeof(**out));
    if (!*out)
        return LW_ERR_NOMEM;
    memcpy(*out, found, kept * sizeof(**out));
    *count = kept;
    return LW_OK;
}

static int64_t pods_max_of(const lw_object *node)
{
    return lw_read_has(node, "/status/allocatable/pods")
               ? lw_read_units(node, "/status/allocatable/pods")
               : DEFAULT_PODS;
}

static bool same_labels(const lw_object *a, const lw_object *b)
{
    size_t count = lw_object_label_count(a);
    if (count != lw_object_label_count(b))
        return false;
    for (size_t i = 0; i < count; i++) {
        lw_label x = lw_object_label_at(a, i), y = lw_object_label_at(b, i);
        if (!lw_str_equal(x.key, y.key) || !lw_str_equal(x.value, y.value))
            return false;
    }
    return true;
}

static bool same_taints(const lw_taint *a, size_t a_count, const lw_taint *b, size_t b_count)
{
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++) {
        if (!lw_str_equal(a[i].key, b[i].key) || !lw_str_equal(a[i].value, b[i].value) ||
            a[i].effect != b[i].effect)
            return false;
    }
    return true;
}

/* Heartbeats change nodes often, but nothing in these records. */
static bool is_the_same(const lw_node_record *a, const lw_node_record *b)
{
    return a->object && a->allocatable.cpu == b->allocatable.cpu &&
           a->allocatable.memory == b->allocatable.memory &&
           a->allocatable.storage == b->allocatable.storage && a->pods_max == b->pods_max &&
           a->is_unschedulable == b->is_unschedulable &&
           same_taints(a->taints, a->taint_count, b->taints, b->taint_count) &&
           same_labels(a->object, b->object);
}

lw_status lw_scheduler_cache_set_node(lw_scheduler_cache *c, const lw_object *object,
                                      bool *is_better)
{
    lw_node_record fresh = { .object = lw_object_ref(object) };
    lw_node_record *node = lw_scheduler_cache__node(c, lw_object_key(object).name);
    lw_status st = node ? read_taints(object, &fresh.taints, &fresh.taint_count) : LW_ERR_NOMEM;
    if (st < 0) {
        lw_object_unref(fresh.object);
        if (node)
            lw_scheduler_cache__drop_idle_node(c, node);
        return st;
    }
    fresh.allocatable.cpu = lw_read_milli(object, "/status/allocatable/cpu");
    fresh.allocatable.memory = lw_read_units(object, "/status/allocatable/memory");
    fresh.allocatable.storage = lw_read_units(object, "/status/allocatable/ephemeral-storage");
    fresh.pods_max = pods_max_of(object);
    fresh.is_unschedulable = lw_object_bool(object, "/spec/unschedulable", false);
    if (is_better)
        *is_better = !is_the_same(node, &fresh);
    c->known_count += node->object ? 0 : 1;
    lw_object_unref(node->object);
    free(node->taints);
    node->object = fresh.object;
    node->taints = fresh.taints;
    node->taint_count = fresh.taint_count;
    node->allocatable = fresh.allocatable;
    node->pods_max = fresh.pods_max;
    node->is_unschedulable = fresh.is_unschedulable;
    return LW_OK;
}

void lw_scheduler_cache_remove_node(lw_scheduler_cache *c, lw_str name)
{
    lw_node_record *node = lw_names_get(&c->node_names, name);
    if (!node || !node->object)
        return;
    lw_object_unref(node->object);
    free(node->taints);
    node->object = NULL;
    node->taints = NULL;
    node->taint_count = 0;
    c->known_count--;
    lw_scheduler_cache__drop_idle_node(c, node);
}
