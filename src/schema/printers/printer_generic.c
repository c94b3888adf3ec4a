/* SPDX-License-Identifier: Apache-2.0 */
/* printer_generic.c -- cells that show the value at a path. */
#include "base/str.h"
#include "object/object.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

void lw_table_cell_name(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    (void)column;
    lw_json_write_string(w, lw_object__field(row->obj, LW_OBJECT_NAME));
}

void lw_table_cell_age(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_str at = lw_row_at(row, column->pointer ? column->pointer : "/metadata/creationTimestamp");
    lw_table_cell_append_since(&text, at, "", row->now_ns);
    lw_table_cell_end(&text, "", w);
}

void lw_table_cell_created(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    char text[LW_TIME_TEXT_SIZE];
    lw_time time;
    (void)column;
    /* If there is no time, Go prints its zero time. */
    if (!lw_value_time(row->metadata, "/creationTimestamp", &time) ||
        lw_time_format(text, time) < 0)
        lw_table_cell_write(w, "0001-01-01T00:00:00Z");
    else
        lw_table_cell_write(w, text);
}

static void write_string(const lw_table_column *column, const lw_row *row, const char *fallback,
                         lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(lw_row_at(row, column->pointer), "", &text);
    lw_table_cell_end(&text, fallback, w);
}

void lw_table_cell_string(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_string(column, row, "", w);
}

void lw_table_cell_string_or_none(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_string(column, row, "<none>", w);
}

void lw_table_cell_string_or_unset(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_string(column, row, "<unset>", w);
}

void lw_table_cell_string_or_unknown(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_string(column, row, "<unknown>", w);
}

void lw_table_cell_int(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_json_write_int(w, lw_value_int(lw_row_at(row, column->pointer), "", 0));
}

void lw_table_cell_bool(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_json_write_bool(w, lw_value_bool(lw_row_at(row, column->pointer), "", false));
}

void lw_table_cell_count(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_json_write_int(w, (int64_t)lw_value_count(lw_row_at(row, column->pointer), ""));
}

void lw_table_cell_selector(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_table_cell_append_selector(&text, lw_row_at(row, column->pointer), "");
    lw_table_cell_end(&text, "<none>", w);
}

void lw_table_cell_labels(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_table_cell_append_labels(&text, lw_row_at(row, column->pointer), "");
    lw_table_cell_end(&text, "<none>", w);
}

static void write_containers(const lw_table_column *column, const lw_row *row, const char *member,
                             lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_table_cell_append_each(&text, lw_row_at(row, column->pointer), member, ",");
    lw_table_cell_end(&text, "", w);
}

void lw_table_cell_container_names(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_containers(column, row, "/name", w);
}

void lw_table_cell_container_images(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    write_containers(column, row, "/image", w);
}

const lw_table_column lw_table_columns_default[] = {
    LW_TABLE_COLUMN_NAME,
    LW_TABLE_COLUMN_CREATED,
    LW_TABLE_COLUMN_END,
};
