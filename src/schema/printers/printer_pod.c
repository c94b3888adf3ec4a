/* SPDX-License-Identifier: Apache-2.0 */
/* printer_pod.c -- the columns of pods and pod templates. */
#include "base/str.h"
#include "base/text/duration.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

enum {
    GATES_MAX = 64, /* number of readiness gates checked */
};

/* Computes the summary once for the three cells that use it. */
static const lw_pod_summary *summary_of(lw_row *row)
{
    if (!row->has_pod)
        lw_pod_summarize(&row->pod, row->metadata, row->spec, row->status);
    row->has_pod = true;
    return &row->pod;
}

static void cell_ready(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    const lw_pod_summary *pod = summary_of(row);
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_append_int(&text, pod->ready);
    lw_buf_append_char(&text, '/');
    lw_table_cell_append_int(&text, pod->total);
    lw_table_cell_end(&text, "", w);
}

static void cell_status(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_pod_reason_append(&summary_of(row)->reason, &text);
    lw_table_cell_end(&text, "", w);
}

/* "7 (5m ago)" */
static void cell_restarts(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    const lw_pod_summary *pod = summary_of(row);
    char duration[LW_DURATION_TEXT_SIZE];
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_append_int(&text, pod->restarts);
    if (pod->restarts != 0 && pod->has_restart_time) {
        int64_t s = lw_time_seconds_between(pod->last_restart, lw_time_of_ns(row->now_ns));
        lw_buf_append_text(&text, " (");
        lw_buf_append_str(&text, lw_duration_format(duration, s));
        lw_buf_append_text(&text, " ago)");
    }
    lw_table_cell_end(&text, "", w);
}

static void cell_ip(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (!lw_value_append(row->status, "/podIPs/0/ip", &text))
        (void)lw_value_append(row->status, "/podIP", &text);
    lw_table_cell_end(&text, "<none>", w);
}

/* True if the condition of |gate| is True. */
static bool is_passed(lw_str conditions, lw_str gate, lw_buf *type)
{
    lw_buf_truncate(type, 0);
    (void)lw_value_append(gate, "/conditionType", type);
    return lw_pod_has_condition(conditions, lw_buf_view(type));
}

static void cell_readiness_gates(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str conditions = lw_value_at(row->status, "/conditions"), gate;
    int64_t passed = 0, count = 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->spec, "/readinessGates");
         text.st == LW_OK && lw_value_next_element(&walk, &gate); count++)
        passed += count < GATES_MAX && is_passed(conditions, gate, &text);
    lw_buf_truncate(&text, 0);
    if (count > 0) {
        lw_table_cell_append_int(&text, passed);
        lw_buf_append_char(&text, '/');
        lw_table_cell_append_int(&text, count);
    }
    lw_table_cell_end(&text, "<none>", w);
}

const lw_table_column lw_table_columns_pod[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Ready", "string", 0, NULL, cell_ready,
              "Number of ready containers and of all containers."),
    LW_COLUMN("Status", "string", 0, NULL, cell_status, "Status of the pod."),
    LW_COLUMN("Restarts", "string", 0, NULL, cell_restarts,
              "Number of container restarts and time since the last one."),
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("IP", "string", 1, NULL, cell_ip, "IP address of the pod."),
    LW_COLUMN("Node", "string", 1, "/spec/nodeName", lw_table_cell_string_or_none,
              "Node that the pod runs on."),
    LW_COLUMN("Nominated Node", "string", 1, "/status/nominatedNodeName",
              lw_table_cell_string_or_none, "Node on which pods are being preempted for this one."),
    LW_COLUMN("Readiness Gates", "string", 1, NULL, cell_readiness_gates,
              "Number of readiness gates that are passed and of all."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_podtemplate[] = {
    LW_TABLE_COLUMN_NAME,
    LW_TABLE_COLUMN_CONTAINERS(0, "/template/spec/containers"),
    LW_TABLE_COLUMN_IMAGES(0, "/template/spec/containers"),
    LW_COLUMN("Pod Labels", "string", 0, "/template/metadata/labels", lw_table_cell_labels,
              "Labels of the pod template."),
    LW_TABLE_COLUMN_END,
};
