/* SPDX-License-Identifier: Apache-2.0 */
/* conversion.c -- what all conversions have in common. */
#include "schema/kinds/conversion.h"

#include "base/str.h"
#include "schema/types/type.h"
#include "schema/validation/typed.h"

enum {
    VERSION_MAX = 1024, /* bytes of an apiVersion */
};

typedef lw_status (*convert_fn)(lw_tree *tree, lw_node *from, lw_node *to);

/* An object of |kind| with the metadata of |from| and nothing else. */
static lw_status begin(const lw_kind *kind, lw_tree *tree, const lw_node *from, lw_node **out)
{
    lw_node *to = lw_tree_object(tree);
    lw_buf version;
    lw_buf_init(&version, VERSION_MAX);
    lw_kind_append_storage_version(kind, &version);
    lw_status st = version.st;
    if (st == LW_OK) {
        lw_node_put(tree, to, LW_STR("kind"), lw_tree_string(tree, kind->kind));
        lw_node_put(tree, to, LW_STR("apiVersion"), lw_tree_string(tree, lw_buf_view(&version)));
        lw_node_put(tree, to, LW_STR("metadata"), lw_node_get(from, LW_STR("metadata")));
        st = lw_tree_status(tree);
    }
    lw_buf_done(&version);
    *out = to;
    return st;
}

/* Makes of |*object| an object of |kind|.  Members that one version writes when they are empty may
 * be omitted in the other. */
static lw_status convert(const lw_kind *kind, convert_fn fn, lw_tree *tree, lw_node **object)
{
    const lw_type *type = lw_type_of_kind(lw_kind_gvk(kind));
    lw_node *to = NULL;
    lw_status st = begin(kind, tree, *object, &to);
    if (st == LW_OK)
        st = fn(tree, *object, to);
    if (st < 0)
        return st;
    lw_typed_read(tree, type, to);
    (void)lw_typed_write(tree, type, to);
    *object = to;
    return lw_tree_status(tree);
}

lw_status lw_kind_to_stored(const lw_kind *kind, lw_tree *tree, lw_node **object)
{
    return convert(kind->stored_as, kind->conversion->to_stored, tree, object);
}

lw_status lw_kind_parse_converted(const lw_kind *kind, const lw_object *obj, lw_budget *budget,
                                  lw_tree **out)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse_within(&tree, lw_object_json(obj), 0, budget, NULL);
    if (st < 0)
        return st;
    lw_node *root = lw_tree_root(tree);
    st = convert(kind, kind->conversion->from_stored, tree, &root);
    if (st < 0) {
        lw_tree_free(tree);
        return st;
    }
    lw_tree_set_root(tree, root);
    *out = tree;
    return LW_OK;
}
