/* SPDX-License-Identifier: Apache-2.0 */
/* printer_admission.c -- the columns of webhook configurations and flow control. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

/* Whether the priority level of a schema does not exist. */
static void cell_dangling(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str condition;
    lw_buf text;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->status, column->pointer);
         lw_value_next_element(&walk, &condition);) {
        if (lw_value_is(condition, "/type", LW_STR("Dangling")))
            (void)lw_value_append(condition, "/status", &text);
    }
    lw_table_cell_end(&text, "?", w);
}

static void cell_number_or_none(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(lw_row_at(row, column->pointer), "", &text);
    lw_table_cell_end(&text, "<none>", w);
}

const lw_table_column lw_table_columns_webhookconfiguration[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Webhooks", "integer", 0, "/webhooks", lw_table_cell_count, "Number of webhooks."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_flowschema[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("PriorityLevel", "string", 0, "/spec/priorityLevelConfiguration/name",
              lw_table_cell_string, "Priority level of the requests."),
    LW_COLUMN("MatchingPrecedence", "string", 0, "/spec/matchingPrecedence", lw_table_cell_int,
              "Order in which schemas are tried, the lowest first."),
    LW_COLUMN("DistinguisherMethod", "string", 0, "/spec/distinguisherMethod/type",
              lw_table_cell_string_or_none, "How requests are divided into flows."),
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("MissingPL", "string", 0, "/conditions", cell_dangling,
              "Whether the priority level does not exist."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_prioritylevel[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Type", "string", 0, "/spec/type", lw_table_cell_string,
              "Whether requests are limited: Exempt or Limited."),
    LW_COLUMN("NominalConcurrencyShares", "string", 0, "/spec/limited/nominalConcurrencyShares",
              cell_number_or_none, "Share of the server's concurrency limit."),
    LW_COLUMN("Queues", "string", 0, "/spec/limited/limitResponse/queuing/queues",
              cell_number_or_none, "Number of queues."),
    LW_COLUMN("HandSize", "string", 0, "/spec/limited/limitResponse/queuing/handSize",
              cell_number_or_none, "Number of queues that each flow is assigned to."),
    LW_COLUMN("QueueLengthLimit", "string", 0,
              "/spec/limited/limitResponse/queuing/queueLengthLimit", cell_number_or_none,
              "Maximum number of waiting requests in a queue."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
