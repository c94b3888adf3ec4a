/* SPDX-License-Identifier: Apache-2.0 */
/* printer_certificates.c -- the columns of certificates.k8s.io. */
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

/* "Pending", or the last of the conditions Issued, Denied and Failed. */
static void cell_pod_certificate_state(const lw_table_column *column, lw_row *row,
                                       lw_json_writer *w)
{
    static const char *const states[] = { "Issued", "Denied", "Failed" };
    const char *state = "Pending";
    lw_str condition;
    (void)column;
    for (lw_value_walk walk = lw_value_elements(row->status, "/conditions");
         lw_value_next_element(&walk, &condition);) {
        for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
            if (lw_value_is(condition, "/type", lw_str_of(states[i])))
                state = states[i];
        }
    }
    lw_table_cell_write(w, state);
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

const lw_table_column lw_table_columns_podcertificaterequest[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("PodName", "string", 0, "/spec/podName", lw_table_cell_string, "Name of the pod."),
    LW_COLUMN("ServiceAccountName", "string", 0, "/spec/serviceAccountName", lw_table_cell_string,
              "Name of the pod's service account."),
    LW_COLUMN("NodeName", "string", 0, "/spec/nodeName", lw_table_cell_string,
              "Name of the pod's node."),
    LW_COLUMN("SignerName", "string", 0, "/spec/signerName", lw_table_cell_string,
              "Name of the signer."),
    LW_COLUMN("State", "string", 0, NULL, cell_pod_certificate_state,
              "State of the request: Pending, Issued, Denied or Failed."),
    LW_COLUMN("UnverifiedUserAnnotations", "string", 0, "/spec/unverifiedUserAnnotations",
              lw_table_cell_labels, "Annotations from the pod's volume."),
    LW_TABLE_COLUMN_END,
};
