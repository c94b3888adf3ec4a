/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache.c -- the records of scheduled pods, and of the groups over which they are
 * spread. */
#include "scheduler/scheduler_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/owner.h"
#include "scheduler/pod_affinity.h"

enum {
    KEY_SIZE = 512,           /* "namespace/name" */
    GROUP_SIZE = 2048,        /* name of a group; longer ones are truncated */
    LIGHT_CPU = 100,          /* what a pod without requests counts for: a tenth of a ... */
    LIGHT_MEMORY = 200 << 20, /* ... CPU and 200 MiB, as in Kubernetes */
};

static lw_str key_of(const lw_object *pod, char text[KEY_SIZE])
{
    size_t len = lw_key_print(lw_object_key(pod), text, KEY_SIZE);
    return lw_str_make(text, len < KEY_SIZE ? len : KEY_SIZE - 1);
}

static lw_placed_pod *find(const lw_scheduler_cache *c, const lw_object *pod)
{
    char text[KEY_SIZE];
    return lw_names_get(&c->pod_names, key_of(pod, text));
}

/* Returns the owner's UID, or the namespace and all labels; empty: no group. */
static lw_str group_name(const lw_object *pod, char text[GROUP_SIZE])
{
    lw_owner_reference ref;
    lw_str uid = lw_controller_read(pod, &ref) ? ref.uid : lw_str_make("", 0);
    size_t len = 0;
    if (uid.len == 0 && lw_object_label_count(pod) == 0)
        return lw_str_make("", 0);
    len = (size_t)snprintf(text, GROUP_SIZE, "%s/%.*s", lw_object_namespace(pod), (int)uid.len,
                           uid.ptr);
    for (size_t i = 0; uid.len == 0 && i < lw_object_label_count(pod) && len < GROUP_SIZE; i++) {
        lw_label label = lw_object_label_at(pod, i);
        len += (size_t)snprintf(text + len, GROUP_SIZE - len, ",%s=%s", label.key.ptr,
                                label.value.ptr);
    }
    return lw_str_make(text, len < GROUP_SIZE ? len : GROUP_SIZE - 1);
}

const lw_spread_group *lw_scheduler_cache_group_of(const lw_scheduler_cache *c,
                                                   const lw_object *pod)
{
    char text[GROUP_SIZE];
    lw_str name = group_name(pod, text);
    return name.len > 0 ? lw_names_get(&c->group_names, name) : NULL;
}

lw_resources lw_scheduler_cache_scored(const lw_pod_load *load)
{
    lw_resources scored = load->requests;
    if (scored.cpu == 0)
        scored.cpu = LIGHT_CPU;
    if (scored.memory == 0)
        scored.memory = LIGHT_MEMORY;
    return scored;
}

static lw_status group_open(lw_scheduler_cache *c, const lw_object *pod, lw_spread_group **out)
{
    char text[GROUP_SIZE];
    lw_str name = group_name(pod, text);
    *out = NULL;
    if (name.len == 0)
        return LW_OK;
    lw_spread_group *group = lw_names_get(&c->group_names, name);
    if (!group) {
        group = calloc(1, sizeof(*group) + name.len);
        if (!group)
            return LW_ERR_NOMEM;
        memcpy(group + 1, name.ptr, name.len);
        group->named.name = lw_str_make((const char *)(group + 1), name.len);
        if (lw_names_add(&c->group_names, &group->named) < 0) {
            free(group);
            return LW_ERR_NOMEM;
        }
    }
    *out = group;
    return LW_OK;
}

static void group_close(lw_scheduler_cache *c, lw_spread_group *group)
{
    if (!group || group->pod_count > 0)
        return;
    lw_names_remove(&c->group_names, &group->named);
    free(group->counts);
    free(group);
}

/* Reserves space for the counts of |size| nodes and some more. */
static lw_status group_reserve(lw_spread_group *group, size_t size)
{
    if (!group || size <= group->count_size)
        return LW_OK;
    size_t larger = size + size / 2;
    uint32_t *counts = realloc(group->counts, larger * sizeof(*counts));
    if (!counts)
        return LW_ERR_NOMEM;
    memset(counts + group->count_size, 0, (larger - group->count_size) * sizeof(*counts));
    group->counts = counts;
    group->count_size = larger;
    return LW_OK;
}

static void link_pod(lw_scheduler_cache *c, lw_placed_pod *pod, lw_node_record *node)
{
    pod->node = node;
    pod->next = node->first;
    pod->link = &node->first;
    if (node->first)
        node->first->link = &pod->next;
    node->first = pod;
    lw_resources_add(&node->used, &pod->load.requests);
    lw_resources_add(&node->scored, &pod->scored);
    node->pod_count++;
    node->port_count += pod->load.port_count;
    c->apart_count += pod->wants_apart ? 1 : 0;
    if (pod->group) {
        pod->group->counts[node->index]++;
        pod->group->pod_count++;
    }
}

static void unlink_pod(lw_scheduler_cache *c, lw_placed_pod *pod)
{
    lw_node_record *node = pod->node;
    *pod->link = pod->next;
    if (pod->next)
        pod->next->link = pod->link;
    lw_resources_subtract(&node->used, &pod->load.requests);
    lw_resources_subtract(&node->scored, &pod->scored);
    node->pod_count--;
    node->port_count -= pod->load.port_count;
    c->apart_count -= pod->wants_apart ? 1 : 0;
    if (pod->group) {
        pod->group->counts[node->index]--;
        pod->group->pod_count--;
    }
    lw_scheduler_cache__drop_idle_node(c, node);
}

