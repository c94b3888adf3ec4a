/* SPDX-License-Identifier: Apache-2.0 */
/* printer_access.c -- the columns of role bindings. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

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
