/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_list.c -- merges the elements of two lists; strategic_order.c sorts them. */
#include "schema/strategicpatch/strategic_list.h"

#include "base/str.h"
#include "schema/strategicpatch/strategic_copy.h"
#include "schema/strategicpatch/strategic_error.h"
#include "schema/strategicpatch/strategic_order.h"

/* The merged elements of a live list and a patch list. */
typedef struct combination {
    lw_node *list;         /* not sorted yet */
    const lw_node *server; /* gives the order of elements that the patch does not name: */
    size_t server_count;   /* the number of its elements that count */
    size_t known_count;    /* the same if the patch has an order: see combine_by_key */
    bool is_replaced;      /* the patch replaces the list; the live elements do not count */
    bool is_final;         /* needs no sorting */
} combination;

/* Finds the common type of all elements of both lists. */
static lw_status common_form(lw_strategic_run *run, const lw_node *original, const lw_node *patch,
                             lw_go_form *out)
{
    size_t count = lw_node_count(original);
    size_t all = count + lw_node_count(patch);
    if (all == 0)
        return lw_strategic__refuse(run, LW_ERR_INTERNAL, "no elements in any of the given slices");
    for (size_t i = 0; i < all; i++) {
        lw_go_form form =
            lw_go_form_of(i < count ? lw_node_at(original, i) : lw_node_at(patch, i - count));
        if (i == 0 && form == LW_GO_LIST)
            return lw_strategic__refuse(run, LW_ERR_UNSUPPORTED,
                                        "lists of lists are not supported");
        if (form == LW_GO_NIL || (i > 0 && form != *out))
            return lw_strategic__mixed(run, original, patch);
        *out = form;
    }
    return LW_OK;
}

/* Appends to |list| the elements of |from| that are not in |leaving|. */
static void append_staying(lw_strategic_run *run, lw_node *list, const lw_node *from,
                           const lw_element_index *leaving, lw_str key)
{
    for (size_t i = 0; i < lw_node_count(from); i++) {
        lw_node *element = lw_node_at(from, i);
        if (lw_element_index_find(leaving, lw_element_value(element, key)) == LW_NO_POSITION)
            lw_node_append(run->tree, list, element);
    }
}

/* Removes the values of |patch| from the list. */
static lw_status delete_plain(lw_strategic_run *run, const lw_node *original, const lw_node *patch,
                              combination *out)
{
    lw_element_index leaving;
    out->list = lw_tree_array(run->tree);
    out->is_final = true;
    lw_status st =
        lw_element_index_of(&leaving, run->seed, patch, lw_node_count(patch), LW_STR(""));
    if (st == LW_OK)
        append_staying(run, out->list, original, &leaving, LW_STR(""));
    lw_element_index_done(&leaving);
    return st;
}

/* Merges scalars; each value occurs once. */
static lw_status combine_plain(lw_strategic_run *run, const lw_node *original, const lw_node *patch,
                               combination *out)
{
    size_t count = lw_node_count(original);
    size_t all = count + lw_node_count(patch);
    lw_element_index seen;
    out->list = lw_tree_array(run->tree);
    lw_status st = lw_element_index_init(&seen, run->seed, all);
    for (size_t i = 0; i < all && st == LW_OK; i++) {
        const lw_node *value = i < count ? lw_node_at(original, i) : lw_node_at(patch, i - count);
        if (lw_element_index_find(&seen, value) != LW_NO_POSITION)
            continue;
        lw_node_append(run->tree, out->list, lw_tree_copy(run->tree, value));
        st = lw_element_index_add(&seen, value, i);
    }
    lw_element_index_done(&seen);
    return st;
}

