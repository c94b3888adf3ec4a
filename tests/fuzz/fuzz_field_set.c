/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_field_set.c -- untrusted FieldsV1: the input is one set, a NUL byte, another.  A set that is
 * written reads as the same set, and the set operations obey the laws of sets. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "schema/managedfields/field_set.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static lw_node *read_set(lw_tree *tree, lw_str json)
{
    lw_node *node = NULL, *set = NULL, *again = NULL;
    if (lw_tree_parse_node(tree, json, &node, NULL) < 0 ||
        lw_field_set_read(tree, node, &set, NULL) < 0)
        return NULL;
    must(lw_field_set_sort(set) == LW_OK);
    must(lw_field_set_read(tree, set, &again, NULL) == LW_OK);
    must(lw_field_set_equal(set, again));
    return set;
}

static void count_path(lw_str path, void *arg)
{
    must(path.len > 0);
    ++*(size_t *)arg;
}

static size_t size_of(const lw_node *set)
{
    size_t count = 0;
    must(lw_field_set_visit(set, count_path, &count) == LW_OK);
    return count;
}

static void check_two(lw_tree *tree, const lw_node *a, const lw_node *b)
{
    lw_node *both = lw_field_set_union(tree, a, b), *common = lw_field_set_intersection(tree, a, b);
    lw_node *rest = lw_field_set_difference(tree, a, b);
    must(size_of(both) + size_of(common) == size_of(a) + size_of(b));
    must(size_of(rest) + size_of(common) == size_of(a));
    must(lw_field_set_equal(lw_field_set_union(tree, rest, common), a));
    must(lw_field_set_is_empty(lw_field_set_intersection(tree, rest, b)));
    lw_node *less = lw_tree_copy(tree, a), *least = lw_tree_copy(tree, a);
    lw_field_set_remove(tree, less, b);
    must(lw_field_set_equal(less, rest));
    lw_field_set_remove_below(tree, least, b);
    must(lw_field_set_is_empty(lw_field_set_difference(tree, least, rest)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    lw_tree *tree = NULL;
    if (lw_tree_new(&tree, 0) < 0)
        return 0;
    lw_node *a = read_set(tree, lw_str_make((const char *)data, len));
    lw_node *b = nul ? read_set(tree, lw_str_make((const char *)nul + 1, size - len - 1)) : NULL;
    if (a)
        check_two(tree, a, b);
    lw_tree_free(tree);
    return 0;
}
