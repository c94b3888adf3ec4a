/* SPDX-License-Identifier: Apache-2.0 */
/* accept_test.c -- Accept headers as clauses. */
#include "api/media/accept.h"

#include "base/str.h"
#include "unit/test.h"

static void assert_order(const char *header, const char *const *expected, size_t count)
{
    lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX];
    assert_int_equal(lw_accept_parse(lw_str_of(header), clauses), count);
    for (size_t i = 0; i < count; i++) {
        lw_str type, subtype;
        (void)lw_str_cut(lw_str_of(expected[i]), '/', &type, &subtype);
        if (!lw_str_equal(type, clauses[i].type) || !lw_str_equal(subtype, clauses[i].subtype))
            fail_msg("%s: %zu is %.*s/%.*s", header, i, LW_STR_ARG(clauses[i].type),
                     LW_STR_ARG(clauses[i].subtype));
    }
}
#define ASSERT_ORDER(header, ...)                                                                  \
    assert_order((header), (const char *const[]){ __VA_ARGS__ },                                   \
                 sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void clauses_are_sorted_by_quality_specificity_and_position(void **state)
{
    (void)state;
    ASSERT_ORDER("a/b, c/d", "a/b", "c/d");
    ASSERT_ORDER("a/b;q=0.5, c/d", "c/d", "a/b");
    ASSERT_ORDER("*/*, a/*, a/b", "a/b", "a/*", "*/*");
    ASSERT_ORDER("a/b;q=0.9, */*;q=1.0, c/d;q=0.95", "*/*", "c/d", "a/b");
    ASSERT_ORDER("*", "*/*");
}

static void refused_and_malformed_clauses_are_dropped(void **state)
{
    (void)state;
    ASSERT_ORDER("a/b;q=0, c/d", "c/d");
    ASSERT_ORDER("nonsense, /x, y/, c/d,,", "c/d");
    ASSERT_ORDER("a/b;q=x", "a/b");
}

static void parameters_are_stripped_of_spaces_and_quotes(void **state)
{
    (void)state;
    lw_str rest = LW_STR(" as=Table ; v=\"v1\";; g = meta.k8s.io;x"), name, value;
    assert_true(lw_accept_next_parameter(&rest, &name, &value));
    assert_str_equal(name, "as");
    assert_str_equal(value, "Table");
    assert_true(lw_accept_next_parameter(&rest, &name, &value));
    assert_str_equal(value, "v1");
    assert_true(lw_accept_next_parameter(&rest, &name, &value));
    assert_str_equal(name, "g");
    assert_str_equal(value, "meta.k8s.io");
    assert_true(lw_accept_next_parameter(&rest, &name, &value));
    assert_str_equal(name, "x");
    assert_false(lw_accept_next_parameter(&rest, &name, &value));
}

static void the_number_of_clauses_is_limited(void **state)
{
    (void)state;
    char header[4 * 1000 + 1];
    lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX];
    for (size_t i = 0; i < 1000; i++)
        memcpy(header + 4 * i, "a/b,", 4);
    assert_int_equal(lw_accept_parse(lw_str_make(header, 4000), clauses), LW_ACCEPT_CLAUSES_MAX);
}

static void content_codings_are_found_unless_refused(void **state)
{
    (void)state;
    assert_true(lw_accept_takes_coding(LW_STR("gzip"), LW_STR("gzip")));
    assert_true(lw_accept_takes_coding(LW_STR("deflate, GZIP;q=0.5"), LW_STR("gzip")));
    assert_false(lw_accept_takes_coding(LW_STR("gzip;q=0"), LW_STR("gzip")));
    assert_false(lw_accept_takes_coding(LW_STR("br, xgzip"), LW_STR("gzip")));
    assert_false(lw_accept_takes_coding(LW_STR(""), LW_STR("gzip")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clauses_are_sorted_by_quality_specificity_and_position),
        TEST(refused_and_malformed_clauses_are_dropped),
        TEST(parameters_are_stripped_of_spaces_and_quotes),
        TEST(the_number_of_clauses_is_limited),
        TEST(content_codings_are_found_unless_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
