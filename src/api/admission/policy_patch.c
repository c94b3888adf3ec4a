/* SPDX-License-Identifier: Apache-2.0 */
/* policy_patch.c -- ApplyConfiguration and JSONPatch.
 *
 * Both work on a copy of the object in the form in which it is written, so that a failure leaves
 * the object as it was. */
#include "api/admission/policy_patch.h"

#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/managedfields/field_check.h"
#include "schema/managedfields/field_merge.h"
#include "schema/managedfields/field_place.h"
#include "schema/structural/structural.h"
#include "schema/validation/typed.h"
#include "json/fields.h"
#include "json/patch.h"

enum {
    TEXT_MAX = 64 * 1024,
};

static const lw_type *built_in_type(const lw_pending_object *pending)
{
    return pending->kind->custom ? NULL : lw_type_of_kind(lw_kind_gvk(pending->kind));
}

/* The type along which objects are merged. */
static const lw_type *merge_type(const lw_pending_object *pending)
{
    const lw_custom *custom = pending->kind->custom;
    return custom ? lw_structural_types_root(custom->types) : built_in_type(pending);
}

/* A copy of the object as it would be written. */
static lw_node *written(const lw_pending_object *pending, lw_tree *tree)
{
    lw_node *copy = lw_tree_copy(tree, pending->root);
    const lw_type *type = built_in_type(pending);
    if (type)
        (void)lw_typed_write(tree, type, copy);
    return copy;
}

/* Replaces the object with |root|, of another tree. */
static lw_status replace(lw_pending_object *pending, const lw_node *root, lw_buf *why)
{
    const lw_type *type = built_in_type(pending);
    const lw_custom *custom = pending->kind->custom;
    lw_node *copy = lw_tree_copy(pending->tree, root);
    lw_node *metadata = lw_node_get(copy, LW_STR("metadata"));
    if (!copy)
        return lw_tree_status(pending->tree);
    if (!lw_node_is(metadata, LW_JSON_OBJECT)) {
        lw_buf_append_text(why, "the patched object has no metadata");
        return LW_ERR_INVALID;
    }
    lw_node *before = pending->root, *before_metadata = pending->metadata;
    pending->root = copy;
    pending->metadata = metadata;
    if (!lw_pending_object_check_types(pending, why) ||
        !lw_pending_object_check_values(pending, why)) {
        pending->root = before;
        pending->metadata = before_metadata;
        return LW_ERR_INVALID;
    }
    lw_tree_set_root(pending->tree, copy);
    if (type)
        lw_typed_read(pending->tree, type, copy);
    if (custom && custom->schema) {
        lw_structural_prune(custom->schema, copy);
        lw_structural_default(custom->schema, pending->tree, copy);
    }
    return lw_pending_object_state(pending);
}

/* A walk through an apply configuration in search of values that would be replaced as a whole. */
typedef struct atomics {
    lw_buf path;
    lw_buf *found;
    size_t count;
} atomics;

static void find_atomics(atomics *a, lw_place place, const lw_node *value, unsigned depth)
{
    bool is_object = lw_node_is(value, LW_JSON_OBJECT), is_array = lw_node_is(value, LW_JSON_ARRAY);
    size_t before = a->path.len;
    lw_place inner;
    if ((!is_object && !is_array) || !place.type || depth > LW_FIELD_DEPTH)
        return;
    if (lw_place_shape(place, value) == LW_SHAPE_LEAF) {
        lw_buf_append_text(a->found, a->count++ > 0 ? ", " : "");
        lw_buf_append_str(a->found, lw_buf_view(&a->path));
    }
    for (size_t i = 0; i < lw_node_count(value); i++) {
        if (is_object && !lw_place_member(place, lw_node_key_at(value, i), &inner))
            continue;
        if (is_object)
            lw_buf_printf(&a->path, ".%.*s", LW_STR_ARG(lw_node_key_at(value, i)));
        else
            lw_buf_printf(&a->path, "[%zu]", i);
        find_atomics(a, is_object ? inner : lw_place_item(place), lw_node_at(value, i), depth + 1);
        lw_buf_truncate(&a->path, before);
    }
}

/* Refuses a configuration that would remove what it does not name. */
static lw_status check_atomics(const lw_type *type, const lw_node *config, lw_buf *why)
{
    lw_buf found;
    lw_buf_init(&found, TEXT_MAX);
    atomics a = { .found = &found };
    lw_buf_init(&a.path, TEXT_MAX);
    find_atomics(&a, (lw_place){ type, NULL }, config, 0);
    lw_status st = a.path.st == LW_ERR_NOMEM || found.st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_OK;
    if (st == LW_OK && a.count > 0) {
        lw_buf_append_text(why, "error applying patch: invalid ApplyConfiguration: may not mutate "
                                "atomic arrays, maps or structs: ");
        lw_buf_append_str(why, lw_buf_view(&found));
        st = LW_ERR_INVALID;
    }
    lw_buf_done(&a.path);
    lw_buf_done(&found);
    return st;
}

lw_status lw_policy_patch_apply(lw_pending_object *pending, lw_tree *scratch, lw_node *config,
                                lw_buf *why)
{
    const lw_type *type = merge_type(pending);
    lw_node *merged = NULL, *live = written(pending, scratch);
    size_t before = why->len;
    lw_fields_set_text(scratch, config, "apiVersion", lw_fields_text(pending->root, "apiVersion"));
    lw_fields_set_text(scratch, config, "kind", lw_fields_text(pending->root, "kind"));
    lw_buf_append_text(why,
                       "error applying patch: failed to convert patch object to typed object: ");
    if (!lw_field_check(scratch, type, config, why))
        return why->st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_ERR_INVALID;
    lw_buf_truncate(why, before);
    lw_status st = check_atomics(type, config, why);
    if (st == LW_OK)
        st = lw_field_merge(scratch, type, live, config, &merged);
    if (st == LW_OK)
        st = lw_tree_status(scratch);
    return st == LW_OK ? replace(pending, merged, why) : st;
}

lw_status lw_policy_patch_json(lw_pending_object *pending, lw_tree *scratch, const lw_node *patch,
                               lw_buf *why)
{
    lw_error err = LW_ERROR_INIT;
    lw_tree_set_root(scratch, written(pending, scratch));
    lw_status st = lw_tree_status(scratch);
    if (st == LW_OK)
        st = lw_json_patch_apply(scratch, patch, &err);
    if (st == LW_ERR_TEST_FAILED)
        return LW_OK;
    if (st == LW_ERR_INVALID || st == LW_ERR_NOT_FOUND) {
        lw_buf_printf(why, "JSON Patch: %s", err.message);
        return LW_ERR_INVALID;
    }
    return st == LW_OK ? replace(pending, lw_tree_root(scratch), why) : st;
}
