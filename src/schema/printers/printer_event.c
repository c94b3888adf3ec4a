/* SPDX-License-Identifier: Apache-2.0 */
/* printer_event.c -- the columns of events in their two formats: the core group and events.k8s.io.
 * column->pointer is the path of the involved object, which identifies the format. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

/* The paths of the fields in one format. */
typedef struct event_shape {
    const char *object;
    const char *first;
    const char *last;
    const char *count;
    const char *message;
    const char *source;
    const char *reporter;
} event_shape;

static const event_shape core_shape = {
    .object = "/involvedObject",
    .first = "/firstTimestamp",
    .last = "/lastTimestamp",
    .count = "/count",
    .message = "/message",
    .source = "/source",
    .reporter = "/reportingComponent",
};

static const event_shape new_shape = {
    .object = "/regarding",
    .first = "/deprecatedFirstTimestamp",
    .last = "/deprecatedLastTimestamp",
    .count = "/deprecatedCount",
    .message = "/note",
    .source = "/deprecatedSource",
    .reporter = "/reportingController",
};

static const event_shape *shape_of(const lw_table_column *column)
{
    return strcmp(column->pointer, new_shape.object) == 0 ? &new_shape : &core_shape;
}

static const char *first_seen(const event_shape *shape, lw_str json)
{
    lw_time time;
    return lw_value_time(json, shape->first, &time) ? shape->first : "/eventTime";
}

/* The time of the series if there is one; else the last time, else the first. */
static const char *last_seen(const event_shape *shape, lw_str json)
{
    lw_time time;
    if (lw_value_at(json, "/series").len > 0)
        return "/series/lastObservedTime";
    return lw_value_time(json, shape->last, &time) ? shape->last : first_seen(shape, json);
}

static void write_since(const lw_row *row, const char *pointer, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_table_cell_append_since(&text, row->json, pointer, row->now_ns);
    lw_table_cell_end(&text, "", w);
}

static void cell_last_seen(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_since(row, last_seen(shape_of(column), row->json), w);
}

static void cell_first_seen(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_since(row, first_seen(shape_of(column), row->json), w);
}

static void cell_count(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str json = row->json;
    int64_t count = lw_value_int(json, shape_of(column)->count, 0);
    if (lw_value_at(json, "/series").len > 0)
        count = lw_value_int(json, "/series/count", 0);
    else if (count == 0)
        count = 1;
    lw_json_write_int(w, count);
}

/* "pod/web-0" */
static void cell_object(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str object = lw_row_at(row, column->pointer);
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(object, "/kind", &text);
    lw_table_cell_to_lower(&text);
    if (lw_value_at(object, "/name").len > 2) {
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(object, "/name", &text);
    }
    lw_table_cell_end(&text, "", w);
}

static void cell_subobject(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(lw_row_at(row, column->pointer), "/fieldPath", &text);
    lw_table_cell_end(&text, "", w);
}

/* "kubelet, node-1" */
static void cell_source(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    const event_shape *shape = shape_of(column);
    lw_str json = row->json, source = lw_value_at(json, shape->source);
    lw_buf text;
    lw_table_cell_begin(&text);
    if (!lw_value_append(source, "/component", &text))
        (void)lw_value_append(json, shape->reporter, &text);
    size_t end = text.len;
    lw_buf_append_text(&text, ", ");
    if (!lw_value_append(source, "/host", &text) &&
        !lw_value_append(json, "/reportingInstance", &text))
        lw_buf_truncate(&text, end);
    lw_table_cell_end(&text, "", w);
}

static void cell_message(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->json, shape_of(column)->message, &text);
    if (text.st < 0 && w->out->st == LW_OK)
        w->out->st = text.st;
    lw_json_write_string(w, lw_str_trim(lw_buf_view(&text)));
    lw_buf_done(&text);
}

#define EVENT_COLUMNS(object)                                                                      \
    LW_COLUMN("Last Seen", "string", 0, object, cell_last_seen,                                    \
              "Time since the event was last observed."),                                          \
        LW_COLUMN("Type", "string", 0, "/type", lw_table_cell_string,                              \
                  "Type of the event: Normal or Warning."),                                        \
        LW_COLUMN("Reason", "string", 0, "/reason", lw_table_cell_string,                          \
                  "Reason for the event."),                                                        \
        LW_COLUMN("Object", "string", 0, object, cell_object,                                      \
                  "The object that the event is about."),                                          \
        LW_COLUMN("Subobject", "string", 1, object, cell_subobject,                                \
                  "Part of the object that the event is about."),                                  \
        LW_COLUMN("Source", "string", 1, object, cell_source,                                      \
                  "Component that reports the event."),                                            \
        LW_COLUMN("Message", "string", 0, object, cell_message, "Description of what happened."),  \
        LW_COLUMN("First Seen", "string", 1, object, cell_first_seen,                              \
                  "Time since the event was first observed."),                                     \
        LW_COLUMN("Count", "string", 1, object, cell_count,                                        \
                  "Number of times the event has occurred."),                                      \
        LW_TABLE_COLUMN_NAME_BY(1, lw_table_cell_name)

const lw_table_column lw_table_columns_event[] = {
    EVENT_COLUMNS("/involvedObject"),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_event_k8s_io[] = {
    EVENT_COLUMNS("/regarding"),
    LW_TABLE_COLUMN_END,
};
