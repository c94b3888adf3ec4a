/* SPDX-License-Identifier: Apache-2.0 */
/* random_test.c -- the generator for jitter and simulations. */
#include "base/random.h"

#include "unit/test.h"

/* From the recurrence, with the state 1, 2, 3, 4: rotl(2 * 5, 7) * 9 = 11520, then 0, and so on;
 * the same numbers that other implementations of xoshiro256** test against. */
static void follows_the_published_recurrence(void **state)
{
    (void)state;
    lw_random random = { { 1, 2, 3, 4 } };
    static const uint64_t expected[] = { 11520, 0, 1509978240, 1215971899390074240 };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(lw_random_next(&random), expected[i]);
}

/* splitmix64 from 0 begins with e220a8397b1dcdaf. */
static void fills_its_state_by_splitmix(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 0);
    assert_int_equal(random.s[0], 0xe220a8397b1dcdaf);
    assert_int_equal(random.s[1], 0x6e789e6aa1b965f4);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
    (void)state;
    lw_random a;
    lw_random b;
    lw_random_init(&a, 42);
    lw_random_init(&b, 42);
    for (int i = 0; i < 100; i++)
        assert_int_equal(lw_random_next(&a), lw_random_next(&b));
}

static void seeds_from_the_system_differ(void **state)
{
    (void)state;
    lw_random a;
    lw_random b;
    lw_random_init_from_os(&a);
    lw_random_init_from_os(&b);
    assert_int_not_equal(lw_random_next(&a), lw_random_next(&b));
}

static void unit_stays_in_range_and_fills_it(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 7);
    int tenths[10] = { 0 };
    for (int i = 0; i < 100000; i++) {
        double x = lw_random_unit(&random);
        assert_true(x >= 0.0 && x < 1.0);
        tenths[(int)(x * 10.0)]++;
    }
    /* 10000 each, standard deviation 95; six of them. */
    for (int i = 0; i < 10; i++)
        assert_in_range(tenths[i], 9430, 10570);
}

static void unit_never_reaches_one(void **state)
{
    (void)state;
    /* The state whose next number is all ones: s[1] * 5 rotated by 7, times 9. */
    lw_random random = { { 1, 0, 0, 0 } };
    uint64_t inverse_of_9 = 0x8e38e38e38e38e39;
    uint64_t rotated = UINT64_MAX * inverse_of_9;
    random.s[1] = (rotated >> 7 | rotated << 57) * 0xcccccccccccccccd;
    lw_random twin = random;
    assert_int_equal(lw_random_next(&twin), UINT64_MAX);
    assert_true(lw_random_unit(&random) < 1.0);
}

static void below_hits_every_value_and_no_other(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 9);
    int hits[7] = { 0 };
    for (int i = 0; i < 70000; i++) {
        uint64_t x = lw_random_below(&random, 7);
        assert_true(x < 7);
        hits[x]++;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(hits[i], 9400, 10600);
}

static void below_one_is_always_zero(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(lw_random_below(&random, 1), 0);
}

/* Plain remainders by 3 * 2^62 would fall into the first third half of the time. */
static void below_is_not_biased_for_huge_bounds(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 11);
    uint64_t third = (uint64_t)1 << 62;
    int first_third = 0;
    for (int i = 0; i < 30000; i++)
        first_third += lw_random_below(&random, 3 * third) < third;
    assert_in_range(first_third, 9500, 10500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(follows_the_published_recurrence),     TEST(fills_its_state_by_splitmix),
        TEST(the_same_seed_gives_the_same_numbers), TEST(seeds_from_the_system_differ),
        TEST(unit_stays_in_range_and_fills_it),     TEST(unit_never_reaches_one),
        TEST(below_hits_every_value_and_no_other),  TEST(below_one_is_always_zero),
        TEST(below_is_not_biased_for_huge_bounds),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
