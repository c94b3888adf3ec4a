/* SPDX-License-Identifier: Apache-2.0 */
/* printer_resource.c -- the columns of resource.k8s.io and storagemigration.k8s.io. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

/* "pending", "allocated,reserved", "deleted,allocated" */
static void cell_claim_state(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    bool is_deleted = lw_value_at(row->metadata, "/deletionTimestamp").len > 0;
    bool is_allocated = lw_value_at(row->status, "/allocation").len > 0;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (is_deleted)
        lw_buf_append_text(&text, "deleted");
    else if (!is_allocated)
        lw_buf_append_text(&text, "pending");
    if (is_allocated) {
        lw_table_cell_separate(&text, 0, ",");
        lw_buf_append_text(&text, "allocated");
        if (lw_value_count(row->status, "/reservedFor") > 0)
            lw_buf_append_text(&text, ",reserved");
    }
    lw_table_cell_end(&text, "", w);
}

/* "deployments.apps" */
static void cell_migrated(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->spec, "/resource/resource", &text);
    if (lw_value_at(row->spec, "/resource/group").len > 2) /* more than the quotes */
        lw_buf_append_char(&text, '.');
    (void)lw_value_append(row->spec, "/resource/group", &text);
    lw_table_cell_end(&text, "", w);
}

/* The last of the conditions Running, Failed and Succeeded that is true. */
static void cell_migration_state(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    static const char *const states[] = { "Running", "Failed", "Succeeded" };
    const char *state = "Unknown";
    lw_str condition;
    (void)column;
    for (lw_value_walk walk = lw_value_elements(row->status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
            if (lw_value_is(condition, "/status", LW_STR("True")) &&
                lw_value_is(condition, "/type", lw_str_of(states[i])))
                state = states[i];
        }
    }
    lw_table_cell_write(w, state);
}

const lw_table_column lw_table_columns_resourceclaim[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("State", "string", 0, NULL, cell_claim_state,
              "State of the claim: pending, allocated, reserved or deleted."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_storageversionmigration[] = {
    LW_COLUMN("Name", "string", 0, NULL, lw_table_cell_name, "Name of the object."),
    LW_COLUMN("Resource", "string", 0, NULL, cell_migrated, "Resource that is migrated."),
    LW_COLUMN("Status", "string", 0, NULL, cell_migration_state, "Progress of the migration."),
    LW_TABLE_COLUMN_END,
};
