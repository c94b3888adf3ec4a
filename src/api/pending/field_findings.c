/* SPDX-License-Identifier: Apache-2.0 */
/* field_findings.c -- asks the types. */
#include "api/pending/field_findings.h"

#include "api/pending/pending_object.h"
#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/validation/check.h"
#include "json/tree.h"

enum {
    TEXT_MAX = 1 << 20, /* bytes of what is found */
};

void lw_field_check_result_init(lw_field_check_result *verdict)
{
    lw_buf_init(&verdict->fault, TEXT_MAX);
    lw_buf_init(&verdict->findings, TEXT_MAX);
    lw_buf_init(&verdict->strict, TEXT_MAX);
}

void lw_field_check_result_done(lw_field_check_result *verdict)
{
    lw_buf_done(&verdict->fault);
    lw_buf_done(&verdict->findings);
    lw_buf_done(&verdict->strict);
}

/* What the schema does not know, sorted by its name. */
static lw_status find_unknown(const lw_structural *schema, lw_str json, lw_buf *findings)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st == LW_OK) {
        lw_node_sort_keys(lw_tree_root(tree));
        lw_structural_prune_telling(schema, lw_tree_root(tree), findings);
    }
    lw_tree_free(tree);
    return st == LW_ERR_NOMEM ? st : LW_OK;
}

/* What is odd about the metadata, which no schema says anything of. */
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

static lw_status find_in_custom(const lw_kind *kind, lw_str json, lw_field_check_result *verdict)
{
    lw_buf *findings = &verdict->findings;
    lw_status st = find_in_metadata(json, findings);
    if (st == LW_OK && kind->custom->schema)
        st = find_unknown(kind->custom->schema, json, findings);
    for (size_t at = 0; at < findings->len;) {
        lw_str one = lw_str_of(findings->data + at);
        lw_buf_printf(&verdict->strict, "%s%.*s",
                      at > 0 ? ", " : "strict decoding error: ", LW_STR_ARG(one));
        at += one.len + 1;
    }
    if (findings->st == LW_ERR_NOMEM || verdict->strict.st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    return st;
}

lw_status lw_field_findings(const lw_kind *kind, lw_gvk gvk, lw_str json,
                            lw_field_check_result *verdict)
{
    if (kind->custom && lw_gvk_equal(lw_kind_gvk(kind), gvk))
        return find_in_custom(kind, json, verdict);
    const lw_type *type = lw_type_of_kind(gvk);
    if (!type)
        return LW_OK;
    lw_check check;
    lw_check_init(&check);
    lw_status st = lw_check_document(&check, type, json);
    if (st == LW_OK && check.fault.len > 0) {
        lw_buf_append_str(&verdict->fault, lw_buf_view(&check.fault));
    } else if (st == LW_OK && check.count > 0) {
        for (size_t i = 0; i < check.count; i++) {
            lw_buf_append_str(&verdict->findings, lw_check_finding(&check, i));
            lw_buf_append_char(&verdict->findings, '\0');
        }
        lw_check_append_strict(&check, &verdict->strict);
    }
    if (verdict->findings.st == LW_ERR_NOMEM || verdict->strict.st == LW_ERR_NOMEM ||
        verdict->fault.st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    lw_check_done(&check);
    return st;
}
