/* SPDX-License-Identifier: Apache-2.0 */
/* column_pod.c -- what people see of a pod: how many of its containers are ready, and the one word
 * that says best how it is doing. */
#include "base/duration_text.h"
#include "base/str.h"
#include "schema/cell.h"
#include "schema/columns.h"
#include "schema/value.h"
#include "json/text.h"

enum {
    LOOKED_AT_MAX = 64, /* init containers and gates that are looked up by name: a pod made to be
                           slow to print must not be */
};

/* All that the cells tell, gathered in one pass over the containers. */
typedef struct pod_summary {
    lw_buf reason; /* "Running", "Init:0/1", "CrashLoopBackOff" ... */
    int64_t total; /* containers, with the init containers that stay */
    int64_t ready; /* of them */
    int64_t restarts;
    lw_time last_restart;
    bool has_restart_time;
    bool is_initializing;
    bool has_running; /* a container that runs and is ready */
} pod_summary;

static void set_reason(pod_summary *pod, const char *prefix, lw_str json, const char *pointer)
{
    lw_buf_truncate(&pod->reason, 0);
    lw_buf_append_text(&pod->reason, prefix);
    (void)lw_value_append(json, pointer, &pod->reason);
}

static void count_restarts(pod_summary *pod, lw_str status)
{
    lw_time time;
    pod->restarts += lw_value_int(status, "/restartCount", 0);
    if (!lw_value_time(status, "/lastState/terminated/finishedAt", &time))
        return;
    if (!pod->has_restart_time || lw_time_seconds_between(pod->last_restart, time) > 0)
        pod->last_restart = time;
    pod->has_restart_time = true;
}

/* The reason a container ended for, or how: "Error", "Signal:9", "ExitCode:1". */
static void set_ended(pod_summary *pod, const char *prefix, lw_str terminated)
{
    set_reason(pod, prefix, terminated, "/reason");
    if (lw_value_at(terminated, "/reason").len > 2)
        return;
    int64_t signal = lw_value_int(terminated, "/signal", 0);
    lw_buf_append_text(&pod->reason, signal ? "Signal:" : "ExitCode:");
    lw_cell_append_int(&pod->reason, signal ? signal : lw_value_int(terminated, "/exitCode", 0));
}

