/* SPDX-License-Identifier: Apache-2.0 */
/* stored_parts_test.c -- the parts of a stored object: closed, unread, read, and written again. */
#include "api/pending/stored_parts.h"

#include "object/object.h"
#include "schema/kinds/kinds.h"
#include "unit/test.h"

#define SPEC "{\"containers\":[{\"name\":\"c\",\"tty\":false}],\"hostNetwork\":false}"

static const char pod[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},"
                          "\"spec\":" SPEC ",\"status\":{}}";

static lw_object *made(lw_object_check check)
{
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, pod, sizeof(pod) - 1, NULL), LW_OK);
    lw_object__set_checked(obj, check);
    return obj;
}

static void parts_of_unchecked_objects_are_parsed(void **state)
{
    (void)state;
    lw_tree_part parts[LW_STORED_PARTS];
    lw_object *obj = made(LW_OBJECT_UNCHECKED);
    assert_int_equal(lw_stored_parts_list(&lw_kind_pods, obj, parts), 0);
    assert_int_equal(lw_stored_parts_find(&lw_kind_pods, obj, parts), 0);
    lw_object_unref(obj);
}

/* An empty one needs no text. */
static void the_texts_of_parts_are_found(void **state)
{
    (void)state;
    lw_tree_part parts[LW_STORED_PARTS];
    lw_object *obj = made(LW_OBJECT_NORMALIZED), *copy = NULL;
    assert_int_equal(lw_object_with_revision(&copy, obj, 7), LW_OK);
    assert_int_equal(lw_object__checked(copy), LW_OBJECT_NORMALIZED);
    assert_int_equal(lw_stored_parts_list(&lw_kind_pods, copy, parts), 2);
    assert_int_equal(lw_stored_parts_find(&lw_kind_pods, copy, parts), 1);
    assert_str_equal(parts[0].name, "spec");
    assert_str_equal(parts[0].text, SPEC);
    lw_object_unref(obj);
    lw_object_unref(copy);
}

static void a_part_is_seen_as_go_reads_it_and_written_as_it_was(void **state)
{
    (void)state;
    lw_tree_part parts[LW_STORED_PARTS];
    lw_tree *tree = NULL;
    lw_str text;
    lw_object *obj = made(LW_OBJECT_ADMITTED);
    size_t count = lw_stored_parts_list(&lw_kind_pods, obj, parts);
    assert_int_equal(lw_stored_parts_parse(obj, parts, count, NULL, &tree), LW_OK);
    const lw_node *root = lw_tree_root(tree);
    lw_node *spec = lw_node_get(root, LW_STR("spec")), *copy = lw_tree_share(tree, spec);
    const lw_type *type = lw_type_of_kind(lw_kind_gvk(&lw_kind_pods));
    lw_stored_parts_defer(type, root);
    assert_true(lw_node_is_unread(spec));
    lw_stored_parts_settle(root);
    assert_false(lw_node_is_unread(spec));
    assert_true(lw_node_is_closed(spec, &text));
    assert_str_equal(text, SPEC);
    lw_stored_parts_defer(type, root);
    assert_null(lw_node_get(spec, LW_STR("hostNetwork")));
    assert_int_equal(lw_node_count(spec), 1);
    assert_int_equal(lw_node_count(copy), 2);
    lw_tree_free(tree);
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_of_unchecked_objects_are_parsed),
        TEST(the_texts_of_parts_are_found),
        TEST(a_part_is_seen_as_go_reads_it_and_written_as_it_was),
    };
    return cmocka_run_group_tests_name("stored_parts", tests, NULL, NULL);
}
