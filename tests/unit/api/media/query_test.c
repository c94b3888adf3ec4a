/* SPDX-License-Identifier: Apache-2.0 */
/* query_test.c -- the parameters of a request. */
#include "api/media/query.h"

#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void parse(lw_query *query, const char *raw)
{
    assert_int_equal(lw_query_parse(query, lw_str_of(raw)), LW_OK);
}

static void names_and_values_are_decoded(void **state)
{
    (void)state;
    lw_query query;
    parse(&query, "labelSelector=app%3Dweb%2Ctier+in+%28a%29&limit=5&x%79=z");
    assert_int_equal(query.count, 3);
    assert_str_equal(lw_query_get(&query, "labelSelector"), "app=web,tier in (a)");
    assert_str_equal(lw_query_get(&query, "limit"), "5");
    assert_str_equal(lw_query_get(&query, "xy"), "z");
    lw_query_done(&query);
}

static void the_first_of_several_counts(void **state)
{
    (void)state;
    lw_query query;
    parse(&query, "a=1&a=2");
    assert_str_equal(lw_query_get(&query, "a"), "1");
    lw_query_done(&query);
}

static void absent_and_empty_are_distinguished(void **state)
{
    (void)state;
    lw_query query;
    lw_str value;
    parse(&query, "a=&b");
    assert_true(lw_query_find(&query, "a", &value));
    assert_int_equal(value.len, 0);
    assert_true(lw_query_find(&query, "b", &value));
    assert_int_equal(value.len, 0);
    assert_false(lw_query_find(&query, "c", &value));
    lw_query_done(&query);
}

static void malformed_pairs_are_ignored_as_in_go(void **state)
{
    (void)state;
    lw_query query;
    parse(&query, "a=%zz&%=b&c=1;d=2&&e=5&=x");
    assert_int_equal(query.count, 2);
    assert_str_equal(lw_query_get(&query, "e"), "5");
    assert_str_equal(lw_query_get(&query, ""), "x");
    lw_query_done(&query);
}

static void a_value_may_hold_an_equals_sign(void **state)
{
    (void)state;
    lw_query query;
    parse(&query, "fieldSelector=metadata.name=a");
    assert_str_equal(lw_query_get(&query, "fieldSelector"), "metadata.name=a");
    lw_query_done(&query);
}

static void booleans_are_read_as_kubernetes_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *raw;
        bool expected;
    } rows[] = {
        { "", false },       { "w=false", false }, { "w=FALSE", false }, { "w=False", false },
        { "w=0", false },    { "w=true", true },   { "w=1", true },      { "w=", true },
        { "w", true },       { "w=no", true },     { "w=00", true },     { "w=f", true },
        { "v=true", false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_query query;
        parse(&query, rows[i].raw);
        if (lw_query_bool(&query, "w") != rows[i].expected)
            fail_msg("%s", rows[i].raw);
        lw_query_done(&query);
    }
}

static void too_many_parameters_are_refused(void **state)
{
    (void)state;
    lw_query query;
    char raw[4 * (LW_QUERY_PARAMETERS_MAX + 1) + 1];
    for (size_t i = 0; i < LW_QUERY_PARAMETERS_MAX + 1; i++)
        memcpy(raw + 4 * i, "a=b&", 4);
    assert_int_equal(lw_query_parse(&query, lw_str_make(raw, (size_t)4 * LW_QUERY_PARAMETERS_MAX)),
                     LW_OK);
    lw_query_done(&query);
    assert_int_equal(lw_query_parse(&query,
                                    lw_str_make(raw, (size_t)4 * (LW_QUERY_PARAMETERS_MAX + 1))),
                     LW_ERR_LIMIT);
    lw_query_done(&query);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    failing_alloc f;
    lw_query query;
    failing_alloc_begin(&f, 0);
    lw_status st = lw_query_parse(&query, LW_STR("a=b"));
    lw_query_done(&query);
    failing_alloc_end();
    assert_int_equal(st, LW_ERR_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_and_values_are_decoded),       TEST(the_first_of_several_counts),
        TEST(absent_and_empty_are_distinguished), TEST(malformed_pairs_are_ignored_as_in_go),
        TEST(a_value_may_hold_an_equals_sign),    TEST(booleans_are_read_as_kubernetes_reads_them),
        TEST(too_many_parameters_are_refused),    TEST(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