static bool is_condition_true(lw_str status, lw_str type)
{
    lw_str condition;
    for (lw_value_walk walk = lw_value_elements(status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", type))
            return lw_value_is(condition, "/status", LW_STR("True"));
    }
    return false;
}

/* True when |container|, of spec.initContainers, goes on running beside the others. */
static bool is_sidecar(lw_str container)
{
    return lw_value_is(container, "/restartPolicy", LW_STR("Always"));
}

/* Whether the init container that |status| is about is a sidecar. */
static bool is_sidecar_status(lw_str spec, lw_str status)
{
    lw_str container, name = lw_value_at(status, "/name");
    size_t seen = 0;
    for (lw_value_walk walk = lw_value_elements(spec, "/initContainers");
         seen < LOOKED_AT_MAX && lw_value_next_element(&walk, &container); seen++) {
        if (lw_str_equal(lw_value_at(container, "/name"), name))
            return is_sidecar(container);
    }
    return false;
}

/* Sets the reason from the first init container that is not done; false: this one is. */
static bool look_at_init_container(pod_summary *pod, lw_str spec, lw_str status, int64_t index)
{
    lw_str terminated = lw_value_at(status, "/state/terminated");
    lw_str waiting = lw_value_at(status, "/state/waiting/reason");
    if (terminated.len > 0 && lw_value_int(terminated, "/exitCode", 0) == 0)
        return false;
    if (is_sidecar_status(spec, status) && lw_value_bool(status, "/started", false)) {
        pod->ready += lw_value_bool(status, "/ready", false);
        return false;
    }
    if (terminated.len > 0) {
        set_ended(pod, "Init:", terminated);
    } else if (waiting.len > 2 && !lw_value_is(waiting, "", LW_STR("PodInitializing"))) {
        set_reason(pod, "Init:", waiting, "");
    } else {
        lw_buf_truncate(&pod->reason, 0);
        lw_buf_append_text(&pod->reason, "Init:");
        lw_cell_append_int(&pod->reason, index);
        lw_buf_append_char(&pod->reason, '/');
        lw_cell_append_int(&pod->reason, (int64_t)lw_value_count(spec, "/initContainers"));
    }
    return true;
}

static void look_at_init_containers(pod_summary *pod, lw_str spec, lw_str status)
{
    int64_t index = 0;
    lw_str container;
    for (lw_value_walk walk = lw_value_elements(status, "/initContainerStatuses");
         !pod->is_initializing && lw_value_next_element(&walk, &container); index++) {
        count_restarts(pod, container);
        pod->is_initializing = look_at_init_container(pod, spec, container, index);
    }
}

/* Once the pod is initialized, only restarts of init containers that stay count. */
static void keep_sidecar_restarts(pod_summary *pod, lw_str spec, lw_str status)
{
    lw_str container;
    pod->restarts = 0;
    pod->has_restart_time = false;
    for (lw_value_walk walk = lw_value_elements(status, "/initContainerStatuses");
         lw_value_next_element(&walk, &container);) {
        if (is_sidecar_status(spec, container))
            count_restarts(pod, container);
    }
}

/* The first container that waits or has ended gives the reason. */
static void look_at_containers(pod_summary *pod, lw_str status)
{
    bool has_reason = false;
    lw_str container;
    for (lw_value_walk walk = lw_value_elements(status, "/containerStatuses");
         lw_value_next_element(&walk, &container);) {
        lw_str waiting = lw_value_at(container, "/state/waiting/reason");
        lw_str terminated = lw_value_at(container, "/state/terminated");
        count_restarts(pod, container);
        if (waiting.len > 2 || terminated.len > 0) {
            if (!has_reason && waiting.len > 2)
                set_reason(pod, "", waiting, "");
            else if (!has_reason)
                set_ended(pod, "", terminated);
            has_reason = true;
        } else if (lw_value_bool(container, "/ready", false) &&
                   lw_value_at(container, "/state/running").len > 0) {
            pod->has_running = true;
            pod->ready++;
        }
    }
    if (pod->has_running && lw_str_equal(lw_buf_view(&pod->reason), LW_STR("Completed"))) {
        lw_buf_truncate(&pod->reason, 0);
        lw_buf_append_text(&pod->reason,
                           is_condition_true(status, LW_STR("Ready")) ? "Running" : "NotReady");
    }
}

/* What the phase, the node and the scheduler say, before anybody looks at containers. */
static void begin_reason(pod_summary *pod, lw_str status)
{
    lw_str condition;
    set_reason(pod, "", status, "/reason");
    if (pod->reason.len == 0)
        set_reason(pod, "", status, "/phase");
    for (lw_value_walk walk = lw_value_elements(status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", LW_STR("PodScheduled")) &&
            lw_value_is(condition, "/reason", LW_STR("SchedulingGated")))
            set_reason(pod, "", condition, "/reason");
    }
}

static void end_reason(pod_summary *pod, lw_str json, lw_str status)
{
    bool is_over = lw_value_is(status, "/phase", LW_STR("Succeeded")) ||
                   lw_value_is(status, "/phase", LW_STR("Failed"));
    if (lw_value_at(json, "/metadata/deletionTimestamp").len == 0)
        return;
    if (lw_value_is(status, "/reason", LW_STR("NodeLost"))) {
        lw_buf_truncate(&pod->reason, 0);
        lw_buf_append_text(&pod->reason, "Unknown");
    } else if (!is_over) {
        lw_buf_truncate(&pod->reason, 0);
        lw_buf_append_text(&pod->reason, "Terminating");
    }
}

/* Fills |pod|, whose reason the caller frees. */
static void summarize(pod_summary *pod, const lw_object *obj)
{
    lw_str json = lw_object_json(obj), container;
    lw_str spec = lw_value_at(json, "/spec"), status = lw_value_at(json, "/status");
    *pod = (pod_summary){ .total = (int64_t)lw_value_count(spec, "/containers") };
    lw_cell_begin(&pod->reason);
    begin_reason(pod, status);
    for (lw_value_walk walk = lw_value_elements(spec, "/initContainers");
         lw_value_next_element(&walk, &container);)
        pod->total += is_sidecar(container);
    look_at_init_containers(pod, spec, status);
    if (!pod->is_initializing || is_condition_true(status, LW_STR("Initialized"))) {
        keep_sidecar_restarts(pod, spec, status);
        look_at_containers(pod, status);
    }
    end_reason(pod, json, status);
}

static void cell_ready(const lw_column *column, const lw_object *obj, int64_t now_ns,
                       lw_json_writer *w)
{
    pod_summary pod;
    (void)column;
    (void)now_ns;
    summarize(&pod, obj);
    lw_buf_truncate(&pod.reason, 0);
    lw_cell_append_int(&pod.reason, pod.ready);
    lw_buf_append_char(&pod.reason, '/');
    lw_cell_append_int(&pod.reason, pod.total);
    lw_cell_end(&pod.reason, "", w);
}

static void cell_status(const lw_column *column, const lw_object *obj, int64_t now_ns,
                        lw_json_writer *w)
{
    pod_summary pod;
    (void)column;
    (void)now_ns;
    summarize(&pod, obj);
    lw_cell_end(&pod.reason, "", w);
}

static void cell_restarts(const lw_column *column, const lw_object *obj, int64_t now_ns,
                          lw_json_writer *w)
{
    char duration[LW_DURATION_TEXT_SIZE];
    pod_summary pod;
    (void)column;
    summarize(&pod, obj);
    lw_buf_truncate(&pod.reason, 0);
    lw_cell_append_int(&pod.reason, pod.restarts);
    if (pod.restarts != 0 && pod.has_restart_time) {
        int64_t s = lw_time_seconds_between(pod.last_restart, lw_time_of_ns(now_ns));
        lw_buf_append_text(&pod.reason, " (");
        lw_buf_append_str(&pod.reason, lw_duration_format(duration, s));
        lw_buf_append_text(&pod.reason, " ago)");
    }
    lw_cell_end(&pod.reason, "", w);
}

static void cell_ip(const lw_column *column, const lw_object *obj, int64_t now_ns,
                    lw_json_writer *w)
{
    lw_str status = lw_value_at(lw_object_json(obj), "/status");
    lw_buf text;
    (void)column;
    (void)now_ns;
    lw_cell_begin(&text);
    if (!lw_value_append(status, "/podIPs/0/ip", &text))
        (void)lw_value_append(status, "/podIP", &text);
    lw_cell_end(&text, "<none>", w);
}

/* Whether the condition that |gate| names is met. */
static bool is_passed(lw_str status, lw_str gate, lw_buf *type)
{
    lw_buf_truncate(type, 0);
    (void)lw_value_append(gate, "/conditionType", type);
    return is_condition_true(status, lw_buf_view(type));
}

static void cell_readiness_gates(const lw_column *column, const lw_object *obj, int64_t now_ns,
                                 lw_json_writer *w)
{
    lw_str json = lw_object_json(obj), status = lw_value_at(json, "/status"), gate;
    int64_t passed = 0, count = 0;
    lw_buf text;
    (void)column;
    (void)now_ns;
    lw_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(json, "/spec/readinessGates");
         text.st == LW_OK && lw_value_next_element(&walk, &gate); count++)
        passed += count < LOOKED_AT_MAX && is_passed(status, gate, &text);
    lw_buf_truncate(&text, 0);
    if (count > 0) {
        lw_cell_append_int(&text, passed);
        lw_buf_append_char(&text, '/');
        lw_cell_append_int(&text, count);
    }
    lw_cell_end(&text, "<none>", w);
}

