/* SPDX-License-Identifier: Apache-2.0 */
/* patch_body.c -- JSON patches, merge patches and strategic merge patches. */
#include "api/write/patch_body.h"

#include <stdio.h>

#include "api/http/failures.h"
#include "api/pending/field_validation.h"
#include "api/pending/pending_object.h"
#include "api/write/scale.h"
#include "base/str.h"
#include "schema/strategicpatch/strategic_patch.h"
#include "json/fields.h"
#include "json/patch.h"

enum {
    UNPROCESSABLE = 422,
    MESSAGE_SIZE = LW_ERROR_MESSAGE_SIZE + 64,
};

static bool refuse(lw_write *write, lw_status st, const lw_error *err)
{
    switch (st) {
    case LW_ERR_NOMEM: (void)lw_write_fail(write, st); break;
    case LW_ERR_LIMIT: lw_api_status_too_large(&write->status, lw_str_of(err->message)); break;
    case LW_ERR_NOT_FOUND:
    case LW_ERR_TEST_FAILED:
        lw_api_status_generic(&write->status, UNPROCESSABLE, lw_str_of(err->message));
        break;
    default: lw_api_status_bad_request(&write->status, lw_str_of(err->message)); break;
    }
    return false;
}

static bool refuse_count(lw_write *write, size_t count)
{
    char message[MESSAGE_SIZE];
    (void)snprintf(message, sizeof(message),
                   "The allowed maximum operations in a JSON patch is %d, got %zu",
                   LW_JSON_PATCH_MAX_OPS, count);
    lw_api_status_too_large(&write->status, lw_str_of(message));
    return false;
}

static bool is_list_of_objects(const lw_node *patch)
{
    for (size_t i = 0; i < lw_node_count(patch); i++) {
        if (!lw_node_is(lw_node_at(patch, i), LW_JSON_OBJECT))
            return false;
    }
    return lw_node_is(patch, LW_JSON_ARRAY);
}

/* Returns true if |op| adds, removes, moves or copies the whole document, which Kubernetes does not
 * do; it only replaces and tests it. */
static bool is_about_document(const lw_node *op)
{
    lw_str name = lw_fields_text(op, "op");
    const lw_node *path = lw_node_get(op, LW_STR("path")), *from = lw_node_get(op, LW_STR("from"));
    bool has_from = lw_str_equal(name, LW_STR("move")) || lw_str_equal(name, LW_STR("copy"));
    bool has_path =
        has_from || lw_str_equal(name, LW_STR("add")) || lw_str_equal(name, LW_STR("remove"));
    return (has_path && lw_node_is(path, LW_JSON_STRING) && lw_node_text(path).len == 0) ||
           (has_from && lw_node_is(from, LW_JSON_STRING) && lw_node_text(from).len == 0);
}

static bool refuse_document(lw_write *write)
{
    lw_error err = LW_ERROR_INIT;
    (void)snprintf(err.message, sizeof(err.message), "%s",
                   "the path \"\" can only be replaced or tested");
    return refuse(write, LW_ERR_NOT_FOUND, &err);
}

static bool apply_json(lw_write *write, lw_tree *tree, const lw_node *patch)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_node_is(patch, LW_JSON_ARRAY) && lw_node_count(patch) > LW_JSON_PATCH_MAX_OPS)
        return refuse_count(write, lw_node_count(patch));
    if (lw_node_is(patch, LW_JSON_NULL)) /* no operations */
        return true;
    for (size_t i = 0; i < lw_node_count(patch); i++) {
        if (is_about_document(lw_node_at(patch, i)))
            return refuse_document(write);
    }
    lw_status st = lw_json_patch_apply(tree, patch, &err);
    /* An operation that cannot be is refused as one that cannot be done. */
    if (st == LW_ERR_INVALID && is_list_of_objects(patch))
        st = LW_ERR_NOT_FOUND;
    return st == LW_OK || refuse(write, st, &err);
}

