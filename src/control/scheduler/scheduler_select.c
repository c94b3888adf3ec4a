/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_select.c -- filters and scores nodes. */
#include "scheduler/scheduler_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/pod_affinity.h"

/* State of one search. */
typedef struct search {
    lw_scheduler_select *selection;
    const lw_scheduler_cache *cache;
    const lw_object *pod;
    lw_pod_load load;
    lw_resources scored;
    lw_pod_rules rules;
    bool has_rules; /* false: they cannot be satisfied */
    bool is_short;  /* out of memory: the result is incomplete */
    const lw_spread_group *group;
    lw_node_record *best;
    uint32_t best_count;
    double best_use;
} search;

static void add_reason(search *s, const char *text)
{
    lw_scheduler_select *p = s->selection;
    for (size_t i = 0; i < p->reason_count; i++) {
        if (strcmp(p->reasons[i].text, text) == 0) {
            p->reasons[i].count++;
            return;
        }
    }
    if (p->reason_count == LW_SCHEDULER_SELECT_REASONS_MAX)
        return;
    lw_scheduler_select_reason *reason = &p->reasons[p->reason_count++];
    (void)snprintf(reason->text, sizeof(reason->text), "%s", text);
    reason->count = 1;
}

static bool refuse(search *s, const char *text)
{
    add_reason(s, text);
    return false;
}

static bool is_tolerated(search *s, const lw_node_record *node)
{
    char text[LW_SCHEDULER_SELECT_REASON_SIZE];
    for (size_t i = 0; i < node->taint_count; i++) {
        const lw_taint *taint = &node->taints[i];
        if (lw_taint_tolerated_by(taint, s->rules.tolerations, s->rules.toleration_count))
            continue;
        (void)snprintf(text, sizeof(text), "node(s) had untolerated taint {%.*s: %.*s}",
                       (int)taint->key.len, taint->key.ptr, (int)taint->value.len,
                       taint->value.ptr);
        return refuse(s, text);
    }
    return true;
}

/* A pod may be scheduled on an unschedulable node if it tolerates that taint. */
static bool takes_pods(search *s, const lw_node_record *node)
{
    static const lw_taint taint = { LW_STR_INIT("node.kubernetes.io/unschedulable"),
                                    LW_STR_INIT(""), LW_TAINT_NO_SCHEDULE };
    if (!node->is_unschedulable ||
        lw_taint_tolerated_by(&taint, s->rules.tolerations, s->rules.toleration_count))
        return true;
    return refuse(s, "node(s) were unschedulable");
}

static bool has_ports(search *s, const lw_node_record *node)
{
    if (s->load.port_count == 0 || node->port_count == 0)
        return true;
    for (const lw_placed_pod *pod = node->first; pod; pod = pod->next) {
        for (size_t i = 0; i < pod->load.port_count; i++) {
            for (size_t j = 0; j < s->load.port_count; j++) {
                if (lw_host_port_collides(&pod->load.ports[i], &s->load.ports[j]))
                    return refuse(s, "node(s) didn't have free ports for the requested pod ports");
            }
        }
    }
    return true;
}

static bool exceeds(int64_t wanted, int64_t used, int64_t allocatable)
{
    return wanted > 0 && wanted > allocatable - used;
}

/* Reports all missing resources, because the user may add any of them. */
static bool has_resources(search *s, const lw_node_record *node)
{
    const lw_resources *wanted = &s->load.requests;
    bool is_enough = true;
    if (node->pod_count >= node->pods_max)
        is_enough = refuse(s, "Too many pods");
    if (exceeds(wanted->cpu, node->used.cpu, node->allocatable.cpu))
        is_enough = refuse(s, "Insufficient cpu");
    if (exceeds(wanted->memory, node->used.memory, node->allocatable.memory))
        is_enough = refuse(s, "Insufficient memory");
    if (exceeds(wanted->storage, node->used.storage, node->allocatable.storage))
        is_enough = refuse(s, "Insufficient ephemeral-storage");
    return is_enough;
}

/* True if a pod on the node has anti-affinity to ours.  Invalid rules are ignored. */
static bool is_kept_off_by(search *s, const lw_placed_pod *pod)
{
    lw_pod_rules rules;
    if (!pod->wants_apart)
        return false;
    lw_status st = lw_pod_rules_read(&rules, pod->object, NULL);
    if (st < 0) {
        s->is_short |= st == LW_ERR_NOMEM;
        return false;
    }
    bool is_apart = lw_pod_rules_keep_apart(&rules, lw_object_key(pod->object).ns, s->pod);
    lw_pod_rules_done(&rules);
    return is_apart;
}

