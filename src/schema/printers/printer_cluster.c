/* SPDX-License-Identifier: Apache-2.0 */
/* printer_cluster.c -- the columns of leases, disruption budgets, priority and runtime classes. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

/* A number or a percentage; "N/A" if the budget does not set it. */
static void cell_budget(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(lw_row_at(row, column->pointer), "", &text);
    lw_table_cell_end(&text, "N/A", w);
}

const lw_table_column lw_table_columns_lease[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Holder", "string", 0, "/spec/holderIdentity", lw_table_cell_string,
              "Identity of the current holder."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_poddisruptionbudget[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Min Available", "string", 0, "/spec/minAvailable", cell_budget,
              "Minimum number of pods that must stay available."),
    LW_COLUMN("Max Unavailable", "string", 0, "/spec/maxUnavailable", cell_budget,
              "Maximum number of pods that may be unavailable."),
    LW_COLUMN("Allowed Disruptions", "integer", 0, "/status/disruptionsAllowed", lw_table_cell_int,
              "Number of pods that may be evicted now."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_priorityclass[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Value", "integer", 0, "/value", lw_table_cell_int,
              "Priority of the pods; higher is more important."),
    LW_COLUMN("Global-Default", "boolean", 0, "/globalDefault", lw_table_cell_bool,
              "Whether pods without a priority class get this one."),
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("PreemptionPolicy", "string", 0, "/preemptionPolicy", lw_table_cell_string,
              "Whether pods of lower priority may be preempted."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_runtimeclass[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Handler", "string", 0, "/handler", lw_table_cell_string,
              "Name of the runtime handler."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
