/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.c -- checks a document against its type or structural schema. */
#include "api/pending/field_findings.h"

#include "api/pending/pending_object.h"
#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/validation/check.h"
#include "json/tree.h"

enum {
    TEXT_MAX = 1 << 20,  /* bytes of all findings */
    BYTES_PER_STEP = 16, /* of a document whose text is walked through */
};

void lw_field_check_result_init(lw_field_check_result *result)
{
    lw_buf_init(&result->type_error, TEXT_MAX);
    lw_buf_init(&result->findings, TEXT_MAX);
    lw_buf_init(&result->strict, TEXT_MAX);
}

void lw_field_check_result_done(lw_field_check_result *result)
{
    lw_buf_done(&result->type_error);
    lw_buf_done(&result->findings);
    lw_buf_done(&result->strict);
}

/* Finds fields that are not in the schema, sorted by name. */
static lw_status find_unknown(const lw_structural *schema, lw_str json, lw_budget *budget,
                              lw_buf *findings)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse_within(&tree, json, 0, budget, NULL);
    if (st == LW_OK && lw_tree_charge_pass(tree)) {
        lw_node_sort_keys(lw_tree_root(tree));
        lw_structural_prune_reporting(schema, lw_tree_root(tree), findings);
    }
    lw_tree_free(tree);
    return st == LW_ERR_NOMEM ? st : LW_OK;
}

/* Finds unknown and duplicate fields in the metadata, which no structural schema describes. */
static lw_status find_in_metadata(lw_str json, lw_buf *findings)
{
    const lw_type *type =
        lw_type_of_kind(lw_gvk_make("meta.k8s.io", "v1", "PartialObjectMetadata"));
    lw_check check;
    lw_check_init(&check);
    lw_status st = lw_check_document(&check, type, json);
    for (size_t i = 0; st == LW_OK && i < check.count; i++) {
        lw_str one = lw_check_finding(&check, i);
        if (!lw_str_starts_with(one, LW_STR("unknown field \"metadata.")) &&
            !lw_str_starts_with(one, LW_STR("duplicate field \"")))
            continue;
        lw_buf_append_str(findings, one);
        lw_buf_append_char(findings, '\0');
    }
    lw_check_done(&check);
    return st;
}

static lw_status find_in_custom(const lw_kind *kind, lw_str json, lw_budget *budget,
                                lw_field_check_result *result)
{
    lw_buf *findings = &result->findings;
    lw_status st = find_in_metadata(json, findings);
    if (st == LW_OK && kind->custom->schema)
        st = find_unknown(kind->custom->schema, json, budget, findings);
    for (size_t at = 0; at < findings->len;) {
        lw_str one = lw_str_of(findings->data + at);
        lw_buf_printf(&result->strict, "%s%.*s",
                      at > 0 ? ", " : "strict decoding error: ", LW_STR_ARG(one));
        at += one.len + 1;
    }
    if (findings->st == LW_ERR_NOMEM || result->strict.st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    return st;
}

lw_status lw_field_findings(const lw_kind *kind, lw_gvk gvk, lw_str json, lw_budget *budget,
                            lw_field_check_result *result)
{
    if (!lw_budget_charge(budget, json.len / BYTES_PER_STEP))
        return LW_ERR_LIMIT;
    if (kind->custom && lw_gvk_equal(lw_kind_gvk(kind), gvk))
        return find_in_custom(kind, json, budget, result);
    const lw_type *type = lw_type_of_kind(gvk);
    if (!type)
        return LW_OK;
    lw_check check;
    lw_check_init(&check);
    lw_status st = lw_check_document(&check, type, json);
    if (st == LW_OK && check.fault.len > 0) {
        lw_buf_append_str(&result->type_error, lw_buf_view(&check.fault));
    } else if (st == LW_OK && check.count > 0) {
        for (size_t i = 0; i < check.count; i++) {
            lw_buf_append_str(&result->findings, lw_check_finding(&check, i));
            lw_buf_append_char(&result->findings, '\0');
        }
        lw_check_append_strict(&check, &result->strict);
    }
    if (result->findings.st == LW_ERR_NOMEM || result->strict.st == LW_ERR_NOMEM ||
        result->type_error.st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    lw_check_done(&check);
    return st;
}
