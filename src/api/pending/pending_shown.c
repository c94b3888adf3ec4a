/* SPDX-License-Identifier: Apache-2.0 */
/* pending_shown.c -- a pending object in the middle of its admission: shown to others, and replaced
 * by what they have made of it. */
#include "api/pending/pending_object.h"

#include "base/str.h"
#include "object/gvk.h"
#include "object/object.h"
#include "schema/kinds/conversion.h"
#include "schema/kinds/definition.h"
#include "schema/managedfields/managed_fields.h"
#include "schema/types/type.h"
#include "schema/validation/typed.h"
#include "json/fields.h"

enum {
    SHOWN_MAX = 32 * 1024 * 1024,
    SHOWN_USUAL = 2048, /* bytes of most objects without managedFields */
    VERSION_MAX = 1024,
};

static bool is_same(const lw_kind *a, const lw_kind *b)
{
    return lw_str_equal(a->group, b->group) && lw_str_equal(a->version, b->version);
}

static lw_status put_api_version(lw_tree *tree, lw_node *root, const lw_kind *kind)
{
    lw_buf text;
    lw_buf_init(&text, VERSION_MAX);
    lw_api_version_append(&text, kind->group, kind->version);
    lw_fields_set_text(tree, root, "apiVersion", lw_buf_view(&text));
    lw_status st = text.st;
    lw_buf_done(&text);
    return st;
}

/* Opens a sealed copy of |pending|, with its metadata. */
static lw_status open_copy(const lw_pending_object *pending, unsigned left_out,
                           lw_pending_object *copy)
{
    static const char *const identity[] = { "uid", "creationTimestamp", "generation" };
    *copy = (lw_pending_object){ .port = pending->port,
                                 .kind = pending->kind,
                                 .managed = pending->managed, /* borrowed */
                                 .is_copy = true,
                                 .is_read = pending->is_read,
                                 .is_sealed = pending->is_sealed,
                                 .revision = pending->revision };
    lw_status st = lw_tree_new(&copy->tree, 0);
    if (st < 0)
        return st;
    lw_tree_set_budget(copy->tree, lw_tree_budget(pending->tree));
    copy->root = lw_tree_share(copy->tree, pending->root);
    copy->metadata = lw_fields_object(copy->tree, copy->root, "metadata");
    for (size_t i = 0; left_out & LW_SHOW_WITHOUT_IDENTITY && i < 3; i++)
        lw_fields_remove(copy->metadata, identity[i]);
    if (left_out & LW_SHOW_WITHOUT_NAME)
        lw_fields_remove(copy->metadata, "name");
    lw_pending_object_seal(copy);
    return lw_pending_object_state(copy);
}

/* Shows a sealed copy in another version than that of the request: the way of stored objects. */
static lw_status show_converted(const lw_pending_object *copy, const lw_kind *as, lw_buf *out)
{
    lw_object *stored = NULL;
    if (copy->revision.len > 0)
        lw_fields_set_text(copy->tree, copy->metadata, "resourceVersion", copy->revision);
    lw_status st = lw_pending_object_take(copy, copy->revision.len > 0, &stored);
    if (st == LW_OK)
        lw_kind_append_object(as, stored, out);
    lw_object_unref(stored);
    return st < 0 ? st : out->st;
}

/* Writes a sealed document, with the resourceVersion it had. */
static lw_status write_sealed(const lw_pending_object *pending, const lw_kind *as, lw_buf *out)
{
    lw_pending_object shown = *pending; /* borrowed */
    lw_json_writer w;
    lw_buf version;
    shown.echoed = pending->revision;
    lw_buf_init(&version, VERSION_MAX);
    lw_api_version_append(&version, as->group, as->version);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    (void)lw_buf_reserve(out, pending->managed.len + SHOWN_USUAL);
    lw_pending_object__write(&shown, shown.root, false, lw_buf_view(&version), &w);
    lw_status st = version.st < 0 ? version.st : lw_json_writer_status(&w);
    lw_buf_done(&version);
    return st;
}

