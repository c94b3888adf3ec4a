/* SPDX-License-Identifier: Apache-2.0 */
/* quantity_test.c -- amounts, in the texts that kube-apiserver 1.37 writes for them. */
#include <listwatch/quantity.h>

#include "base/str.h"
#include "unit/test.h"

static void assert_written(const char *text, const char *expected)
{
    lw_quantity quantity;
    char written[LW_QUANTITY_SIZE];
    if (!lw_quantity_parse(lw_str_of(text), &quantity))
        fail_msg("no quantity: %s", text);
    lw_quantity_format(written, quantity);
    if (!lw_str_equal(lw_str_of(written), lw_str_of(expected)))
        fail_msg("%s is written %s, not %s", text, written, expected);
}

static void has_one_text_for_each_amount(void **state)
{
    static const char *const cases[][2] = {
        { "1", "1" },          { "1000m", "1" },    { "0.5", "500m" },    { "1500m", "1500m" },
        { "1000", "1k" },      { "1e3", "1e3" },    { "12e6", "12e6" },   { "1E3", "1e3" },
        { "0.5Gi", "512Mi" },  { "1024Mi", "1Gi" }, { "512Ki", "512Ki" }, { "1025Ki", "1025Ki" },
        { "0.5Ki", "512" },    { "0", "0" },        { "0Gi", "0" },       { "-1.5", "-1500m" },
        { "-2Ki", "-2Ki" },    { "+5", "5" },       { ".5", "500m" },     { "5.", "5" },
        { "1.1Ki", "1127" },   { "0.1n", "1n" },    { "1Ei", "1Ei" },     { "0.000001k", "1m" },
        { "100000k", "100M" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_written(cases[i][0], cases[i][1]);
}

static void keeps_to_63_bits(void **state)
{
    (void)state;
    assert_written("9223372036854775807", "9223372036854775807");
    assert_written("9999999999999999999E", "9223372036854775807");
    assert_written("1e100", "9223372036854775807");
    assert_written("1e-100", "1e-9");
}

static void refuses_what_is_no_amount(void **state)
{
    static const char *const cases[] = { "",    "much", "1 Gi", "1gi", "1e",    "e3",  "m",
                                         "--1", ".",    "1K",   "1ki", "1.2.3", "1e+", " 1",
                                         "1 ",  "1x",   "1Mib", "1mi", "1KI",   "0x10" };
    lw_quantity quantity;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (lw_quantity_parse(lw_str_of(cases[i]), &quantity))
            fail_msg("taken for a quantity: %s", cases[i]);
    }
}

static void compares_across_ways_to_write(void **state)
{
    lw_quantity a, b;
    (void)state;
    assert_true(lw_quantity_parse(LW_STR("1000m"), &a));
    assert_true(lw_quantity_parse(LW_STR("1e0"), &b));
    assert_true(a.nanos == b.nanos);
}

static lw_quantity quantity_of(const char *text)
{
    lw_quantity quantity = { 0, LW_QUANTITY_DECIMAL };
    assert_true(lw_quantity_parse(lw_str_of(text), &quantity));
    return quantity;
}

static void assert_amount(lw_quantity quantity, const char *expected)
{
    char text[LW_QUANTITY_SIZE];
    lw_quantity_format(text, quantity);
    assert_string_equal(text, expected);
}

static void adds_and_subtracts_without_loss(void **state)
{
    (void)state;
    assert_amount(lw_quantity_add(quantity_of("100m"), quantity_of("0.9")), "1");
    assert_amount(lw_quantity_add(quantity_of("1Gi"), quantity_of("512Mi")), "1536Mi");
    assert_amount(lw_quantity_subtract(quantity_of("1"), quantity_of("1n")), "999999999n");
    assert_amount(lw_quantity_subtract(quantity_of("1"), quantity_of("3")), "-2");
    assert_amount(lw_quantity_add(quantity_of("9223372036854775807"), quantity_of("1")),
                  "9223372036854775807");
}

static void a_sum_is_written_as_its_first_part_that_is_something(void **state)
{
    (void)state;
    assert_amount(lw_quantity_add(quantity_of("0"), quantity_of("2Ki")), "2Ki");
    assert_amount(lw_quantity_add(quantity_of("1024"), quantity_of("2Ki")), "3072");
}

static void rounds_up_to_whole_units(void **state)
{
    (void)state;
    assert_amount(lw_quantity_whole(quantity_of("1100m")), "2");
    assert_amount(lw_quantity_whole(quantity_of("-1100m")), "-2");
    assert_amount(lw_quantity_whole(quantity_of("3Mi")), "3Mi");
}

static void counts_units_and_thousandths_rounded_away_from_zero(void **state)
{
    static const struct {
        const char *text;
        int64_t units, milli;
    } cases[] = {
        { "0", 0, 0 },
        { "1", 1, 1000 },
        { "250m", 1, 250 },
        { "1500m", 2, 1500 },
        { "0.1", 1, 100 },
        { "+2", 2, 2000 },
        { "1.0001", 2, 1001 },
        { "100n", 1, 1 },
        { "-1500m", -2, -1500 },
        { "-100n", -1, -1 },
        { "64Mi", 64 << 20, INT64_C(1000) * (64 << 20) },
        { "1.5Gi", INT64_C(1536) << 20, INT64_C(1536000) << 20 },
        { "128M", 128000000, INT64_C(128000000000) },
        { "2e3", 2000, 2000000 },
        { "5e-1", 1, 500 },
        { "1E", INT64_C(1000000000000000000), INT64_MAX },
        { "-1E", INT64_C(-1000000000000000000), INT64_MIN },
        { "8Ei", INT64_MAX, INT64_MAX },
        { "9999999999999999999999", INT64_MAX, INT64_MAX },
        { "1e999", INT64_MAX, INT64_MAX },
        { "0e999", 0, 0 },
        { "0.000000000000000000000001", 1, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_quantity amount = quantity_of(cases[i].text);
        int64_t units = lw_quantity_units(amount), milli = lw_quantity_milli(amount);
        if (units != cases[i].units || milli != cases[i].milli)
            fail_msg("%s: %lld units, %lld thousandths", cases[i].text, (long long)units,
                     (long long)milli);
    }
}

static void orders_amounts_however_they_are_written(void **state)
{
    (void)state;
    assert_true(lw_quantity_compare(quantity_of("1Ki"), quantity_of("1k")) > 0);
    assert_true(lw_quantity_compare(quantity_of("1000m"), quantity_of("1e0")) == 0);
    assert_true(lw_quantity_compare(quantity_of("-1"), lw_quantity_of_count(0)) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_one_text_for_each_amount),
        TEST(keeps_to_63_bits),
        TEST(refuses_what_is_no_amount),
        TEST(compares_across_ways_to_write),
        TEST(adds_and_subtracts_without_loss),
        TEST(a_sum_is_written_as_its_first_part_that_is_something),
        TEST(rounds_up_to_whole_units),
        TEST(counts_units_and_thousandths_rounded_away_from_zero),
        TEST(orders_amounts_however_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
