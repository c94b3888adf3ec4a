/* SPDX-License-Identifier: Apache-2.0 */
/* match_test.c -- selectors against objects. */
#include <listwatch/match.h>

#include "unit/object/make.h"

static const char pod[] =
    "{\"metadata\":{\"name\":\"web\",\"namespace\":\"prod\",\"labels\":{\"app\":\"w\\u0065b\","
    "\"n\":\"5\",\"empty\":\"\"}},\"spec\":{\"nodeName\":\"n\\u0031\",\"replicas\":3,"
    "\"unschedulable\":true,\"list\":[],\"nothing\":null}}";

static void labels_decide(void **state)
{
    (void)state;
    static const struct {
        const char *selector;
        bool matches;
    } cases[] = {
        { "", true },
        { "app=web", true },
        { "app==web,n=5", true },
        { "app=db", false },
        { "app!=web", false },
        { "absent!=x", true },
        { "app", true },
        { "!app", false },
        { "!absent", true },
        { "absent", false },
        { "app in (db,web)", true },
        { "app notin (db,web)", false },
        { "n>4", true },
        { "n>5", false },
        { "n<6", true },
        { "empty=", true },
        { "empty", true },
        { "app=web,absent", false },
        { "absent=", false },
    };
    lw_object *obj = object_of(pod);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_label_selector *selector = NULL;
        assert_int_equal(lw_label_selector_parse(&selector, lw_str_of(cases[i].selector), NULL),
                         LW_OK);
        if (lw_label_selector_matches(selector, obj) != cases[i].matches)
            fail_msg("\"%s\"", cases[i].selector);
        lw_label_selector_free(selector);
    }
    assert_true(lw_label_selector_matches(NULL, obj));
    assert_false(lw_label_selector_matches(lw_label_selector_nothing(), obj));
    lw_object_unref(obj);
}

static void fields_decide(void **state)
{
    (void)state;
    static const struct {
        const char *selector;
        bool matches;
    } cases[] = {
        { "", true },
        { "metadata.name=web", true },
        { "metadata.name=we", false },
        { "metadata.namespace=prod,metadata.name!=x", true },
        { "metadata.namespace!=prod", false },
        { "spec.nodeName=n1", true },
        { "spec.nodeName!=n1", false },
        { "spec.nodeName=n", false },
        { "spec.replicas=3", true },
        { "spec.replicas=30", false },
        { "spec.unschedulable=true", true },
        { "spec.unschedulable=false", false },
        { "spec.absent=", true },
        { "spec.absent=x", false },
        { "spec.absent!=x", true },
        { "spec.nothing=", true },
        { "spec.list=", true },
        { "spec.list=[]", false },
        { "spec=", true },
        { "spec.nodeName.deeper=", true },
        { "spec.nodeName.deeper=n1", false },
        { ".=", true },
        { "metadata.labels.app=web", true },
    };
    lw_object *obj = object_of(pod);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_field_selector *selector = NULL;
        assert_int_equal(lw_field_selector_parse(&selector, lw_str_of(cases[i].selector), NULL),
                         LW_OK);
        if (lw_field_selector_matches_object(selector, obj) != cases[i].matches)
            fail_msg("\"%s\"", cases[i].selector);
        lw_field_selector_free(selector);
    }
    assert_true(lw_field_selector_matches_object(NULL, obj));
    lw_object_unref(obj);
}

static void matching_takes_no_memory(void **state)
{
    (void)state;
    lw_object *obj = object_of(pod);
    size_t before = lw_object_memory(obj);
    lw_field_selector *selector = NULL;
    assert_int_equal(lw_field_selector_parse(&selector, lw_str_of("spec.nodeName=n1"), NULL),
                     LW_OK);
    assert_true(lw_field_selector_matches_object(selector, obj));
    assert_int_equal(lw_object_memory(obj), before);
    lw_field_selector_free(selector);
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(labels_decide),
        TEST(fields_decide),
        TEST(matching_takes_no_memory),
    };
    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