lw_status lw_pending_object_show(const lw_pending_object *pending, const lw_kind *as,
                                 unsigned left_out, lw_buf *out)
{
    lw_pending_object copy = { .root = NULL };
    lw_status st = open_copy(pending, left_out, &copy);
    if (st == LW_OK)
        st = is_same(pending->kind, as) ? write_sealed(&copy, as, out)
                                        : show_converted(&copy, as, out);
    lw_tree_free(copy.tree);
    return st;
}

/* True if the sealed document is stored as |as| shows it. */
static bool is_stored_as(const lw_pending_object *pending, const lw_kind *as)
{
    lw_str group = LW_STR(""), version = LW_STR("");
    return !pending->kind->conversion &&
           lw_api_version_parse(lw_fields_text(pending->root, "apiVersion"), &group, &version,
                                NULL) == LW_OK &&
           lw_str_equal(group, as->group) && lw_str_equal(version, as->version);
}

lw_status lw_pending_object_show_sealed(lw_pending_object *pending, const lw_kind *as, lw_buf *out)
{
    if (!is_same(pending->kind, as) || lw_pending_object__storage_schema(pending))
        return lw_pending_object_show(pending, as, 0, out);
    lw_pending_object_seal(pending);
    lw_status st = lw_pending_object_state(pending);
    if (st < 0 || !is_stored_as(pending, as))
        return st < 0 ? st : write_sealed(pending, as, out);
    if (!pending->made)
        st = lw_pending_object_take(pending, true, &pending->made);
    if (st < 0)
        return st;
    lw_object__append_with_revision(pending->made, pending->revision, out);
    return out->st;
}

lw_status lw_pending_object_keep(lw_pending_object *pending)
{
    lw_tree *tree = NULL, *old_tree = NULL;
    lw_status st = lw_tree_new(&tree, 0);
    if (st == LW_OK && pending->old)
        st = lw_tree_new(&old_tree, 0);
    if (st == LW_OK) {
        lw_tree_set_budget(tree, lw_tree_budget(pending->tree));
        pending->root = lw_tree_copy(tree, pending->root);
        pending->metadata = lw_node_get(pending->root, LW_STR("metadata"));
        pending->old = old_tree ? lw_tree_copy(old_tree, pending->old) : NULL;
        st = old_tree && lw_tree_status(old_tree) < 0 ? lw_tree_status(old_tree)
                                                      : lw_tree_status(tree);
    }
    if (st < 0) {
        lw_tree_free(tree);
        lw_tree_free(old_tree);
        return st;
    }
    lw_pending_object__drop_tree(pending);
    lw_tree_free(pending->old_tree);
    pending->tree = tree;
    pending->old_tree = old_tree;
    pending->lent_tree = NULL;
    return LW_OK;
}

