/* SPDX-License-Identifier: Apache-2.0 */
/* list_test.c -- lists of now and of the past, whole and in pages. */
#include "cache/list.h"

#include "unit/cache/rig.h"

static const lw_cache_filter in_a = { .ns = { "a", 1 } };
static const lw_cache_filter named_x = { .name = { "x", 1 } };

/* Revisions 1 to 6; at 6: a-b/x@5 a/x@1 a/y@2 a/z@3 b/x@4, and a node. */
static void fill(rig *r)
{
    fake_put(&r->store, "pods", "a", "x", "web");
    fake_put(&r->store, "pods", "a", "y", "db");
    fake_put(&r->store, "pods", "a", "z", "web");
    fake_put(&r->store, "pods", "b", "x", "web");
    fake_put(&r->store, "pods", "a-b", "x", "web");
    fake_put(&r->store, "nodes", NULL, "n", "1");
}

static void lists_in_the_order_of_keys(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "");
    fill(&r);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a-b/x@5 a/x@1 a/y@2 a/z@3 b/x@4");
    assert_string_equal(rig_list(&r, &in_a, "", 0), "a/x@1 a/y@2 a/z@3");
    assert_string_equal(rig_list(&r, &named_x, "", 0), "a-b/x@5 a/x@1 b/x@4");
    const lw_cache_filter one = { .ns = LW_STR("a"), .name = LW_STR("y") };
    assert_string_equal(rig_list(&r, &one, "", 0), "a/y@2");
    const lw_cache_filter none = { .ns = LW_STR("a"), .name = LW_STR("yy") };
    assert_string_equal(rig_list(&r, &none, "", 0), "");
    rig_done(&r);
}

static void a_limit_says_how_many_remain(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fill(&r);
    assert_string_equal(rig_list(&r, &rig_all, "", 2), "a-b/x@5 a/x@1 +3");
    assert_string_equal(rig_list(&r, &rig_all, "", 5), "a-b/x@5 a/x@1 a/y@2 a/z@3 b/x@4");
    assert_string_equal(rig_list(&r, &in_a, "", 2), "a/x@1 a/y@2 +1");
    assert_string_equal(rig_list(&r, &in_a, "", 3), "a/x@1 a/y@2 a/z@3");
    assert_string_equal(rig_list(&r, &named_x, "", 1), "a-b/x@5 +2");
    rig_done(&r);
}

static void the_next_page_goes_on_behind_a_key(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fill(&r);
    lw_cache_list list;
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR("a/x\0"), 2, &list, NULL), LW_OK);
    assert_string_equal(rig_print_list(&r, &list), "a/y@2 a/z@3 +1");
    assert_string_equal(rig_list(&r, &rig_all, "a/z0", 2), "b/x@4");
    assert_string_equal(rig_list(&r, &in_a, "a/z0", 2), "");
    assert_string_equal(rig_list(&r, &in_a, "zz", 2), "");
    assert_string_equal(rig_list(&r, &in_a, "zz", 0), "");
    assert_string_equal(rig_list(&r, &in_a, "0", 1), "a/x@1 +2");
    rig_done(&r);
}

static void with_selectors_more_means_one_more_match(void **state)
{
    (void)state;
    rig r;
    lw_label_selector *labels = NULL;
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("app=web"), NULL), LW_OK);
    rig_start(&r);
    fill(&r);
    const lw_cache_filter web = { .labels = labels };
    const lw_cache_filter web_in_a = { .ns = LW_STR("a"), .labels = labels };
    assert_string_equal(rig_list(&r, &web, "", 0), "a-b/x@5 a/x@1 a/z@3 b/x@4");
    assert_string_equal(rig_list(&r, &web, "", 2), "a-b/x@5 a/x@1 +0");
    assert_string_equal(rig_list(&r, &web, "", 4), "a-b/x@5 a/x@1 a/z@3 b/x@4");
    assert_string_equal(rig_list(&r, &web_in_a, "", 2), "a/x@1 a/z@3");
    assert_string_equal(rig_list(&r, &web_in_a, "", 1), "a/x@1 +0");
    lw_label_selector_free(labels);
    rig_done(&r);
}

