/* SPDX-License-Identifier: Apache-2.0 */
/* printer_event.c -- the columns of events, which are stored as events of the core group. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

static const char *first_seen(lw_str json)
{
    lw_time time;
    return lw_value_time(json, "/firstTimestamp", &time) ? "/firstTimestamp" : "/eventTime";
}

/* A series knows best; else the last time, else the first. */
static const char *last_seen(lw_str json)
{
    lw_time time;
    if (lw_value_at(json, "/series").len > 0)
        return "/series/lastObservedTime";
    return lw_value_time(json, "/lastTimestamp", &time) ? "/lastTimestamp" : first_seen(json);
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
    (void)column;
    write_since(row, last_seen(row->json), w);
}

static void cell_first_seen(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    (void)column;
    write_since(row, first_seen(row->json), w);
}

static void cell_count(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str json = row->json;
    int64_t count = lw_value_int(json, "/count", 0);
    (void)column;
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
    lw_str json = row->json, source = lw_value_at(json, "/source");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (!lw_value_append(source, "/component", &text))
        (void)lw_value_append(json, "/reportingComponent", &text);
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
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->json, "/message", &text);
    if (text.st < 0 && w->out->st == LW_OK)
        w->out->st = text.st;
    lw_json_write_string(w, lw_str_trim(lw_buf_view(&text)));
    lw_buf_done(&text);
}

const lw_table_column lw_table_columns_event[] = {
    LW_COLUMN("Last Seen", "string", 0, NULL, cell_last_seen,
              "Time since the event was last observed."),
    LW_COLUMN("Type", "string", 0, "/type", lw_table_cell_string,
              "Type of the event: Normal or Warning."),
    LW_COLUMN("Reason", "string", 0, "/reason", lw_table_cell_string, "Reason for the event."),
    LW_COLUMN("Object", "string", 0, "/involvedObject", cell_object,
              "The object that the event is about."),
    LW_COLUMN("Subobject", "string", 1, "/involvedObject", cell_subobject,
              "Part of the object that the event is about."),
    LW_COLUMN("Source", "string", 1, NULL, cell_source, "Component that reports the event."),
    LW_COLUMN("Message", "string", 0, NULL, cell_message, "Description of what happened."),
    LW_COLUMN("First Seen", "string", 1, NULL, cell_first_seen,
              "Time since the event was first observed."),
    LW_COLUMN("Count", "string", 1, NULL, cell_count, "Number of times the event has occurred."),
    LW_TABLE_COLUMN_NAME_BY(1, lw_table_cell_name),
    LW_TABLE_COLUMN_END,
};