const lw_column lw_columns_pod[] = {
    LW_COLUMN_NAME,
    LW_COLUMN("Ready", "string", 0, NULL, cell_ready,
              "How many of the containers are ready, and how many there are."),
    LW_COLUMN("Status", "string", 0, NULL, cell_status, "How the pod is doing, in a word."),
    LW_COLUMN("Restarts", "string", 0, NULL, cell_restarts,
              "How often containers were restarted, and when last."),
    LW_COLUMN_AGE,
    LW_COLUMN("IP", "string", 1, NULL, cell_ip, "The address of the pod."),
    LW_COLUMN("Node", "string", 1, "/spec/nodeName", lw_cell_string_or_none,
              "The node that the pod runs on."),
    LW_COLUMN("Nominated Node", "string", 1, "/status/nominatedNodeName", lw_cell_string_or_none,
              "The node that is being cleared for the pod."),
    LW_COLUMN("Readiness Gates", "string", 1, NULL, cell_readiness_gates,
              "How many of the conditions that others set are met."),
    LW_COLUMN_END,
};

const lw_column lw_columns_podtemplate[] = {
    LW_COLUMN_NAME,
    LW_COLUMN_CONTAINERS(0, "/template/spec/containers"),
    LW_COLUMN_IMAGES(0, "/template/spec/containers"),
    LW_COLUMN("Pod Labels", "string", 0, "/template/metadata/labels", lw_cell_labels,
              "The labels that pods of this template get."),
    LW_COLUMN_END,
};