static void pod_free(lw_scheduler_cache *c, lw_placed_pod *pod)
{
    group_close(c, pod->group);
    lw_pod_load_done(&pod->load);
    lw_object_unref(pod->object);
    free(pod);
}

static lw_status place(lw_scheduler_cache *c, const lw_object *object, lw_str node_name,
                       bool is_assumed)
{
    char text[KEY_SIZE];
    lw_str key = key_of(object, text);
    lw_node_record *node = lw_scheduler_cache__node(c, node_name);
    lw_placed_pod *pod = calloc(1, sizeof(*pod) + key.len + 1);
    lw_status st = node && pod ? LW_OK : LW_ERR_NOMEM;
    if (st == LW_OK) {
        memcpy(pod->key, key.ptr, key.len);
        pod->named.name = lw_str_make(pod->key, key.len);
        pod->object = lw_object_ref(object);
        pod->is_assumed = is_assumed;
        pod->wants_apart = lw_pod_wants_apart(object);
        st = lw_pod_load_read(&pod->load, object);
        pod->scored = lw_scheduler_cache_scored(&pod->load);
    }
    if (st == LW_OK)
        st = group_open(c, object, &pod->group);
    if (st == LW_OK)
        st = group_reserve(pod->group, c->node_count);
    if (st == LW_OK)
        st = lw_names_add(&c->pod_names, &pod->named);
    if (st == LW_OK) {
        link_pod(c, pod, node);
        return LW_OK;
    }
    if (pod)
        pod_free(c, pod);
    if (node)
        lw_scheduler_cache__drop_idle_node(c, node);
    return st;
}

static void take_away(lw_scheduler_cache *c, lw_placed_pod *pod)
{
    unlink_pod(c, pod);
    lw_names_remove(&c->pod_names, &pod->named);
    pod_free(c, pod);
}

static bool has_ended(const lw_object *pod)
{
    lw_str phase = lw_read_text(pod, "/status/phase");
    return lw_text_is(phase, "Succeeded") || lw_text_is(phase, "Failed");
}

static bool same_uid(const lw_object *a, const lw_object *b)
{
    return strcmp(lw_object_uid(a), lw_object_uid(b)) == 0;
}

/* True if only the object in the record needs to be replaced. */
static bool is_still_there(const lw_placed_pod *pod, const lw_object *object, lw_str node_name)
{
    return same_uid(pod->object, object) && lw_str_equal(pod->node->named.name, node_name);
}

lw_status lw_scheduler_cache_set_pod(lw_scheduler_cache *c, const lw_object *object,
                                     bool *is_better)
{
    lw_placed_pod *pod = find(c, object);
    lw_str node_name = lw_read_text(object, "/spec/nodeName");
    if (is_better)
        *is_better = false;
    if (pod && !has_ended(object)) {
        if (pod->is_assumed && node_name.len == 0 && same_uid(pod->object, object))
            return LW_OK; /* the binding is in progress */
        if (is_still_there(pod, object, node_name)) {
            pod->is_assumed = false;
            lw_object *old = pod->object;
            pod->object = lw_object_ref(object);
            lw_object_unref(old);
            return LW_OK;
        }
    }
    if (pod) {
        take_away(c, pod);
        if (is_better)
            *is_better = true;
    }
    if (node_name.len == 0 || has_ended(object))
        return LW_OK;
    return place(c, object, node_name, false);
}

void lw_scheduler_cache_remove_pod(lw_scheduler_cache *c, const lw_object *object, bool *is_better)
{
    lw_placed_pod *pod = find(c, object);
    if (is_better)
        *is_better = pod != NULL;
    if (pod)
        take_away(c, pod);
}

lw_status lw_scheduler_cache_assume(lw_scheduler_cache *c, const lw_object *object,
                                    lw_node_record *node)
{
    return place(c, object, node->named.name, true);
}

void lw_scheduler_cache_forget(lw_scheduler_cache *c, const lw_object *object)
{
    lw_placed_pod *pod = find(c, object);
    if (pod && pod->is_assumed && same_uid(pod->object, object))
        take_away(c, pod);
}

bool lw_scheduler_cache_has_pod(const lw_scheduler_cache *c, const lw_object *object)
{
    return find(c, object) != NULL;
}

void lw_scheduler_cache_done(lw_scheduler_cache *c)
{
    lw_placed_pod *pod = NULL;
    while ((pod = lw_names_next(&c->pod_names, NULL)))
        take_away(c, pod);
    while (c->node_count > 0)
        lw_scheduler_cache_remove_node(c, c->nodes[0]->named.name);
    lw_names_done(&c->pod_names);
    lw_names_done(&c->node_names);
    lw_names_done(&c->group_names);
    free(c->nodes);
    *c = (lw_scheduler_cache){ .nodes = NULL };
}

bool lw_scheduler_cache_check(const lw_scheduler_cache *c)
{
    size_t pods = 0, apart = 0, known = 0;
    for (size_t i = 0; i < c->node_count; i++) {
        const lw_node_record *node = c->nodes[i];
        lw_resources used = { 0, 0, 0 };
        size_t count = 0;
        for (const lw_placed_pod *pod = node->first; pod; pod = pod->next, count++) {
            lw_resources_add(&used, &pod->load.requests);
            apart += pod->wants_apart ? 1 : 0;
            if (pod->node != node || (pod->group && pod->group->counts[node->index] == 0))
                return false;
        }
        if (node->index != i || used.cpu != node->used.cpu || used.memory != node->used.memory ||
            count != (size_t)node->pod_count || (!node->object && count == 0))
            return false;
        pods += count;
        known += node->object ? 1 : 0;
    }
    return pods == c->pod_names.count && apart == c->apart_count && known == c->known_count;
}