static bool may_be_together(search *s, const lw_node_record *node)
{
    if (s->rules.apart_count == 0 && s->cache->apart_count == 0)
        return true;
    lw_str ns = lw_object_key(s->pod).ns;
    for (const lw_placed_pod *pod = node->first; pod; pod = pod->next) {
        if (lw_pod_rules_keep_apart(&s->rules, ns, pod->object))
            return refuse(s, "node(s) didn't match pod anti-affinity rules");
        if (is_kept_off_by(s, pod))
            return refuse(s, "node(s) didn't satisfy existing pods anti-affinity rules");
    }
    return true;
}

static bool will_do(search *s, const lw_node_record *node)
{
    if (!takes_pods(s, node) || !is_tolerated(s, node))
        return false;
    if (!s->has_rules || !lw_pod_rules_allow_node(&s->rules, node->object))
        return refuse(s, "node(s) didn't match Pod's node affinity/selector");
    return has_ports(s, node) && has_resources(s, node) && may_be_together(s, node);
}

static double share(int64_t used, int64_t of)
{
    return of > 0 ? (double)used / (double)of : 1;
}

/* Takes the node |at| if it is better than the best one so far and passes the filters.  Scores come
 * first, because they cost less: most nodes have more pods of the group than the best one, and not
 * even their records are read.  While there is no best node, all are filtered, so that the reasons
 * are complete if there is none in the end. */
static void compare(search *s, size_t at)
{
    const lw_spread_group *group = s->group;
    uint32_t count = group && at < group->count_size ? group->counts[at] : 0;
    if (s->best && count > s->best_count)
        return;
    lw_node_record *node = s->cache->nodes[at];
    double use = share(node->scored.cpu + s->scored.cpu, node->allocatable.cpu) +
                 share(node->scored.memory + s->scored.memory, node->allocatable.memory);
    if (s->best && count == s->best_count && use >= s->best_use)
        return;
    if (!node->object || !will_do(s, node))
        return;
    s->best = node;
    s->best_count = count;
    s->best_use = use;
}

lw_status lw_scheduler_select_find(lw_scheduler_select *selection, lw_scheduler_cache *cache,
                                   const lw_object *pod)
{
    search s = { .selection = selection, .cache = cache, .pod = pod };
    selection->node = NULL;
    selection->reason_count = 0;
    lw_status st = lw_pod_load_read(&s.load, pod);
    if (st == LW_OK)
        st = lw_pod_rules_read(&s.rules, pod, NULL);
    s.has_rules = st == LW_OK;
    if (st == LW_ERR_NOMEM) {
        lw_pod_load_done(&s.load);
        return st;
    }
    s.scored = lw_scheduler_cache_scored(&s.load);
    s.group = lw_scheduler_cache_group_of(cache, pod);
    /* Starts at another node each time, so that equal nodes take turns. */
    size_t start = cache->node_count > 0 ? cache->next_node++ % cache->node_count : 0;
    for (size_t i = 0; i < cache->node_count; i++) {
        size_t at = start + i < cache->node_count ? start + i : start + i - cache->node_count;
        compare(&s, at);
    }
    selection->node = s.best;
    lw_pod_rules_done(&s.rules);
    lw_pod_load_done(&s.load);
    return s.is_short ? LW_ERR_NOMEM : LW_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

void lw_scheduler_select_message(const lw_scheduler_select *selection,
                                 const lw_scheduler_cache *cache,
                                 char text[LW_SCHEDULER_SELECT_MESSAGE_SIZE])
{
    char lines[LW_SCHEDULER_SELECT_REASONS_MAX][LW_SCHEDULER_SELECT_REASON_SIZE + 24];
    size_t len = 0;
    if (cache->known_count == 0) {
        (void)snprintf(text, LW_SCHEDULER_SELECT_MESSAGE_SIZE,
                       "no nodes available to schedule pods");
        return;
    }
    for (size_t i = 0; i < selection->reason_count; i++)
        (void)snprintf(lines[i], sizeof(lines[i]), "%zu %s", selection->reasons[i].count,
                       selection->reasons[i].text);
    qsort(lines, selection->reason_count, sizeof(lines[0]), by_text);
    len = (size_t)snprintf(text, LW_SCHEDULER_SELECT_MESSAGE_SIZE, "0/%zu nodes are available",
                           cache->known_count);
    for (size_t i = 0; i < selection->reason_count && len < LW_SCHEDULER_SELECT_MESSAGE_SIZE; i++)
        len += (size_t)snprintf(text + len, LW_SCHEDULER_SELECT_MESSAGE_SIZE - len, "%s%s",
                                i == 0 ? ": " : ", ", lines[i]);
    if (len < LW_SCHEDULER_SELECT_MESSAGE_SIZE)
        (void)snprintf(text + len, LW_SCHEDULER_SELECT_MESSAGE_SIZE - len, ".");
}
