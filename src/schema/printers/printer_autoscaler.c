/* SPDX-License-Identifier: Apache-2.0 */
/* printer_autoscaler.c -- the columns of horizontal pod autoscalers. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

enum {
    SHOWN_MAX = 2, /* number of metrics shown */
};

/* Where the values of a type of metric are. */
typedef struct metric_source {
    const char *type;   /* "Resource" */
    const char *member; /* "/resource" */
    bool has_name;      /* shown as "cpu: 10%/50%" */
} metric_source;

static const metric_source sources[] = {
    { "ContainerResource", "/containerResource", true },
    { "External", "/external", false },
    { "Object", "/object", false },
    { "Pods", "/pods", false },
    { "Resource", "/resource", true },
};

static const metric_source *source_of(lw_str spec)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (lw_value_is(spec, "/type", lw_str_of(sources[i].type)))
            return &sources[i];
    }
    return NULL;
}

/* Appends a value of a metric and |unit|; |fallback| if it is absent. */
static void append_number(lw_buf *text, lw_str json, const char *pointer, const char *unit,
                          const char *fallback)
{
    lw_buf_append_text(text, lw_value_append(json, pointer, text) ? unit : fallback);
}

/* Appends "10%/50%": the current and the target value. */
static void append_metric(lw_buf *text, lw_str spec, lw_str status)
{
    const metric_source *source = source_of(spec);
    if (!source) {
        lw_buf_append_text(text, "<unknown type>");
        return;
    }
    lw_str from = lw_value_at(spec, source->member);
    lw_str target = lw_value_at(from, "/target");
    lw_str current = lw_value_at(lw_value_at(status, source->member), "/current");
    if (source->has_name) {
        (void)lw_value_append(from, "/name", text);
        lw_buf_append_text(text, ": ");
    }
    if (lw_value_at(target, "/averageValue").len > 0) {
        append_number(text, current, "/averageValue", "", "<unknown>");
        lw_buf_append_char(text, '/');
        append_number(text, target, "/averageValue", "", "");
        if (strcmp(source->type, "External") == 0 || strcmp(source->type, "Object") == 0)
            lw_buf_append_text(text, " (avg)");
    } else if (source->has_name) {
        append_number(text, current, "/averageUtilization", "%", "<unknown>");
        lw_buf_append_char(text, '/');
        append_number(text, target, "/averageUtilization", "%", "<auto>");
    } else {
        append_number(text, current, "/value", "", "<unknown>");
        lw_buf_append_char(text, '/');
        append_number(text, target, "/value", "", "<auto>");
    }
}

static void cell_targets(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str spec, status;
    lw_value_walk specs = lw_value_elements(row->spec, "/metrics");
    lw_value_walk statuses = lw_value_elements(row->status, "/currentMetrics");
    size_t count = 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (; lw_value_next_element(&specs, &spec); count++) {
        if (!lw_value_next_element(&statuses, &status))
            status = LW_STR("");
        if (count >= SHOWN_MAX)
            continue;
        lw_table_cell_separate(&text, 0, ", ");
        append_metric(&text, spec, status);
    }
    if (count > SHOWN_MAX)
        lw_buf_printf(&text, " + %zu more...", count - SHOWN_MAX);
    lw_table_cell_end(&text, "<none>", w);
}

static void cell_reference(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str target = lw_value_at(row->spec, "/scaleTargetRef");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(target, "/kind", &text);
    lw_buf_append_char(&text, '/');
    (void)lw_value_append(target, "/name", &text);
    lw_table_cell_end(&text, "", w);
}

const lw_table_column lw_table_columns_horizontalpodautoscaler[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Reference", "string", 0, NULL, cell_reference, "The object that is scaled."),
    LW_COLUMN("Targets", "string", 0, NULL, cell_targets,
              "Current and target value of each metric."),
    LW_COLUMN("MinPods", "string", 0, "/spec/minReplicas", lw_table_cell_string_or_unset,
              "Minimum number of pods."),
    LW_COLUMN("MaxPods", "string", 0, "/spec/maxReplicas", lw_table_cell_int,
              "Maximum number of pods."),
    LW_COLUMN("Replicas", "string", 0, "/status/currentReplicas", lw_table_cell_int,
              "Current number of pods."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
