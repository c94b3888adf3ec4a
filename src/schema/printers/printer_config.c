/* SPDX-License-Identifier: Apache-2.0 */
/* printer_config.c -- the columns of namespaces, config maps, secrets, quotas and similar kinds. */
#include "base/alloc.h"
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"
#include "json/text.h"

/* The number of entries of a config map in data and binaryData. */
static void cell_config_data(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str json = row->json;
    (void)column;
    lw_json_write_int(w, (int64_t)(lw_value_count(json, "/data") +
                                   lw_value_count(json, "/binaryData")));
}

static void cell_secret_type(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->json, "/type", &text);
    lw_table_cell_end(&text, "Opaque", w);
}

/* The limits and the current usage, sorted by name. */
typedef struct quota_numbers {
    lw_value_pair *hard;
    size_t hard_count;
    lw_value_pair *used;
    size_t used_count;
} quota_numbers;

/* Appends "cpu: 1/4" for |hard| and its usage, which may be unknown. */
static void append_resource(lw_buf *text, const lw_value_pair *hard, const lw_value_pair *used)
{
    lw_table_cell_separate(text, 0, ", ");
    lw_json_append_unescaped(text, hard->raw_key);
    lw_buf_append_text(text, ": ");
    if (!used || !lw_value_append(used->value, "", text))
        lw_buf_append_char(text, '0');
    lw_buf_append_char(text, '/');
    (void)lw_value_append(hard->value, "", text);
}

static void append_quota(lw_buf *text, const quota_numbers *quota, bool limits)
{
    size_t at = 0;
    for (size_t i = 0; i < quota->hard_count; i++) {
        lw_str key = quota->hard[i].raw_key;
        if (lw_str_starts_with(key, LW_STR("limits.")) != limits)
            continue;
        while (at < quota->used_count && lw_str_compare(quota->used[at].raw_key, key) < 0)
            at++;
        bool is_used = at < quota->used_count && lw_str_equal(quota->used[at].raw_key, key);
        append_resource(text, &quota->hard[i], is_used ? &quota->used[at] : NULL);
    }
}

/* Limits if column->pointer is set, else requests. */
static void cell_quota(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str status = row->status;
    quota_numbers quota = { .hard = NULL };
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_status st = lw_value_sorted(status, "/hard", &quota.hard, &quota.hard_count);
    if (st == LW_OK)
        st = lw_value_sorted(status, "/used", &quota.used, &quota.used_count);
    if (st == LW_OK)
        append_quota(&text, &quota, column->pointer != NULL);
    else
        text.st = st;
    lw_free(quota.hard);
    lw_free(quota.used);
    lw_table_cell_end(&text, "", w);
}

const lw_table_column lw_table_columns_namespace[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Status", "string", 0, "/status/phase", lw_table_cell_string,
              "Phase of the namespace: Active or Terminating."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

/* Healthy or Unhealthy, by the condition. */
static void cell_component_status(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->json, "/conditions/0/status", &text);
    bool is_healthy = lw_str_equal(lw_buf_view(&text), LW_STR("True"));
    bool is_known = text.len > 0;
    lw_buf_reset(&text);
    lw_table_cell_end(&text, is_healthy ? "Healthy" : is_known ? "Unhealthy" : "Unknown", w);
}

const lw_table_column lw_table_columns_componentstatus[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Status", "string", 0, NULL, cell_component_status,
              "Whether the component is healthy."),
    LW_COLUMN("Message", "string", 0, "/conditions/0/message", lw_table_cell_string,
              "What the health check has returned."),
    LW_COLUMN("Error", "string", 0, "/conditions/0/error", lw_table_cell_string,
              "Error of the health check."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_configmap[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Data", "string", 0, NULL, cell_config_data, "Number of keys."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_secret[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Type", "string", 0, NULL, cell_secret_type, "Type of the secret."),
    LW_COLUMN("Data", "string", 0, "/data", lw_table_cell_count, "Number of keys."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_serviceaccount[] = {
    LW_TABLE_COLUMN_NAME,
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_resourcequota[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Request", "string", 0, NULL, cell_quota,
              "Used and allowed amount of each resource."),
    LW_COLUMN("Limit", "string", 0, "limits", cell_quota, "Used and allowed sum of the limits."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
