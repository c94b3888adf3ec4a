/* SPDX-License-Identifier: Apache-2.0 */
/* printer_policy.c -- the columns of admission policies and their bindings. */
#include "base/alloc.h"
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"
#include "json/text.h"

/* "example.com/v1/Limit" */
static void cell_param_kind(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str kind = lw_value_at(row->spec, "/paramKind");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (kind.len > 0) {
        (void)lw_value_append(kind, "/apiVersion", &text);
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(kind, "/kind", &text);
    }
    lw_table_cell_end(&text, "<unset>", w);
}

static void append_requirements(lw_buf *text, lw_str selector)
{
    lw_str one;
    for (lw_value_walk walk = lw_value_elements(selector, "/matchExpressions");
         lw_value_next_element(&walk, &one);) {
        lw_buf_append_text(text, "LabelSelectorRequirement{Key:");
        (void)lw_value_append(one, "/key", text);
        lw_buf_append_text(text, ",Operator:");
        (void)lw_value_append(one, "/operator", text);
        lw_buf_append_text(text, ",Values:[");
        lw_table_cell_append_each(text, lw_value_at(one, "/values"), "", " ");
        lw_buf_append_text(text, "],},");
    }
}

/* The selector as Go prints the struct, which is what Kubernetes shows here. */
static void append_go_selector(lw_buf *text, lw_str selector)
{
    lw_value_pair *pairs = NULL;
    size_t count = 0;
    lw_status st = lw_value_sorted(selector, "/matchLabels", &pairs, &count);
    if (st < 0 && text->st == LW_OK)
        text->st = st;
    lw_buf_append_text(text, "&LabelSelector{MatchLabels:map[string]string{");
    for (size_t i = 0; i < count; i++) {
        lw_json_append_unescaped(text, pairs[i].raw_key);
        lw_buf_append_text(text, ": ");
        (void)lw_value_append(pairs[i].value, "", text);
        lw_buf_append_char(text, ',');
    }
    lw_buf_append_text(text, "},MatchExpressions:[]LabelSelectorRequirement{");
    append_requirements(text, selector);
    lw_buf_append_text(text, "},}");
    lw_free(pairs);
}

/* "default/limits"; the namespace is * if it is that of the request. */
static void cell_param_ref(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str ref = lw_value_at(row->spec, "/paramRef"), selector = lw_value_at(ref, "/selector");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (lw_value_at(ref, "/name").len > 2) { /* more than the quotes */
        if (!lw_value_append(ref, "/namespace", &text))
            lw_buf_append_char(&text, '*');
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(ref, "/name", &text);
    } else if (selector.len > 0) {
        append_go_selector(&text, selector);
    }
    lw_table_cell_end(&text, "<unset>", w);
}

#define PARAM_KIND                                                                                 \
    LW_COLUMN("ParamKind", "string", 0, NULL, cell_param_kind,                                     \
              "Kind of the objects with parameters of the policy.")

const lw_table_column lw_table_columns_validatingadmissionpolicy[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Validations", "integer", 0, "/spec/validations", lw_table_cell_count,
              "Number of expressions that must be true."),
    PARAM_KIND,
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_mutatingadmissionpolicy[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Mutations", "integer", 0, "/spec/mutations", lw_table_cell_count,
              "Number of changes."),
    PARAM_KIND,
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_admissionpolicybinding[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("PolicyName", "string", 0, "/spec/policyName", lw_table_cell_string,
              "Policy that the binding puts into effect."),
    LW_COLUMN("ParamRef", "string", 0, NULL, cell_param_ref, "Objects with parameters."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
