/* SPDX-License-Identifier: Apache-2.0 */
/* printer_custom.c -- cells of custom resources. */
#include "schema/printers/printers.h"

#include "base/str.h"
#include "schema/printers/jsonpath.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"
#include "json/text.h"

static void write_text(lw_str value, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    if (value.ptr[0] == '{' || value.ptr[0] == '[')
        lw_buf_append_str(&text, value);
    else
        (void)lw_value_append(value, "", &text);
    lw_table_cell_end(&text, "", w);
}

static void write_age(lw_str value, int64_t now_ns, lw_json_writer *w)
{
    lw_time time;
    lw_buf text;
    if (!lw_value_time(value, "", &time)) {
        lw_table_cell_write(w, "<invalid>");
        return;
    }
    lw_table_cell_begin(&text);
    lw_table_cell_append_since(&text, value, "", now_ns);
    lw_table_cell_end(&text, "", w);
}

static void write_number(lw_str value, bool is_integer, lw_json_writer *w)
{
    static const double limit = 9.2e18; /* certain to fit into 64 bits */
    int64_t number;
    if (!lw_json_is_number(value)) {
        lw_json_write_null(w);
        return;
    }
    double real = lw_json_number_to_double(value);
    if (!is_integer)
        lw_json_write_raw(w, value);
    else if (lw_json_number_to_int64(value, &number))
        lw_json_write_int(w, number);
    else if (real > -limit && real < limit) /* truncated, as in Go */
        lw_json_write_int(w, (int64_t)real);
    else
        lw_json_write_null(w);
}

void lw_table_cell_custom(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str value, type = column->type;
    if (!lw_jsonpath_first(row->json, lw_str_of(column->pointer), &value)) {
        lw_json_write_null(w);
        return;
    }
    bool is_bool = lw_str_equal(value, LW_STR("true")) || lw_str_equal(value, LW_STR("false"));
    if (lw_str_equal(type, LW_STR("string")))
        write_text(value, w);
    else if (lw_str_equal(type, LW_STR("date")) && value.ptr[0] == '"')
        write_age(value, row->now_ns, w);
    else if (lw_str_equal(type, LW_STR("integer")) || lw_str_equal(type, LW_STR("number")))
        write_number(value, lw_str_equal(type, LW_STR("integer")), w);
    else if (lw_str_equal(type, LW_STR("boolean")) && is_bool)
        lw_json_write_raw(w, value);
    else
        lw_json_write_null(w);
}
