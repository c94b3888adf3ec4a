/* SPDX-License-Identifier: Apache-2.0 */
/* entropy_test.c -- bytes from the operating system. */
#include "base/random.h"

#include "unit/test.h"

static void fills_every_byte(void **state)
{
    (void)state;
    /* A byte that was never written stays 0 in each of 64 rounds; by chance: 256^-64. */
    unsigned char seen[1000] = { 0 };
    for (int round = 0; round < 64; round++) {
        unsigned char drawn[sizeof(seen)] = { 0 };
        assert_int_equal(lw_entropy_fill(drawn, sizeof(drawn)), LW_OK);
        for (size_t i = 0; i < sizeof(seen); i++)
            seen[i] |= drawn[i];
    }
    for (size_t i = 0; i < sizeof(seen); i++)
        assert_int_not_equal(seen[i], 0);
}

static void writes_no_byte_too_many(void **state)
{
    (void)state;
    for (int round = 0; round < 16; round++) {
        unsigned char drawn[8] = { 0 };
        assert_int_equal(lw_entropy_fill(drawn, 7), LW_OK);
        assert_int_equal(drawn[7], 0);
    }
}

static void fills_nothing_when_asked_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(lw_entropy_fill(NULL, 0), LW_OK);
}

static void seeds_differ(void **state)
{
    (void)state;
    uint64_t drawn[4] = { 0 };
    lw_entropy_seed(drawn, 4);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++)
            assert_int_not_equal(drawn[i], drawn[j]);
    }
}

static void the_fallback_differs_from_draw_to_draw(void **state)
{
    (void)state;
    uint64_t a[2] = { 0 };
    uint64_t b[2] = { 0 };
    lw_entropy__seed_weak(a, 2);
    lw_entropy__seed_weak(b, 2);
    assert_int_not_equal(a[0], a[1]);
    assert_int_not_equal(a[0], b[0]);
    assert_int_not_equal(a[1], b[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fills_every_byte),
        TEST(writes_no_byte_too_many),
        TEST(fills_nothing_when_asked_for_nothing),
        TEST(seeds_differ),
        TEST(the_fallback_differs_from_draw_to_draw),
    };
    return cmocka_run_group_tests_name("entropy", tests, NULL, NULL);
}
