/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_patch.c -- maps in a strategic merge patch: their members and directives.
 *
 * The behaviour is that of k8s.io/apimachinery/pkg/util/strategicpatch, with one exception: where
 * that fails because a type is unknown, the patch is merged without a type.  The recursion is as
 * deep as the patch: at most LW_TREE_DEPTH. */
#include "schema/strategicpatch/strategic_patch.h"

#include "base/str.h"
#include "schema/strategicpatch/strategic_copy.h"
#include "schema/strategicpatch/strategic_error.h"
#include "schema/strategicpatch/strategic_list.h"
#include "schema/strategicpatch/strategic_run.h"

lw_status lw_strategic__charge(lw_strategic_run *run, size_t count)
{
    if (count > LW_STRATEGIC_PATCH_MAX_WALKED - run->walked) {
        lw_buf_printf(run->why,
                      "the patch visits more than %d list elements: split it into smaller patches",
                      LW_STRATEGIC_PATCH_MAX_WALKED);
        return run->why->st == LW_ERR_NOMEM ? LW_ERR_NOMEM : LW_ERR_LIMIT;
    }
    run->walked += count;
    (void)lw_tree_charge(run->tree, count);
    return lw_tree_status(run->tree);
}

/* Finds the field of a directive "PREFIX/field"; false: it is another name. */
static bool directive_field(lw_str name, lw_str prefix, lw_str *field)
{
    lw_str head;
    return lw_str_cut(name, '/', &head, field) && lw_str_equal(head, prefix);
}

/* Applies $patch in a map. */
static lw_status obey_directive(lw_strategic_run *run, const lw_node *directive,
                                const lw_node *patch, lw_node **out)
{
    lw_str word = lw_node_is(directive, LW_JSON_STRING) ? lw_node_text(directive) : LW_STR("");
    if (lw_str_equal(word, LW_STR("replace")))
        *out = lw_strategic__copy(run->tree, patch, LW_COPY_PLAIN);
    else if (lw_str_equal(word, LW_STR("delete")))
        *out = lw_tree_object(run->tree);
    else
        return lw_strategic__bad_directive(run, directive, patch);
    return LW_OK;
}

/* True if every member that the patch sets is in |kept|. */
static bool sets_only(const lw_node *patch, const lw_node *kept)
{
    for (size_t i = 0; i < lw_node_count(patch); i++) {
        lw_str name = lw_node_key_at(patch, i);
        if (!lw_node_is(lw_node_at(patch, i), LW_JSON_NULL) && !lw_node_get(kept, name) &&
            !lw_str_equal(name, LW_RETAIN_KEYS) && !lw_str_starts_with(name, LW_DELETE_FROM_LIST) &&
            !lw_str_starts_with(name, LW_SET_ELEMENT_ORDER))
            return false;
    }
    return true;
}

/* Applies $retainKeys: |*original| becomes a map of only those members. */
static lw_status retain_keys(lw_strategic_run *run, lw_node **original, const lw_node *patch)
{
    static const char malformed[] = "invalid patch format of retainKeys";
    const lw_node *names = lw_node_get(patch, LW_RETAIN_KEYS);
    if (!names)
        return LW_OK;
    if (!lw_node_is(names, LW_JSON_ARRAY))
        return lw_strategic__refuse(run, LW_ERR_INVALID, malformed);
    lw_status st = lw_strategic__charge(run, lw_node_count(names) + lw_node_count(*original));
    if (st < 0)
        return st;
    lw_node *kept = lw_tree_object(run->tree);
    lw_node *retained = lw_tree_object(run->tree);
    for (size_t i = 0; i < lw_node_count(names); i++) {
        if (lw_node_is(lw_node_at(names, i), LW_JSON_STRING))
            lw_node_put(run->tree, kept, lw_node_text(lw_node_at(names, i)),
                        lw_tree_null(run->tree));
    }
    if (lw_tree_status(run->tree) == LW_OK && !sets_only(patch, kept))
        return lw_strategic__refuse(run, LW_ERR_INVALID, malformed);
    for (size_t i = 0; i < lw_node_count(*original); i++) {
        if (lw_node_get(kept, lw_node_key_at(*original, i)))
            lw_node_put(run->tree, retained, lw_node_key_at(*original, i),
                        lw_node_at(*original, i));
    }
    *original = retained;
    return LW_OK;
}

