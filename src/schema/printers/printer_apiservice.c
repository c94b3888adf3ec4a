/* SPDX-License-Identifier: Apache-2.0 */
/* printer_apiservice.c -- the columns of apiregistration.k8s.io. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

/* "Local", or "NAMESPACE/NAME" */
static void cell_service(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str service = lw_row_at(row, column->pointer);
    lw_buf text;
    lw_table_cell_begin(&text);
    if (service.len > 0) {
        (void)lw_value_append(service, "/namespace", &text);
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(service, "/name", &text);
    }
    lw_table_cell_end(&text, "Local", w);
}

/* "True", or "False (ServiceNotFound)" */
static void cell_available(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str condition;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->status, "/conditions");
         text.len == 0 && lw_value_next_element(&walk, &condition);) {
        if (!lw_value_is(condition, "/type", LW_STR("Available")))
            continue;
        (void)lw_value_append(condition, "/status", &text);
        if (!lw_value_is(condition, "/status", LW_STR("True")) &&
            lw_value_at(condition, "/reason").len > 2) { /* more than the quotes */
            lw_buf_append_text(&text, " (");
            (void)lw_value_append(condition, "/reason", &text);
            lw_buf_append_char(&text, ')');
        }
    }
    lw_table_cell_end(&text, "Unknown", w);
}

const lw_table_column lw_table_columns_apiservice[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Service", "string", 0, "/spec/service", cell_service,
              "Service of the server; Local: this server."),
    LW_COLUMN("Available", "string", 0, NULL, cell_available, "Whether the server is available."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