static void an_unchanged_past_comes_from_the_cache(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fill(&r);
    unsigned reads = r.store.reads;
    assert_string_equal(rig_list_at(&r, &in_a, "", 2, 5), "a/x@1 a/y@2 +1");
    assert_string_equal(rig_list_at(&r, &in_a, "", 2, 6), "a/x@1 a/y@2 +1");
    assert_int_equal(r.store.reads, reads);
    assert_string_equal(rig_list_at(&r, &rig_all, "", 0, 4), "a/x@1 a/y@2 a/z@3 b/x@4");
    assert_true(r.store.reads > reads);
    rig_done(&r);
}

static void a_changed_past_comes_from_the_store(void **state)
{
    (void)state;
    rig r;
    lw_label_selector *labels = NULL;
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("app=web"), NULL), LW_OK);
    const lw_cache_filter web = { .labels = labels };
    const lw_cache_filter one = { .ns = LW_STR("a"), .name = LW_STR("y") };
    rig_start(&r);
    fill(&r);
    fake_delete(&r.store, "pods", "a", "x");     /* 7 */
    fake_put(&r.store, "pods", "a", "y", "web"); /* 8 */
    assert_string_equal(rig_list_at(&r, &rig_all, "", 0, 6), "a-b/x@5 a/x@1 a/y@2 a/z@3 b/x@4");
    assert_string_equal(rig_list_at(&r, &rig_all, "", 2, 6), "a-b/x@5 a/x@1 +3");
    assert_string_equal(rig_list_at(&r, &rig_all, "a/y", 2, 6), "a/y@2 a/z@3 +1");
    assert_string_equal(rig_list_at(&r, &in_a, "", 2, 6), "a/x@1 a/y@2 +1");
    assert_string_equal(rig_list_at(&r, &in_a, "", 3, 6), "a/x@1 a/y@2 a/z@3");
    assert_string_equal(rig_list_at(&r, &in_a, "b", 3, 6), "");
    assert_string_equal(rig_list_at(&r, &one, "", 1, 6), "a/y@2");
    assert_string_equal(rig_list_at(&r, &named_x, "", 1, 6), "a-b/x@5 +2");
    assert_string_equal(rig_list_at(&r, &web, "", 0, 6), "a-b/x@5 a/x@1 a/z@3 b/x@4");
    assert_string_equal(rig_list_at(&r, &web, "", 3, 6), "a-b/x@5 a/x@1 a/z@3 +0");
    assert_string_equal(rig_list_at(&r, &web, "", 4, 6), "a-b/x@5 a/x@1 a/z@3 b/x@4");
    assert_string_equal(rig_list_at(&r, &web, "", 0, 7), "a-b/x@5 a/z@3 b/x@4");
    assert_string_equal(rig_list_at(&r, &rig_all, "", 0, 8), "a-b/x@5 a/y@8 a/z@3 b/x@4");
    lw_label_selector_free(labels);
    rig_done(&r);
}

