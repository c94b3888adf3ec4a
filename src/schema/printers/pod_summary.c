/* SPDX-License-Identifier: Apache-2.0 */
/* pod_summary.c -- the status of a pod, by the rules of kubectl.
 *
 * The status is the reason or phase of the pod.  An init container that is not done replaces it;
 * else the first container that is waiting or terminated does.  Deletion replaces all of these. */
#include "schema/printers/pod_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text/duration.h"
#include "schema/printers/value.h"

enum {
    LOOKED_AT_MAX = 64, /* init containers to search by name; limits the cost for a hostile pod */
};

/* The relevant parts of a pod, found in one pass over its spec and one over its status. */
typedef struct pod_parts {
    lw_str containers;
    lw_str init_containers;
    lw_str phase;
    lw_str reason;
    lw_str conditions;
    lw_str statuses;
    lw_str init_statuses;
} pod_parts;

static void find_parts(pod_parts *parts, lw_str spec, lw_str status)
{
    const lw_value_pick spec_parts[] = {
        { LW_STR("containers"), &parts->containers },
        { LW_STR("initContainers"), &parts->init_containers },
    };
    const lw_value_pick status_parts[] = {
        { LW_STR("phase"), &parts->phase },
        { LW_STR("reason"), &parts->reason },
        { LW_STR("conditions"), &parts->conditions },
        { LW_STR("containerStatuses"), &parts->statuses },
        { LW_STR("initContainerStatuses"), &parts->init_statuses },
    };
    lw_value_pick_members(spec, spec_parts, sizeof(spec_parts) / sizeof(spec_parts[0]));
    lw_value_pick_members(status, status_parts, sizeof(status_parts) / sizeof(status_parts[0]));
}

/* The parts of the status of one container. */
typedef struct container_status {
    lw_str name;
    lw_str waiting; /* the reason for waiting */
    lw_str terminated;
    bool is_running;
    bool is_ready;
    bool is_started;
} container_status;

static bool is_true(lw_str value)
{
    return lw_str_equal(value, LW_STR("true"));
}

/* True if |value| is a non-empty string. */
static bool is_text(lw_str value)
{
    return value.len > 2 && value.ptr[0] == '"';
}

/* Reads |json| and counts its restarts. */
static void read_status(container_status *status, lw_str json, lw_pod_summary *pod)
{
    lw_str restarts, last, state, ready, started, running, waiting;
    const lw_value_pick parts[] = {
        { LW_STR("name"), &status->name }, { LW_STR("restartCount"), &restarts },
        { LW_STR("lastState"), &last },    { LW_STR("state"), &state },
        { LW_STR("ready"), &ready },       { LW_STR("started"), &started },
    };
    const lw_value_pick states[] = {
        { LW_STR("waiting"), &waiting },
        { LW_STR("running"), &running },
        { LW_STR("terminated"), &status->terminated },
    };
    lw_time time;
    lw_value_pick_members(json, parts, sizeof(parts) / sizeof(parts[0]));
    lw_value_pick_members(state, states, sizeof(states) / sizeof(states[0]));
    status->waiting = lw_value_at(waiting, "/reason");
    status->is_running = running.len > 0;
    status->is_ready = is_true(ready);
    status->is_started = is_true(started);
    pod->restarts += lw_value_int(restarts, "", 0);
    if (!lw_value_time(last, "/terminated/finishedAt", &time))
        return;
    if (!pod->has_restart_time || lw_time_seconds_between(pod->last_restart, time) > 0)
        pod->last_restart = time;
    pod->has_restart_time = true;
}

static void set_reason(lw_pod_summary *pod, const char *prefix, lw_str value)
{
    pod->reason = (lw_pod_reason){ .prefix = prefix, .value = value };
}

/* Sets the reason for termination, or the signal or exit code: "Error", "Signal:9",
 * "ExitCode:1". */
static void set_ended(lw_pod_summary *pod, const char *prefix, lw_str terminated)
{
    lw_str reason = lw_value_at(terminated, "/reason");
    int64_t signal = lw_value_int(terminated, "/signal", 0);
    set_reason(pod, prefix, is_text(reason) ? reason : LW_STR(""));
    if (!is_text(reason))
        (void)snprintf(pod->reason.tail, sizeof(pod->reason.tail), "%s:%" PRId64,
                       signal ? "Signal" : "ExitCode",
                       signal ? signal : lw_value_int(terminated, "/exitCode", 0));
}

bool lw_pod_has_condition(lw_str conditions, lw_str type)
{
    lw_str condition;
    for (lw_value_walk walk = lw_value_elements(conditions, "");
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", type))
            return lw_value_is(condition, "/status", LW_STR("True"));
    }
    return false;
}

/* True if |container|, of spec.initContainers, is a sidecar container. */
static bool is_sidecar(lw_str container)
{
    return lw_value_is(container, "/restartPolicy", LW_STR("Always"));
}

/* True if the init container with |name| (JSON) is a sidecar container. */
static bool is_sidecar_name(const pod_parts *parts, lw_str name)
{
    lw_str container;
    size_t seen = 0;
    for (lw_value_walk walk = lw_value_elements(parts->init_containers, "");
         seen < LOOKED_AT_MAX && lw_value_next_element(&walk, &container); seen++) {
        if (lw_str_equal(lw_value_at(container, "/name"), name))
            return is_sidecar(container);
    }
    return false;
}

