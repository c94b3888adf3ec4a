/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_pod.c -- the simulated lifecycle of a pod. */
#include "node/hollow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/owner.h"

enum {
    JOB_RUN_S = 1, /* a pod of a Job without the annotation */
    RUN_MAX_S = 365 * 24 * 3600,
};

/* Parses the annotation |name| as a number from 0 to |max|; |fallback|: absent or invalid. */
static int64_t annotated(const lw_object *pod, const char *name, int64_t max, int64_t fallback)
{
    const char *text = lw_object_annotation(pod, name);
    char *end = NULL;
    if (!text || text[0] < '0' || text[0] > '9')
        return fallback;
    long long value = strtoll(text, &end, 10);
    return *end == '\0' && value <= max ? value : fallback;
}

static bool is_of_a_job(const lw_object *pod)
{
    lw_owner_reference ref;
    return lw_controller_read(pod, &ref) && lw_text_is(ref.kind, "Job");
}

/* Returns how long it runs; -1: forever, because a container that exits would only be restarted. */
static int64_t run_seconds(const lw_object *pod)
{
    lw_str policy = lw_read_text(pod, "/spec/restartPolicy");
    if (!lw_text_is(policy, "Never") && !lw_text_is(policy, "OnFailure"))
        return -1;
    return annotated(pod, LW_HOLLOW_RUN_SECONDS, RUN_MAX_S, is_of_a_job(pod) ? JOB_RUN_S : -1);
}

static bool wants_ready(const lw_object *pod)
{
    const char *text = lw_object_annotation(pod, LW_HOLLOW_READY);
    return !text || strcmp(text, "false") != 0;
}

/* Returns when it started; |wall_ns| if the status does not say. */
static int64_t started_ns(const lw_object *pod, int64_t wall_ns)
{
    int64_t start;
    return lw_read_timestamp(pod, &start, "/status/startTime") ? start : wall_ns;
}

static lw_hollow_action decide_running(const lw_object *pod, int64_t wall_ns, int64_t *after_ns)
{
    int64_t seconds = run_seconds(pod);
    bool is_ready = lw_text_is(lw_read_condition(pod, "Ready", NULL), "True");
    if (seconds >= 0) {
        int64_t left = started_ns(pod, wall_ns) + seconds * LW_NS_PER_S - wall_ns;
        if (left <= 0)
            return LW_HOLLOW_FINISH;
        *after_ns = left;
    }
    return is_ready == wants_ready(pod) ? LW_HOLLOW_NOTHING : LW_HOLLOW_SET_READY;
}

lw_hollow_action lw_hollow_decide(const lw_object *pod, int64_t wall_ns, int64_t *after_ns)
{
    lw_str phase = lw_read_text(pod, "/status/phase");
    *after_ns = 0;
    if (lw_read_has(pod, "/metadata/deletionTimestamp"))
        return LW_HOLLOW_DELETE;
    if (lw_text_is(phase, "Succeeded") || lw_text_is(phase, "Failed"))
        return LW_HOLLOW_NOTHING;
    if (lw_text_is(phase, "Running"))
        return decide_running(pod, wall_ns, after_ns);
    return LW_HOLLOW_START;
}

static void add_condition(lw_document *doc, const char *type, bool is_true, const char *reason,
                          const char *when)
{
    lw_value *condition = lw_document_set_object(doc, NULL, "/status/conditions/-");
    lw_document_set_string(doc, condition, "/type", type);
    lw_document_set_string(doc, condition, "/status", is_true ? "True" : "False");
    if (reason)
        lw_document_set_string(doc, condition, "/reason", reason);
    else
        lw_document_set_null(doc, condition, "/reason"); /* remove the previous reason */
    lw_document_set_string(doc, condition, "/lastTransitionTime", when);
}

/* Writes a copy of |text| as the member |name|. */
static void copy_text(lw_document *doc, lw_value *to, const char *name, lw_str text)
{
    char copy[1024];
    (void)snprintf(copy, sizeof(copy), "%.*s", (int)text.len, text.ptr);
    lw_document_set_string(doc, to, name, copy);
}

static void add_container(lw_document *doc, const lw_iter *container, bool is_ready, int exit_code,
                          const char *started, const char *now)
{
    char id[64];
    lw_value *status = lw_document_set_object(doc, NULL, "/status/containerStatuses/-");
    (void)snprintf(id, sizeof(id), "hollow://%.36s-%zu", lw_object_uid(container->object),
                   container->index);
    copy_text(doc, status, "/name", lw_item_text(container, "/name"));
    copy_text(doc, status, "/image", lw_item_text(container, "/image"));
    lw_document_set_string(doc, status, "/imageID", "");
    lw_document_set_string(doc, status, "/containerID", id);
    lw_document_set_bool(doc, status, "/ready", is_ready);
    lw_document_set_bool(doc, status, "/started", exit_code < 0);
    lw_document_set_int(doc, status, "/restartCount", 0);
    if (exit_code < 0) {
        lw_document_set_string(doc, status, "/state/running/startedAt", started);
        return;
    }
    lw_document_set_int(doc, status, "/state/terminated/exitCode", exit_code);
    lw_document_set_string(doc, status, "/state/terminated/reason",
                           exit_code == 0 ? "Completed" : "Error");
    lw_document_set_string(doc, status, "/state/terminated/startedAt", started);
    lw_document_set_string(doc, status, "/state/terminated/finishedAt", now);
    lw_document_set_string(doc, status, "/state/terminated/containerID", id);
}

static const char *reason_of(lw_hollow_action action, bool is_ready)
{
    if (action == LW_HOLLOW_FINISH)
        return "PodCompleted";
    return is_ready ? NULL : "ContainersNotReady";
}

void lw_hollow_write_status(lw_document *doc, const lw_object *pod, lw_hollow_action action,
                            const char *host_ip, const char *pod_ip, int64_t wall_ns)
{
    char started[LW_TIME_TEXT_SIZE], now[LW_TIME_TEXT_SIZE];
    bool is_ready = action != LW_HOLLOW_FINISH && wants_ready(pod);
    int exit_code =
        action == LW_HOLLOW_FINISH ? (int)annotated(pod, LW_HOLLOW_EXIT_CODE, 255, 0) : -1;
    const char *reason = reason_of(action, is_ready);
    lw_time_format_ns(started, started_ns(pod, wall_ns));
    lw_time_format_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/metadata/uid", lw_object_uid(pod));
    lw_document_set_string(doc, NULL, "/status/phase",
                           exit_code < 0    ? "Running"
                           : exit_code == 0 ? "Succeeded"
                                            : "Failed");
    lw_document_set_string(doc, NULL, "/status/hostIP", host_ip);
    lw_document_set_string(doc, NULL, "/status/podIP", pod_ip);
    lw_document_set_string(doc, NULL, "/status/podIPs/-/ip", pod_ip);
    lw_document_set_string(doc, NULL, "/status/startTime", started);
    add_condition(doc, "Initialized", true, action == LW_HOLLOW_FINISH ? reason : NULL, started);
    add_condition(doc, "Ready", is_ready, reason, now);
    add_condition(doc, "ContainersReady", is_ready, reason, now);
    add_condition(doc, "PodScheduled", true, NULL, started);
    lw_iter container = lw_object_iter(pod, "/spec/containers");
    while (lw_iter_next(&container))
        add_container(doc, &container, is_ready, exit_code, started, now);
}