static void a_long_past_is_read_in_portions(void **state)
{
    (void)state;
    rig r;
    char name[16];
    lw_cache_list list;
    lw_label_selector *labels = NULL;
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("app=web"), NULL), LW_OK);
    const lw_cache_filter web = { .labels = labels };
    rig_start(&r);
    for (int i = 0; i < 1100; i++) {
        (void)snprintf(name, sizeof(name), "p%04d", i);
        fake_put(&r.store, "pods", "a", name, i % 100 == 99 ? "web" : "db");
    }
    fake_put(&r.store, "pods", "a", "p0000", "db");
    assert_int_equal(lw_cache_list_at(r.pods, &rig_all, LW_STR(""), 0, 1100, &list, NULL), LW_OK);
    assert_int_equal(list.count, 1100);
    assert_false(list.has_more);
    lw_cache_list_done(&list);
    assert_int_equal(lw_cache_list_at(r.pods, &rig_all, LW_STR(""), 700, 1100, &list, NULL), LW_OK);
    assert_int_equal(list.count, 700);
    assert_true(list.has_more);
    assert_int_equal(list.remaining, 400);
    lw_cache_list_done(&list);
    assert_int_equal(lw_cache_list_at(r.pods, &web, LW_STR(""), 10, 1100, &list, NULL), LW_OK);
    assert_int_equal(list.count, 10);
    assert_true(list.has_more);
    assert_string_equal(lw_object_name(list.objects[9]), "p0999");
    lw_cache_list_done(&list);
    assert_int_equal(lw_cache_list_at(r.pods, &web, LW_STR(""), 11, 1100, &list, NULL), LW_OK);
    assert_int_equal(list.count, 11);
    assert_false(list.has_more);
    lw_cache_list_done(&list);
    lw_label_selector_free(labels);
    rig_done(&r);
}

static void the_future_and_the_compacted_past_are_refused(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    rig_start(&r);
    fill(&r);
    fake_put(&r.store, "pods", "a", "x", "db"); /* 7 */
    assert_int_equal(lw_store_compact(&r.store.base, 5, NULL), LW_OK);
    assert_int_equal(lw_cache_list_at(r.pods, &rig_all, LW_STR(""), 0, 8, &list, NULL),
                     LW_ERR_TOO_LARGE_RV);
    assert_int_equal(lw_cache_list_at(r.pods, &rig_all, LW_STR(""), 0, 4, &list, NULL),
                     LW_ERR_EXPIRED);
    assert_int_equal(lw_cache_list_at(r.pods, &rig_all, LW_STR(""), 0, 0, &list, NULL),
                     LW_ERR_EXPIRED);
    assert_string_equal(rig_list_at(&r, &in_a, "", 0, 5), "a/x@1 a/y@2 a/z@3");
    rig_done(&r);
}

static void without_namespaces_the_name_is_the_key(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    rig_start(&r);
    fake_put(&r.store, "nodes", NULL, "b", "1");
    fake_put(&r.store, "nodes", NULL, "a", "1");
    assert_int_equal(lw_cache_list_now(r.nodes, &rig_all, LW_STR("a\0"), 0, &list, NULL), LW_OK);
    assert_string_equal(rig_print_list(&r, &list), "/b@1");
    assert_int_equal(lw_cache_list_now(r.nodes, &in_a, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_string_equal(rig_print_list(&r, &list), "");
    const lw_cache_filter b = { .name = LW_STR("b") };
    assert_int_equal(lw_cache_list_now(r.nodes, &b, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_string_equal(rig_print_list(&r, &list), "/b@1");
    lw_object *obj = lw_cache_get_ref(r.nodes, LW_STR(""), LW_STR("a"));
    assert_int_equal(lw_object_revision(obj), 2);
    lw_object_unref(obj);
    assert_null(lw_cache_get_ref(r.nodes, LW_STR("x"), LW_STR("a")));
    assert_null(lw_cache_get_ref(r.nodes, LW_STR(""), LW_STR("")));
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_in_the_order_of_keys),
        TEST(a_limit_says_how_many_remain),
        TEST(the_next_page_goes_on_behind_a_key),
        TEST(with_selectors_more_means_one_more_match),
        TEST(an_unchanged_past_comes_from_the_cache),
        TEST(a_changed_past_comes_from_the_store),
        TEST(a_long_past_is_read_in_portions),
        TEST(the_future_and_the_compacted_past_are_refused),
        TEST(without_namespaces_the_name_is_the_key),
    };
    return cmocka_run_group_tests_name("cache/list", tests, NULL, NULL);
}