static const lw_field *field_of(const lw_type *type, lw_str name)
{
    return type ? lw_type_field(type, name) : NULL;
}

static lw_strategic_rule rule_of(const lw_field *field)
{
    lw_strategic_rule rule = { .key = LW_STR("") };
    if (field && field->type->form == LW_TYPE_LIST) {
        rule.is_merged = (field->flags & LW_FIELD_PATCH_MERGE) != 0;
        rule.element = field->type->element;
        if (field->rules)
            rule.key = field->rules->patch_key;
    }
    return rule;
}

/* Applies $setElementOrder/|name|: also merges the list with that name. */
static lw_status order_member(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                              const lw_type *type, lw_str directive, const lw_node *order)
{
    lw_str name;
    lw_node *ordered;
    if (!lw_node_is(order, LW_JSON_ARRAY))
        return lw_strategic__bad_type(run, LW_GO_LIST, order);
    if (!directive_field(directive, LW_SET_ELEMENT_ORDER, &name))
        return lw_strategic__refuse(run, LW_ERR_INVALID,
                                    "invalid patch format of setElementOrder list");
    lw_node *there = lw_node_get(original, name);
    const lw_node *change = lw_node_get(patch, name);
    if (there && !lw_node_is(there, LW_JSON_ARRAY))
        return lw_strategic__bad_type(run, LW_GO_LIST, there);
    if (change && !lw_node_is(change, LW_JSON_ARRAY))
        return lw_strategic__bad_type(run, LW_GO_LIST, change);
    const lw_field *field = field_of(type, name);
    if (!field)
        return lw_strategic__no_field(run, type, name);
    const lw_strategic_rule rule = rule_of(field);
    lw_status st = lw_strategic__order_list(run, there, change, order, &rule, &ordered);
    if (st == LW_OK)
        lw_node_put(run->tree, original, name, ordered);
    return st;
}

/* Merges the lists that have an order first; |*has_orders| is set if there are any. */
static lw_status merge_ordered(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                               const lw_type *type, bool *has_orders)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < lw_node_count(patch) && st == LW_OK; i++) {
        lw_str name = lw_node_key_at(patch, i);
        if (!lw_str_starts_with(name, LW_SET_ELEMENT_ORDER))
            continue;
        *has_orders = true;
        st = order_member(run, original, patch, type, name, lw_node_at(patch, i));
    }
    return st;
}

/* Merges |value| into |there|; both are maps or both are lists. */
static lw_status merge_containers(lw_strategic_run *run, lw_node *there, const lw_node *value,
                                  const lw_field *field, bool is_deletion, lw_node **out)
{
    if (lw_node_is(value, LW_JSON_ARRAY)) {
        const lw_strategic_rule rule = rule_of(field);
        return lw_strategic__merge_list(run, there, value, &rule, is_deletion, out);
    }
    if (field && (field->flags & LW_FIELD_PATCH_REPLACE)) {
        *out = lw_strategic__copy(run->tree, value, LW_COPY_PLAIN);
        return LW_OK;
    }
    return lw_strategic__merge_map(run, there, value, field ? field->type : NULL, out);
}