/* Makes of |*tree|, an object of |as|, one of |kind|, which shows the same stored objects. */
static lw_status convert_back(lw_tree **tree, const lw_kind *as, const lw_kind *kind)
{
    const lw_read_options options = { .keeps_managed_fields = true };
    lw_node *root = lw_tree_root(*tree);
    lw_object *stored = NULL;
    lw_tree *converted = NULL;
    lw_buf json;
    lw_json_writer w;
    if (kind->custom)
        return put_api_version(*tree, root, kind);
    lw_status st = as->conversion ? lw_kind_to_stored(as, *tree, &root) : LW_OK;
    if (st < 0)
        return st;
    lw_buf_init(&json, SHOWN_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(root, &w);
    st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = lw_object_from_json_with(&stored, json.data, json.len, &options, NULL);
    if (st == LW_OK) {
        lw_buf_reset(&json);
        lw_kind_append_object(kind, stored, &json);
        st = json.st;
    }
    if (st == LW_OK)
        st = lw_tree_parse(&converted, lw_buf_view(&json), 0, NULL);
    lw_object_unref(stored);
    lw_buf_done(&json);
    if (st == LW_OK) {
        lw_tree_free(*tree);
        *tree = converted;
    }
    return st;
}

/* The managers as they are now, in |tree|; NULL: none. */
static lw_status copy_managers(const lw_pending_object *from, lw_tree *tree, lw_node **out)
{
    *out = NULL;
    if (from->managed.len > 0)
        return lw_tree_parse_node(tree, lw_buf_view(&from->managed), out, NULL);
    const lw_node *managers = lw_node_get(from->metadata, LW_STR("managedFields"));
    if (managers)
        *out = lw_tree_copy(tree, managers);
    return lw_tree_status(tree);
}

/* LW_ERR_INVALID: |list| cannot be read; |why| (may be NULL) says what is wrong. */
static lw_status check_managers(lw_tree *tree, const lw_node *list, lw_buf *why)
{
    lw_error err = LW_ERROR_INIT;
    lw_managers managers;
    lw_managers_init(&managers, tree);
    lw_status st = lw_managers_read(&managers, list, &err);
    lw_managers_done(&managers);
    if (st == LW_ERR_NOMEM)
        return st;
    if (st < 0 && why)
        lw_buf_append_text(why, err.message);
    return st < 0 ? LW_ERR_INVALID : LW_OK;
}

/* Takes the managers of the changed document |root| in |tree|, or keeps those of |to| in it. */
static lw_status take_managers(lw_pending_object *to, lw_tree *tree, lw_node *root, lw_buf *why)
{
    lw_node *metadata = lw_fields_object(tree, root, "metadata"), *before = NULL;
    const lw_node *now = lw_node_get(metadata, LW_STR("managedFields"));
    lw_status st = copy_managers(to, tree, &before);
    if (st < 0)
        return st;
    bool is_same = lw_node_equal(now, before);
    st = is_same ? LW_OK : check_managers(tree, now, why);
    if (st == LW_OK && !is_same) {
        lw_buf_reset(&to->managed);
        return LW_OK;
    }
    lw_fields_remove(metadata, "managedFields");
    if (before && to->managed.len == 0)
        lw_node_put(tree, metadata, LW_STR("managedFields"), before);
    return st == LW_ERR_INVALID ? LW_OK : st;
}

void lw_pending_object_shape(const lw_pending_object *pending)
{
    const lw_structural *schema = pending->kind->custom ? pending->kind->custom->schema : NULL;
    if (!schema)
        return;
    (void)lw_tree_charge_pass(pending->tree);
    lw_structural_prune(schema, pending->root);
    lw_structural_default(schema, pending->tree, pending->root);
}

lw_status lw_pending_object_replace(lw_pending_object *pending, const lw_kind *as, lw_tree *tree,
                                    lw_buf *why, lw_buf *managers)
{
    lw_status st = LW_OK;
    if (!lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT)) {
        lw_buf_append_text(why, "the patched object is not a JSON object");
        st = LW_ERR_INVALID;
    }
    if (st == LW_OK && !is_same(as, pending->kind))
        st = convert_back(&tree, as, pending->kind);
    if (st == LW_OK)
        st = take_managers(pending, tree, lw_tree_root(tree), managers);
    if (st < 0) {
        lw_tree_free(tree);
        return st;
    }
    lw_tree_set_budget(tree, lw_tree_budget(pending->tree));
    lw_pending_object__drop_tree(pending);
    pending->tree = tree;
    pending->root = lw_tree_root(tree);
    pending->metadata = lw_node_get(pending->root, LW_STR("metadata"));
    if (!lw_pending_object_check_types(pending, why) ||
        !lw_pending_object_check_values(pending, why))
        return why->st == LW_ERR_NOMEM ? why->st : LW_ERR_INVALID;
    const lw_type *type = pending->is_read ? lw_type_of_kind(lw_kind_gvk(pending->kind)) : NULL;
    if (type) {
        lw_typed_read(tree, type, pending->root);
        pending->metadata = lw_fields_object(tree, pending->root, "metadata");
    }
    lw_pending_object_shape(pending);
    return lw_pending_object_state(pending);
}