/* Sets the reason from an init container that is not done; false: this one is done. */
static bool look_at_init_container(lw_pod_summary *pod, const pod_parts *parts,
                                   const container_status *status, size_t index)
{
    bool has_ended = status->terminated.len > 0;
    if (has_ended && lw_value_int(status->terminated, "/exitCode", 0) == 0)
        return false;
    if (status->is_started && is_sidecar_name(parts, status->name)) {
        pod->ready += status->is_ready;
        return false;
    }
    if (has_ended) {
        set_ended(pod, "Init:", status->terminated);
    } else if (is_text(status->waiting) &&
               !lw_value_is(status->waiting, "", LW_STR("PodInitializing"))) {
        set_reason(pod, "Init:", status->waiting);
    } else {
        set_reason(pod, "Init:", LW_STR(""));
        (void)snprintf(pod->reason.tail, sizeof(pod->reason.tail), "%zu/%zu", index,
                       lw_value_count(parts->init_containers, ""));
    }
    return true;
}

/* True if an init container is not done. */
static bool look_at_init_containers(lw_pod_summary *pod, const pod_parts *parts)
{
    size_t index = 0;
    lw_str json;
    for (lw_value_walk walk = lw_value_elements(parts->init_statuses, "");
         lw_value_next_element(&walk, &json); index++) {
        container_status status;
        read_status(&status, json, pod);
        if (look_at_init_container(pod, parts, &status, index))
            return true;
    }
    return false;
}

/* Once the pod is initialized, only restarts of sidecar containers count. */
static void keep_sidecar_restarts(lw_pod_summary *pod, const pod_parts *parts)
{
    lw_str json;
    pod->restarts = 0;
    pod->has_restart_time = false;
    for (lw_value_walk walk = lw_value_elements(parts->init_statuses, "");
         lw_value_next_element(&walk, &json);) {
        container_status ignored;
        if (is_sidecar_name(parts, lw_value_at(json, "/name")))
            read_status(&ignored, json, pod);
    }
}

/* The first container that is waiting or terminated sets the reason. */
static void look_at_containers(lw_pod_summary *pod, const pod_parts *parts)
{
    bool has_reason = false, has_running = false;
    lw_str json;
    for (lw_value_walk walk = lw_value_elements(parts->statuses, "");
         lw_value_next_element(&walk, &json);) {
        container_status status;
        read_status(&status, json, pod);
        if (is_text(status.waiting) || status.terminated.len > 0) {
            if (!has_reason && is_text(status.waiting))
                set_reason(pod, "", status.waiting);
            else if (!has_reason)
                set_ended(pod, "", status.terminated);
            has_reason = true;
        } else if (status.is_ready && status.is_running) {
            has_running = true;
            pod->ready++;
        }
    }
    if (has_running && pod->reason.prefix[0] == '\0' &&
        lw_value_is(pod->reason.value, "", LW_STR("Completed"))) {
        bool is_ready = lw_pod_has_condition(parts->conditions, LW_STR("Ready"));
        set_reason(pod, is_ready ? "Running" : "NotReady", LW_STR(""));
    }
}

/* Sets the reason from the pod's phase, reason and conditions, before its containers. */
static void begin_reason(lw_pod_summary *pod, const pod_parts *parts)
{
    lw_str condition;
    set_reason(pod, "", is_text(parts->reason) ? parts->reason : parts->phase);
    for (lw_value_walk walk = lw_value_elements(parts->conditions, "");
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", LW_STR("PodScheduled")) &&
            lw_value_is(condition, "/reason", LW_STR("SchedulingGated")))
            set_reason(pod, "SchedulingGated", LW_STR(""));
    }
}

static void end_reason(lw_pod_summary *pod, const pod_parts *parts, lw_str metadata)
{
    bool is_over = lw_value_is(parts->phase, "", LW_STR("Succeeded")) ||
                   lw_value_is(parts->phase, "", LW_STR("Failed"));
    if (lw_value_at(metadata, "/deletionTimestamp").len == 0)
        return;
    if (lw_value_is(parts->reason, "", LW_STR("NodeLost")))
        set_reason(pod, "Unknown", LW_STR(""));
    else if (!is_over)
        set_reason(pod, "Terminating", LW_STR(""));
}

void lw_pod_summarize(lw_pod_summary *pod, lw_str metadata, lw_str spec, lw_str status)
{
    pod_parts parts;
    lw_str container;
    find_parts(&parts, spec, status);
    *pod = (lw_pod_summary){ .total = (int64_t)lw_value_count(parts.containers, "") };
    begin_reason(pod, &parts);
    for (lw_value_walk walk = lw_value_elements(parts.init_containers, "");
         lw_value_next_element(&walk, &container);)
        pod->total += is_sidecar(container);
    if (!look_at_init_containers(pod, &parts) ||
        lw_pod_has_condition(parts.conditions, LW_STR("Initialized"))) {
        keep_sidecar_restarts(pod, &parts);
        look_at_containers(pod, &parts);
    }
    end_reason(pod, &parts, metadata);
}

void lw_pod_reason_append(const lw_pod_reason *reason, lw_buf *text)
{
    lw_buf_append_text(text, reason->prefix);
    (void)lw_value_append(reason->value, "", text);
    lw_buf_append_text(text, reason->tail);
}