static lw_status merge_member(lw_strategic_run *run, lw_node *original, const lw_type *type,
                              lw_str name, const lw_node *value, bool is_deletion)
{
    lw_node *there = lw_node_get(original, name);
    lw_go_form form = lw_go_form_of(value);
    bool is_container = form == LW_GO_MAP || form == LW_GO_LIST;
    lw_node *merged = NULL;
    lw_status st = LW_OK;
    if (form == LW_GO_NIL) {
        (void)lw_node_remove(original, name);
        return LW_OK;
    }
    if (there && is_container && form == lw_go_form_of(there)) {
        const lw_field *field = field_of(type, name);
        if (is_deletion && !field)
            return lw_strategic__no_field(run, type, name);
        st = merge_containers(run, there, value, field, is_deletion, &merged);
    } else if (is_deletion) {
        return LW_OK;
    } else {
        merged = lw_strategic__copy(run->tree, value, LW_COPY_NEW_VALUE);
    }
    if (st == LW_OK && merged)
        lw_node_put(run->tree, original, name, merged);
    else if (st == LW_OK && lw_tree_status(run->tree) == LW_OK)
        (void)lw_node_remove(original, name);
    return st;
}

/* True if |name| is a list that was merged together with its order. */
static bool is_ordered(lw_strategic_run *run, const lw_node *patch, lw_str name, lw_status *st)
{
    lw_buf_reset(&run->name);
    lw_buf_append_str(&run->name, LW_SET_ELEMENT_ORDER);
    lw_buf_append_char(&run->name, '/');
    lw_buf_append_str(&run->name, name);
    *st = run->name.st;
    return *st == LW_OK && lw_node_get(patch, lw_buf_view(&run->name)) != NULL;
}

static lw_status merge_members(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                               const lw_type *type, bool has_orders)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < lw_node_count(patch) && st == LW_OK; i++) {
        lw_str name = lw_node_key_at(patch, i);
        lw_str field = name;
        const lw_node *value = lw_node_at(patch, i);
        bool is_deletion = lw_str_starts_with(name, LW_DELETE_FROM_LIST);
        if (is_deletion && !directive_field(name, LW_DELETE_FROM_LIST, &field))
            return lw_strategic__refuse(run, LW_ERR_INVALID,
                                        "invalid patch format of primitive list");
        if (!is_deletion &&
            (lw_strategic__is_directive(name) || (has_orders && is_ordered(run, patch, name, &st))))
            continue;
        if (st == LW_OK)
            st = merge_member(run, original, type, field, value, is_deletion);
        if (st == LW_OK)
            st = lw_tree_status(run->tree);
    }
    return st;
}

lw_status lw_strategic__merge_map(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                  const lw_type *type, lw_node **out)
{
    const lw_node *directive = lw_node_get(patch, LW_PATCH_DIRECTIVE);
    bool has_orders = false;
    if (directive)
        return obey_directive(run, directive, patch, out);
    lw_status st = retain_keys(run, &original, patch);
    lw_node_reserve(run->tree, original, lw_node_count(patch));
    if (st == LW_OK)
        st = merge_ordered(run, original, patch, type, &has_orders);
    if (st == LW_OK)
        st = merge_members(run, original, patch, type, has_orders);
    *out = original;
    return st;
}

bool lw_strategic_patch_knows(lw_gvk gvk)
{
    return lw_type_of_kind(gvk) != NULL;
}

lw_status lw_strategic_patch_apply(lw_tree *tree, lw_gvk gvk, const lw_node *patch, lw_buf *why)
{
    lw_node *root = NULL;
    const lw_type *type = lw_type_of_kind(gvk);
    lw_strategic_run run = { .tree = tree, .why = why, .seed = lw_hash_seed_random() };
    if (!type)
        return lw_strategic__refuse(&run, LW_ERR_NOT_FOUND,
                                    "strategic merge patch format is not supported");
    lw_buf_init(&run.name, UINT32_MAX); /* no string of a node is longer */
    lw_status st = lw_strategic__merge_map(&run, lw_tree_root(tree), patch, type, &root);
    lw_buf_done(&run.name);
    if (st == LW_OK)
        lw_tree_set_root(tree, root);
    /* Once the tree has failed, other errors are consequences. */
    if (lw_tree_status(tree) < 0) {
        st = lw_tree_status(tree);
        lw_buf_reset(why);
        lw_buf_append_text(why, "the patched document is too large");
    }
    return st;
}