static bool apply_merge(lw_write *write, lw_tree *tree, const lw_node *patch)
{
    if (!lw_node_is(patch, LW_JSON_OBJECT)) {
        lw_api_status_bad_request(&write->status, LW_STR("Invalid JSON Patch"));
        return false;
    }
    lw_tree_set_root(tree, lw_json_merge_patch(tree, lw_tree_root(tree), patch));
    lw_status st = lw_tree_status(tree);
    lw_error err = LW_ERROR_INIT;
    (void)snprintf(err.message, sizeof(err.message), "%s", "the patched object is too large");
    return st == LW_OK || refuse(write, st, &err);
}

/* What is wrong with a strategic merge patch; |why| is left done. */
static bool refuse_strategic(lw_write *write, lw_status st, lw_buf *why)
{
    switch (st) {
    case LW_ERR_NOMEM: (void)lw_write_fail(write, st); break;
    case LW_ERR_LIMIT: lw_api_status_too_large(&write->status, lw_buf_view(why)); break;
    case LW_ERR_INVALID: return lw_failure_bad_request(&write->status, why);
    case LW_ERR_UNSUPPORTED:
        lw_api_status_generic(&write->status, UNPROCESSABLE, lw_buf_view(why));
        break;
    default: lw_api_status_unclassified(&write->status, why); return false;
    }
    lw_buf_done(why);
    return false;
}

static const char *json_type_name(const lw_node *node)
{
    switch (lw_node_type(node)) {
    case LW_JSON_ARRAY: return "array";
    case LW_JSON_STRING: return "string";
    case LW_JSON_NUMBER: return "number";
    default: return "bool";
    }
}

/* What the patch is applied to. */
static lw_gvk document_gvk(const lw_write_call *wc)
{
    return wc->call->route.subresource == LW_SUB_SCALE ? lw_scale_gvk()
                                                       : lw_kind_gvk(wc->write.kind);
}

/* A value of another type is left to be found at fault. */
static void restore_text(lw_tree *tree, const char *member, lw_str text)
{
    const lw_node *now = lw_node_get(lw_tree_root(tree), lw_str_of(member));
    if (!now || lw_node_is(now, LW_JSON_STRING))
        lw_fields_set_text(tree, lw_tree_root(tree), member, text);
}

static bool apply_strategic(lw_write_call *wc, lw_tree *tree, const lw_node *patch)
{
    lw_buf why;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    if (lw_node_is(patch, LW_JSON_NULL)) /* as if it were {} */
        return true;
    if (!lw_node_is(patch, LW_JSON_OBJECT)) {
        lw_buf_printf(&why,
                      "json: cannot unmarshal %s into Go value of type map[string]interface {}",
                      json_type_name(patch));
        return lw_failure_bad_request(&wc->write.status, &why);
    }
    lw_str kind = lw_fields_text(lw_tree_root(tree), "kind");
    lw_str version = lw_fields_text(lw_tree_root(tree), "apiVersion");
    lw_status st = lw_strategic_patch_apply(tree, document_gvk(wc), patch, &why);
    if (st < 0)
        return refuse_strategic(&wc->write, st, &why);
    /* It is made for one type, whatever it says. */
    restore_text(tree, "kind", kind);
    restore_text(tree, "apiVersion", version);
    lw_buf_done(&why);
    return true;
}

bool lw_patch_takes_strategic(const lw_write_call *wc)
{
    return !(wc->write.kind->flags & LW_KIND_CUSTOM) && lw_strategic_patch_knows(document_gvk(wc));
}

bool lw_patch_apply(lw_write_call *wc, lw_tree *tree)
{
    const lw_node *patch = lw_tree_root(wc->body);
    lw_write *write = &wc->write;
    bool is_applied;
    if (wc->patch_type == LW_BODY_JSON_PATCH)
        is_applied = apply_json(write, tree, patch);
    else if (wc->patch_type == LW_BODY_STRATEGIC_PATCH)
        is_applied = apply_strategic(wc, tree, patch);
    else
        is_applied = apply_merge(write, tree, patch);
    if (!is_applied)
        return false;
    if (!lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT)) {
        lw_api_status_generic(&write->status, UNPROCESSABLE, LW_STR(""));
        return false;
    }
    bool is_scale = wc->call->route.subresource == LW_SUB_SCALE;
    return lw_field_validation_check_patched(wc->call, document_gvk(wc), wc->patch_type, tree,
                                             is_scale ? NULL : write->current, &write->status);
}
