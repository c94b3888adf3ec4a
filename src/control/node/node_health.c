/* SPDX-License-Identifier: Apache-2.0 */
/* node_health.c -- records the last heartbeat of each node and derives its state. */
#include "node/node_health.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/hash.h"
#include "runtime/taint.h"

void lw_node_health_done(lw_node_health *health)
{
    lw_node_heartbeat *beat = NULL;
    while ((beat = lw_names_next(&health->names, NULL)))
        lw_node_health_drop(health, beat);
    lw_names_done(&health->names);
}

lw_node_heartbeat *lw_node_health_of(lw_node_health *health, lw_str name, int64_t now_ns)
{
    lw_node_heartbeat *beat = lw_names_get(&health->names, name);
    if (beat)
        return beat;
    beat = calloc(1, sizeof(*beat) + name.len + 1);
    if (!beat)
        return NULL;
    memcpy(beat->name, name.ptr, name.len);
    beat->named.name = lw_str_make(beat->name, name.len);
    beat->renewed_ns = now_ns;
    if (lw_names_add(&health->names, &beat->named) < 0) {
        free(beat);
        return NULL;
    }
    return beat;
}

void lw_node_health_drop(lw_node_health *health, lw_node_heartbeat *beat)
{
    lw_names_remove(&health->names, &beat->named);
    free(beat);
}

static void renew_if_changed(lw_node_heartbeat *beat, uint64_t *mark, lw_str text, int64_t now_ns)
{
    uint64_t seen = lw_hash_add(LW_HASH_INIT, text);
    if (text.len == 0 || seen == *mark)
        return;
    *mark = seen;
    beat->renewed_ns = now_ns;
}

void lw_node_health_lease(lw_node_heartbeat *beat, const lw_object *lease, int64_t now_ns)
{
    renew_if_changed(beat, &beat->lease_mark, lw_read_text(lease, "/spec/renewTime"), now_ns);
}

void lw_node_health_node(lw_node_heartbeat *beat, const lw_object *node, int64_t now_ns)
{
    size_t at = 0;
    beat->is_there = true;
    if (lw_read_condition(node, "Ready", &at).len > 0)
        renew_if_changed(beat, &beat->status_mark,
                         lw_read_text(node, "/status/conditions/%zu/lastHeartbeatTime", at),
                         now_ns);
}

void lw_node_health_excuse(lw_node_health *health, int64_t now_ns)
{
    for (lw_node_heartbeat *beat = lw_names_next(&health->names, NULL); beat;
         beat = lw_names_next(&health->names, &beat->named))
        beat->renewed_ns = now_ns;
}

static bool is_missed(const lw_node_heartbeat *beat, int64_t grace_ns, int64_t now_ns)
{
    return now_ns - beat->renewed_ns > grace_ns;
}

lw_node_state lw_node_health_state(const lw_node_heartbeat *beat, const lw_object *node,
                                   int64_t grace_ns, int64_t now_ns)
{
    lw_str ready = lw_read_condition(node, "Ready", NULL);
    if (is_missed(beat, grace_ns, now_ns))
        return LW_NODE_UNREACHABLE;
    if (lw_text_is(ready, "True"))
        return LW_NODE_WELL;
    /* We wrote Unknown; a heartbeat has arrived since, and the node will update the status
     * itself. */
    return lw_text_is(ready, "Unknown") ? LW_NODE_UNREACHABLE : LW_NODE_NOT_READY;
}

bool lw_node_health_is_silent(const lw_node_health *health, int64_t since_ns)
{
    for (lw_node_heartbeat *beat = lw_names_next(&health->names, NULL); beat;
         beat = lw_names_next(&health->names, &beat->named)) {
        if (beat->is_there && beat->renewed_ns > since_ns)
            return false;
    }
    return true;
}

static bool is_about_health(lw_str key)
{
    return lw_text_is(key, LW_TAINT_NOT_READY) || lw_text_is(key, LW_TAINT_UNREACHABLE);
}

static void add_taint(lw_document *doc, const char *key, const char *effect, const char *now)
{
    lw_value *taint = lw_document_set_object(doc, NULL, "/spec/taints/-");
    lw_document_set_string(doc, taint, "/key", key);
    lw_document_set_string(doc, taint, "/effect", effect);
    lw_document_set_string(doc, taint, "/timeAdded", now);
}

/* True if |node| already has the taint |key| with both effects. */
static bool has_both(const lw_object *node, const char *key)
{
    lw_taint taints[LW_TAINTS_MAX];
    size_t count = lw_taints_read(node, taints, LW_TAINTS_MAX);
    bool keeps_off = false, drives_off = false;
    for (size_t i = 0; i < count; i++) {
        keeps_off |= lw_text_is(taints[i].key, key) && taints[i].effect == LW_TAINT_NO_SCHEDULE;
        drives_off |= lw_text_is(taints[i].key, key) && taints[i].effect == LW_TAINT_NO_EXECUTE;
    }
    return keeps_off && drives_off;
}

bool lw_node_health_write_taints(lw_document *doc, const lw_object *node, lw_node_state state,
                                 int64_t wall_ns)
{
    const char *wanted = state == LW_NODE_UNREACHABLE ? LW_TAINT_UNREACHABLE
                         : state == LW_NODE_NOT_READY ? LW_TAINT_NOT_READY
                                                      : "";
    bool is_kept = wanted[0] != '\0' && has_both(node, wanted);
    bool is_changed = wanted[0] != '\0' && !is_kept;
    char now[LW_TIME_TEXT_SIZE];
    lw_time_format_ns(now, wall_ns);
    lw_document_set_array(doc, NULL, "/spec/taints");
    for (size_t i = 0; lw_read_has(node, "/spec/taints/%zu", i); i++) {
        lw_str key = lw_read_text(node, "/spec/taints/%zu/key", i);
        if (is_about_health(key) && !(is_kept && lw_text_is(key, wanted))) {
            is_changed = true;
            continue;
        }
        lw_document_set_json(doc, NULL, "/spec/taints/-", lw_read_raw(node, "/spec/taints/%zu", i));
    }
    if (wanted[0] != '\0' && !is_kept) {
        add_taint(doc, wanted, "NoSchedule", now);
        add_taint(doc, wanted, "NoExecute", now);
    }
    return is_changed;
}