/* Reads the directives in |patch|: which elements it deletes, and whether it replaces the list. */
static lw_status read_marks(lw_strategic_run *run, const lw_node *patch, lw_str key,
                            lw_element_index *leaving, bool *is_replaced)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < lw_node_count(patch) && st == LW_OK; i++) {
        const lw_node *element = lw_node_at(patch, i);
        const lw_node *mark = lw_node_get(element, LW_PATCH_DIRECTIVE);
        lw_str word = lw_node_is(mark, LW_JSON_STRING) ? lw_node_text(mark) : LW_STR("");
        if (!mark)
            continue;
        if (lw_str_equal(word, LW_STR("delete"))) {
            const lw_node *value = lw_node_get(element, key);
            st = value ? lw_element_index_add(leaving, value, i)
                       : lw_strategic__no_key(run, element, key);
        } else if (lw_str_equal(word, LW_STR("replace"))) {
            *is_replaced = true;
        } else if (lw_str_equal(word, LW_STR("merge"))) {
            st = lw_strategic__refuse(run, LW_ERR_INTERNAL,
                                      "merging lists cannot yet be specified in the patch");
        } else {
            st = lw_strategic__bad_directive(run, mark, element);
        }
    }
    return st;
}

static bool is_mark(const lw_node *element)
{
    return lw_node_get(element, LW_PATCH_DIRECTIVE) != NULL;
}

/* Merges each element of |patch| into the element of |list| with the same key, or appends it. */
static lw_status merge_elements(lw_strategic_run *run, lw_node *list, const lw_node *patch,
                                const lw_strategic_rule *rule)
{
    size_t count = lw_node_count(list);
    lw_element_index there;
    lw_status st = lw_element_index_init(&there, run->seed, count + lw_node_count(patch));
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = lw_element_index_add(&there, lw_element_value(lw_node_at(list, i), rule->key), i);
    for (size_t i = 0; i < lw_node_count(patch) && st == LW_OK; i++) {
        const lw_node *element = lw_node_at(patch, i);
        const lw_node *value = lw_node_get(element, rule->key);
        size_t at = lw_element_index_find(&there, value);
        lw_node *merged = NULL;
        if (is_mark(element))
            continue;
        if (!value) {
            st = lw_strategic__no_key(run, element, rule->key);
        } else if (at != LW_NO_POSITION) {
            st =
                lw_strategic__merge_map(run, lw_node_at(list, at), element, rule->element, &merged);
            if (st == LW_OK)
                lw_node_set_at(list, at, merged);
        } else {
            st = lw_element_index_add(&there, value, lw_node_count(list));
            lw_node_append(run->tree, list, lw_strategic__copy(run->tree, element, LW_COPY_PLAIN));
        }
    }
    lw_element_index_done(&there);
    return st;
}

/* Merges maps by their key.  If the patch has an order, only the first elements of the merged list,
 * as many as the live list had, have a known position: new elements that took the place of deleted
 * ones follow those that remained. */
static lw_status combine_by_key(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                const lw_strategic_rule *rule, combination *out)
{
    lw_element_index leaving;
    out->list = lw_tree_array(run->tree);
    lw_status st = lw_element_index_init(&leaving, run->seed, lw_node_count(patch));
    if (st == LW_OK)
        st = read_marks(run, patch, rule->key, &leaving, &out->is_replaced);
    if (st == LW_OK && out->is_replaced) {
        for (size_t i = 0; i < lw_node_count(patch); i++) {
            const lw_node *element = lw_node_at(patch, i);
            if (!is_mark(element))
                lw_node_append(run->tree, out->list,
                               lw_strategic__copy(run->tree, element, LW_COPY_PLAIN));
        }
        out->server = out->list;
        out->server_count = lw_node_count(out->list);
    } else if (st == LW_OK) {
        size_t count = lw_node_count(original);
        append_staying(run, out->list, original, &leaving, rule->key);
        out->server = out->list;
        out->server_count = lw_node_count(out->list);
        st = merge_elements(run, out->list, patch, rule);
        size_t all = lw_node_count(out->list);
        out->known_count = all < count ? all : count;
    }
    lw_element_index_done(&leaving);
    return st;
}

static lw_status combine(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                         const lw_strategic_rule *rule, bool is_deletion, combination *out)
{
    lw_go_form form;
    size_t count = lw_node_count(original);
    *out = (combination){ .server = original, .server_count = count, .known_count = count };
    lw_status st = lw_strategic__charge(run, count + lw_node_count(patch));
    if (st < 0)
        return st;
    if (!rule->is_merged && !is_deletion) {
        out->list = lw_strategic__copy(run->tree, patch, LW_COPY_PLAIN);
        out->is_final = true;
        return LW_OK;
    }
    if (count + lw_node_count(patch) == 0) {
        out->list = original;
        out->is_final = true;
        return LW_OK;
    }
    st = common_form(run, original, patch, &form);
    if (st < 0)
        return st;
    if (form != LW_GO_MAP)
        return is_deletion ? delete_plain(run, original, patch, out)
                           : combine_plain(run, original, patch, out);
    if (rule->key.len == 0)
        return lw_strategic__keyless(run, rule->element);
    return combine_by_key(run, original, patch, rule, out);
}

