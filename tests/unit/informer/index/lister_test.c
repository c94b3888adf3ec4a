/* SPDX-License-Identifier: Apache-2.0 */
/* lister_test.c -- reading the cache, as programs do. */
#include <listwatch/lister.h>

#include "informer/index/indexer.h"
#include "unit/object/make.h"
#include "unit/test.h"

static lw_indexer *filled(void)
{
    static const char *const texts[] = {
        "{\"metadata\":{\"namespace\":\"x\",\"name\":\"a\",\"labels\":{\"app\":\"web\"}}}",
        "{\"metadata\":{\"namespace\":\"x\",\"name\":\"b\",\"labels\":{\"app\":\"db\"}}}",
        "{\"metadata\":{\"namespace\":\"y\",\"name\":\"a\",\"labels\":{\"app\":\"web\"}}}",
        "{\"metadata\":{\"name\":\"node\"}}",
    };
    lw_indexer *indexer = NULL;
    assert_int_equal(lw_indexer_new(&indexer), LW_OK);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_object *obj = object_of(texts[i]), *old = NULL;
        assert_int_equal(lw_indexer_put(indexer, obj, &old), LW_OK);
        lw_object_unref(obj);
    }
    return indexer;
}

static void assert_lists(const lw_lister *lister, const char *ns, const char *selector,
                         size_t count)
{
    lw_object_list *list = lw_lister_list(lister, ns, selector);
    assert_non_null(list);
    assert_int_equal(lw_object_list_count(list), count);
    lw_object_list_free(list);
}

static void gets_by_namespace_and_name(void **state)
{
    (void)state;
    lw_indexer *indexer = filled();
    const lw_lister *lister = lw_indexer_lister(indexer);
    lw_object *obj = lw_lister_get(lister, "y", "a");
    assert_string_equal(lw_object_namespace(obj), "y");
    lw_object_unref(obj);
    obj = lw_lister_get(lister, NULL, "node");
    assert_non_null(obj);
    lw_object_unref(obj);
    assert_null(lw_lister_get(lister, "z", "a"));
    assert_null(lw_lister_get(lister, "", "a"));
    assert_int_equal(lw_lister_count(lister), 4);
    lw_indexer_free(indexer);
}

static void lists_a_namespace_or_all_by_their_labels(void **state)
{
    (void)state;
    lw_indexer *indexer = filled();
    const lw_lister *lister = lw_indexer_lister(indexer);
    assert_lists(lister, NULL, NULL, 4);
    assert_lists(lister, "", "", 4);
    assert_lists(lister, "x", NULL, 2);
    assert_lists(lister, "x", "app=web", 1);
    assert_lists(lister, NULL, "app=web", 2);
    assert_lists(lister, "nowhere", NULL, 0);
    assert_lists(lister, NULL, "!app", 1);
    assert_null(lw_lister_list(lister, NULL, "app in (")); /* no selector */
    lw_indexer_free(indexer);
}

static void selects_with_a_selector_that_is_parsed(void **state)
{
    (void)state;
    lw_indexer *indexer = filled();
    const lw_lister *lister = lw_indexer_lister(indexer);
    lw_object_list *list = NULL;
    assert_int_equal(lw_lister_select(lister, NULL, lw_label_selector_nothing(), &list, NULL),
                     LW_OK);
    assert_int_equal(lw_object_list_count(list), 0);
    lw_object_list_free(list);
    assert_int_equal(lw_lister_select(lister, "x", lw_label_selector_everything(), &list, NULL),
                     LW_OK);
    assert_int_equal(lw_object_list_count(list), 2);
    lw_object_list_free(list);
    lw_indexer_free(indexer);
}

static void lists_by_index(void **state)
{
    (void)state;
    lw_indexer *indexer = filled();
    const lw_lister *lister = lw_indexer_lister(indexer);
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_lister_by_index(lister, "namespace", "x", &list, &err), LW_OK);
    assert_int_equal(lw_object_list_count(list), 2);
    lw_object_list_free(list);
    assert_int_equal(lw_lister_by_index(lister, "colour", "x", &list, &err), LW_ERR_NOT_FOUND);
    lw_indexer_free(indexer);
}

static void an_answer_is_of_one_moment_and_stays_as_it_was(void **state)
{
    (void)state;
    lw_indexer *indexer = filled();
    const lw_lister *lister = lw_indexer_lister(indexer);
    lw_object_list *list = lw_lister_list(lister, "x", NULL);
    assert_int_equal(lw_indexer_replace(indexer, NULL, 0, NULL, NULL), LW_OK);
    assert_int_equal(lw_object_list_count(list), 2);
    assert_string_equal(lw_object_namespace(lw_object_list_at(list, 1)), "x");
    assert_lists(lister, "x", NULL, 0);
    lw_object_list_free(list);
    lw_indexer_free(indexer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gets_by_namespace_and_name),
        TEST(lists_a_namespace_or_all_by_their_labels),
        TEST(selects_with_a_selector_that_is_parsed),
        TEST(lists_by_index),
        TEST(an_answer_is_of_one_moment_and_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
