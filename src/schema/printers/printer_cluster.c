/* SPDX-License-Identifier: Apache-2.0 */
/* printer_cluster.c -- the columns of kinds for the administration of a cluster: leases, disruption
 * budgets, priority and runtime classes, role bindings, webhook configurations, flow control. */
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

/* "ClusterRole/view" */
static void cell_role(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str role = lw_value_at(row->json, "/roleRef");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(role, "/kind", &text);
    lw_buf_append_char(&text, '/');
    (void)lw_value_append(role, "/name", &text);
    lw_table_cell_end(&text, "", w);
}

/* The subjects of the kind in column->pointer; service accounts with their namespace. */
static void cell_subjects(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    bool is_account = strcmp(column->pointer, "ServiceAccount") == 0;
    lw_str subject;
    lw_buf text;
    lw_table_cell_begin(&text);
    for (lw_value_walk walk = lw_value_elements(row->json, "/subjects");
         lw_value_next_element(&walk, &subject);) {
        if (!lw_value_is(subject, "/kind", lw_str_of(column->pointer)))
            continue;
        lw_table_cell_separate(&text, 0, ", ");
        if (is_account) {
            (void)lw_value_append(subject, "/namespace", &text);
            lw_buf_append_char(&text, '/');
        }
        (void)lw_value_append(subject, "/name", &text);
    }
    lw_table_cell_end(&text, "", w);
}

const lw_table_column lw_table_columns_rolebinding[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Role", "string", 0, NULL, cell_role, "The role that is granted."),
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("Users", "string", 1, "User", cell_subjects, "Users that get the role."),
    LW_COLUMN("Groups", "string", 1, "Group", cell_subjects, "Groups that get the role."),
    LW_COLUMN("ServiceAccounts", "string", 1, "ServiceAccount", cell_subjects,
              "Service accounts that get the role."),
    LW_TABLE_COLUMN_END,
};

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
