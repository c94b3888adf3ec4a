/* SPDX-License-Identifier: Apache-2.0 */
/* filter_test.c -- which objects a filter means. */
#include "cache/filter.h"

#include "base/str.h"
#include "cache/scope.h"
#include "unit/object/make.h"

static const char pod[] = "{\"metadata\":{\"namespace\":\"a\",\"name\":\"x\","
                          "\"labels\":{\"app\":\"web\"}},\"spec\":{\"nodeName\":\"n1\"}}";

static bool matches(const lw_cache_filter *filter)
{
    lw_object *obj = object_of(pod);
    const lw_filter_scope scope = { filter->ns, filter->name };
    bool is_match = lw_scope_has(&scope, obj) && lw_filter_selects(filter, obj);
    lw_object_unref(obj);
    return is_match;
}

static void empty_means_all(void **state)
{
    (void)state;
    assert_true(matches(&(lw_cache_filter){ 0 }));
    assert_true(matches(&(lw_cache_filter){ .labels = lw_label_selector_everything() }));
    assert_false(
        lw_filter_has_selectors(&(lw_cache_filter){ .labels = lw_label_selector_everything() }));
}

static void namespace_and_name_are_compared(void **state)
{
    (void)state;
    assert_true(matches(&(lw_cache_filter){ .ns = LW_STR("a"), .name = LW_STR("x") }));
    assert_false(matches(&(lw_cache_filter){ .ns = LW_STR("b"), .name = LW_STR("x") }));
    assert_false(matches(&(lw_cache_filter){ .ns = LW_STR("a"), .name = LW_STR("xx") }));
}

static bool sees_it(const lw_field_selector *fields, const lw_object *obj, const void *arg)
{
    assert_non_null(fields);
    assert_string_equal(lw_object_name(obj), "x");
    return *(const bool *)arg;
}

static void labels_and_fields_are_asked(void **state)
{
    (void)state;
    lw_label_selector *web = NULL, *db = NULL;
    lw_field_selector *node = NULL;
    assert_int_equal(lw_label_selector_parse(&web, LW_STR("app=web"), NULL), LW_OK);
    assert_int_equal(lw_label_selector_parse(&db, LW_STR("app=db"), NULL), LW_OK);
    assert_int_equal(lw_field_selector_parse(&node, LW_STR("spec.nodeName=n1"), NULL), LW_OK);
    assert_true(matches(&(lw_cache_filter){ .labels = web, .fields = node }));
    assert_false(matches(&(lw_cache_filter){ .labels = db, .fields = node }));
    bool answer = false;
    lw_cache_filter own = { .fields = node, .fields_match = sees_it, .fields_arg = &answer };
    assert_false(matches(&own));
    answer = true;
    assert_true(matches(&own));
    assert_true(lw_filter_has_selectors(&own));
    lw_label_selector_free(web);
    lw_label_selector_free(db);
    lw_field_selector_free(node);
}

static void a_field_selector_can_narrow_the_scope(void **state)
{
    (void)state;
    lw_field_selector *fields = NULL;
    assert_int_equal(lw_field_selector_parse(&fields,
                                             LW_STR("metadata.name=x,metadata.namespace=a"), NULL),
                     LW_OK);
    lw_filter_scope scope = lw_scope_of(&(lw_cache_filter){ .fields = fields });
    assert_str_equal(scope.ns, "a");
    assert_str_equal(scope.name, "x");
    /* What the path says counts; the selector then finds nothing, or the same. */
    scope = lw_scope_of(&(lw_cache_filter){ .ns = LW_STR("b"), .fields = fields });
    assert_str_equal(scope.ns, "b");
    lw_field_selector_free(fields);
    assert_int_equal(lw_field_selector_parse(&fields, LW_STR("metadata.name!=x"), NULL), LW_OK);
    scope = lw_scope_of(&(lw_cache_filter){ .fields = fields });
    assert_int_equal(scope.name.len, 0);
    lw_field_selector_free(fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(empty_means_all),
        TEST(namespace_and_name_are_compared),
        TEST(labels_and_fields_are_asked),
        TEST(a_field_selector_can_narrow_the_scope),
    };
    return cmocka_run_group_tests_name("cache/filter", tests, NULL, NULL);
}
