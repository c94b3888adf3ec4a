/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_check.c -- checks any JSON against the types of pods and of CustomResourceDefinitions, which
 * are recursive.  The messages are bounded, each finding is reported once, and a second check gives
 * the same; a valid document is still valid after writing it again. */
#include <stdlib.h>

#include "base/str.h"
#include "schema/validation/check.h"
#include "schema/validation/check_fits.h"
#include "schema/validation/typed.h"
#include "json/scan.h"
#include "json/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_findings(const lw_check *check)
{
    must(check->count <= LW_CHECK_FINDINGS_MAX);
    must(check->fault.len <= LW_CHECK_TEXT_MAX && check->findings.len <= LW_CHECK_TEXT_MAX);
    for (size_t i = 0; i < check->count; i++) {
        lw_str finding = lw_check_finding(check, i);
        must(lw_str_starts_with(finding, LW_STR("unknown field \"")) ||
             lw_str_starts_with(finding, LW_STR("duplicate field \"")));
        must(lw_str_ends_with(finding, LW_STR("\"")));
        for (size_t j = 0; j < i; j++)
            must(!lw_str_equal(finding, lw_check_finding(check, j)));
    }
}

static void check_written_anew(const lw_type *type, lw_str json)
{
    lw_tree *tree = NULL;
    lw_check check;
    lw_buf text;
    lw_json_writer w;
    lw_check_init(&check);
    lw_buf_init(&text, 64 * json.len + 64);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    if (lw_tree_parse(&tree, json, 0, NULL) == LW_OK) {
        lw_node_write(lw_tree_root(tree), &w);
        if (lw_json_writer_status(&w) == LW_OK) {
            must(lw_check_document(&check, type, lw_buf_view(&text)) == LW_OK);
            must(check.fault.len == 0 && check.count == 0);
        }
    }
    lw_tree_free(tree);
    lw_buf_done(&text);
    lw_check_done(&check);
}

/* A document that fits has no fault in its JSON. */
static void check_fitting(const lw_type *type, lw_str json)
{
    lw_tree *tree = NULL;
    lw_check check;
    lw_buf text;
    lw_json_writer w;
    lw_check_init(&check);
    lw_buf_init(&text, 64 * json.len + 64);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    if (lw_tree_parse(&tree, json, 0, NULL) == LW_OK && lw_check_fits(type, lw_tree_root(tree))) {
        lw_node_write(lw_tree_root(tree), &w);
        if (lw_json_writer_status(&w) == LW_OK) {
            must(lw_check_document(&check, type, lw_buf_view(&text)) == LW_OK);
            must(check.fault.len == 0);
        }
    }
    lw_tree_free(tree);
    lw_buf_done(&text);
    lw_check_done(&check);
}

/* A document that fits strictly and has no duplicate keys has no findings; one in typed form is
 * read as it is. */
static void check_clean(const lw_type *type, lw_str json, const lw_check *check)
{
    lw_tree *tree = NULL, *read = NULL;
    bool is_typed = false;
    if (lw_tree_parse(&tree, json, 0, NULL) == LW_OK && !lw_tree_had_repeats(tree) &&
        lw_check_fits_strictly(type, lw_tree_root(tree), &is_typed))
        must(check->fault.len == 0 && check->count == 0);
    if (is_typed && !lw_tree_had_nulls(tree) && lw_tree_parse(&read, json, 0, NULL) == LW_OK) {
        lw_typed_read(read, type, lw_tree_root(read));
        must(lw_node_is_same(lw_tree_root(read), lw_tree_root(tree), NULL));
    }
    lw_tree_free(tree);
    lw_tree_free(read);
}

static void check_against(const lw_type *type, lw_str json)
{
    lw_check first, second;
    lw_check_init(&first);
    lw_check_init(&second);
    must(lw_check_document(&first, type, json) == LW_OK);
    must(lw_check_document(&second, type, json) == LW_OK);
    check_findings(&first);
    check_clean(type, json, &first);
    must(first.count == second.count);
    must(lw_str_equal(lw_buf_view(&first.findings), lw_buf_view(&second.findings)));
    must(lw_str_equal(lw_buf_view(&first.fault), lw_buf_view(&second.fault)));
    if (first.fault.len == 0 && first.count == 0)
        check_written_anew(type, json);
    check_fitting(type, json);
    lw_check_done(&first);
    lw_check_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str json = lw_str_make((const char *)data, size);
    if (lw_json_validate(json, 0, NULL) < 0)
        return 0;
    check_against(lw_type_of_kind(lw_gvk_make("", "v1", "Pod")), json);
    check_against(lw_type_of_kind(
                      lw_gvk_make("apiextensions.k8s.io", "v1", "CustomResourceDefinition")),
                  json);
    return 0;
}
