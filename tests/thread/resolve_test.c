/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_test.c -- lookups on threads of their own that are told to a loop, or abandoned. */
#include "net/dial/resolve.h"

#include "unit/test.h"

enum {
    LOOKUPS = 60,
};

static void count(const lw_address *addresses, size_t count, const lw_error *err, void *arg)
{
    (void)addresses;
    assert_true((count > 0) == (err == NULL));
    ++*(unsigned *)arg;
}

/* Every third is abandoned at once, every third after a turn or when the loop goes. */
static void lookups_are_told_once_or_abandoned(void **state)
{
    (void)state;
    lw_loop *loop = NULL;
    lw_resolve *all[LOOKUPS];
    unsigned told = 0, abandoned = 0;
    assert_int_equal(lw_loop_new(&loop, NULL, NULL), LW_OK);
    for (unsigned i = 0; i < LOOKUPS; i++) {
        unsigned *counter = i % 3 == 0 ? &told : &abandoned;
        assert_int_equal(lw_resolve_start(&all[i], loop, "localhost", 1, count, counter, NULL),
                         LW_OK);
        if (i % 3 == 1)
            lw_resolve_cancel(all[i]);
    }
    for (unsigned i = 2; i < LOOKUPS; i += 3)
        lw_resolve_cancel(all[i]);
    while (told < LOOKUPS / 3)
        assert_int_equal(lw_loop_turn(loop, 1000, NULL), LW_OK);
    lw_resolve *last = NULL;
    assert_int_equal(lw_resolve_start(&last, loop, "localhost", 1, count, &abandoned, NULL), LW_OK);
    lw_resolve_cancel(last);
    lw_loop_free(loop);
    assert_int_equal(told, LOOKUPS / 3);
    assert_int_equal(abandoned, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lookups_are_told_once_or_abandoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
