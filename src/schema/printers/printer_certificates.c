/* SPDX-License-Identifier: Apache-2.0 */
/* printer_certificates.c -- the columns of certificate signing requests. */
#include "base/str.h"
#include "base/text/duration.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

static void cell_duration(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    char duration[LW_DURATION_TEXT_SIZE];
    lw_str value = lw_row_at(row, column->pointer);
    lw_buf text;
    lw_table_cell_begin(&text);
    if (value.len > 0)
        lw_buf_append_str(&text, lw_duration_format(duration, lw_value_int(value, "", 0)));
    lw_table_cell_end(&text, "<none>", w);
}

/* "Pending", "Approved,Issued", "Denied", "Approved,Failed" */
static void cell_condition(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    bool is_approved = false, is_denied = false, has_failed = false;
    lw_str condition;
    lw_buf text;
    (void)column;
    for (lw_value_walk walk = lw_value_elements(row->status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        is_approved |= lw_value_is(condition, "/type", LW_STR("Approved"));
        is_denied |= lw_value_is(condition, "/type", LW_STR("Denied"));
        has_failed |= lw_value_is(condition, "/type", LW_STR("Failed"));
    }
    lw_table_cell_begin(&text);
    lw_buf_append_text(&text, is_denied ? "Denied" : is_approved ? "Approved" : "Pending");
    if (has_failed)
        lw_buf_append_text(&text, ",Failed");
    if (lw_value_at(row->status, "/certificate").len > 2) /* more than the quotes */
        lw_buf_append_text(&text, ",Issued");
    lw_table_cell_end(&text, "", w);
}

const lw_table_column lw_table_columns_certificatesigningrequest[] = {
    LW_TABLE_COLUMN_NAME,
    LW_TABLE_COLUMN_AGE,
    LW_COLUMN("SignerName", "string", 0, "/spec/signerName", lw_table_cell_string_or_none,
              "Name of the signer."),
    LW_COLUMN("Requestor", "string", 0, "/spec/username", lw_table_cell_string,
              "Name of the user that created the request."),
    LW_COLUMN("RequestedDuration", "string", 0, "/spec/expirationSeconds", cell_duration,
              "Requested lifetime of the certificate."),
    LW_COLUMN("Condition", "string", 0, NULL, cell_condition, "State of the request."),
    LW_TABLE_COLUMN_END,
};