/* Indexes the elements of |patch| that are not directives. */
static lw_status index_patch(lw_strategic_run *run, const lw_node *patch, lw_str key,
                             lw_element_index *out)
{
    lw_status st = lw_element_index_init(out, run->seed, lw_node_count(patch));
    for (size_t i = 0; i < lw_node_count(patch) && st == LW_OK; i++) {
        const lw_node *element = lw_node_at(patch, i);
        if (key.len == 0 || !is_mark(element))
            st = lw_element_index_add(out, lw_element_value(element, key), i);
    }
    return st;
}

lw_status lw_strategic__merge_list(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                   const lw_strategic_rule *rule, bool is_deletion, lw_node **out)
{
    combination all;
    lw_element_index wanted, server;
    lw_status st = combine(run, original, patch, rule, is_deletion, &all);
    if (st < 0)
        return st;
    *out = all.list;
    if (all.is_final)
        return LW_OK;
    st = index_patch(run, all.is_replaced ? NULL : patch, rule->key, &wanted);
    lw_status indexed =
        lw_element_index_of(&server, run->seed, all.server, all.server_count, rule->key);
    const lw_strategic_order order = { rule->key, &wanted, &server, LW_NO_POSITION };
    if (st == LW_OK)
        st = indexed;
    if (st == LW_OK)
        st = lw_strategic__arrange(run, all.list, &order);
    lw_element_index_done(&wanted);
    lw_element_index_done(&server);
    return st;
}

static size_t first_non_map(const lw_node *list)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (!lw_node_is(lw_node_at(list, i), LW_JSON_OBJECT))
            return i;
    }
    return LW_NO_POSITION;
}

/* Sorts the elements of |all| by the list |wanted_list|. */
static lw_status arrange_by(lw_strategic_run *run, const combination *all,
                            const lw_node *wanted_list, lw_str key)
{
    lw_element_index wanted, server;
    lw_status st =
        lw_element_index_of(&wanted, run->seed, wanted_list, lw_node_count(wanted_list), key);
    lw_status indexed = lw_element_index_of(&server, run->seed, all->server, all->known_count, key);
    const lw_strategic_order order = { key, &wanted, &server,
                                       key.len > 0 ? first_non_map(wanted_list) : LW_NO_POSITION };
    if (st == LW_OK)
        st = indexed;
    if (st == LW_OK)
        st = lw_strategic__arrange(run, all->list, &order);
    lw_element_index_done(&wanted);
    lw_element_index_done(&server);
    return st;
}

lw_status lw_strategic__order_list(lw_strategic_run *run, lw_node *original, const lw_node *patch,
                                   const lw_node *order, const lw_strategic_rule *rule,
                                   lw_node **out)
{
    combination all = { .list = original, .server = original };
    lw_go_form form;
    size_t count = lw_node_count(original);
    lw_status st = lw_strategic__charge(run, count + lw_node_count(order));
    if (st == LW_OK)
        st = lw_strategic__check_order(run, patch, order, rule->key);
    *out = NULL;
    if (st < 0 || (count == 0 && !patch))
        return st;
    all.known_count = count;
    if (!original)
        all.list = lw_strategic__copy(run->tree, patch, LW_COPY_UNMARKED);
    else if (patch)
        st = combine(run, original, patch, rule, false, &all);
    if (all.is_replaced) {
        all.server = original;
        all.known_count = count;
    }
    if (st == LW_OK)
        st = arrange_by(run, &all, order, rule->key);
    if (st == LW_OK)
        st = common_form(run, original, patch, &form);
    if (st == LW_OK && form == LW_GO_MAP && rule->key.len > 0) {
        st = lw_strategic__check_keys(run, order, rule->key);
        if (st == LW_OK)
            st = lw_strategic__check_keys(run, original, rule->key);
    }
    *out = all.list;
    return st;
}
