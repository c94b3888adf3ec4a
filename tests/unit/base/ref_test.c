/* SPDX-License-Identifier: Apache-2.0 */
/* ref_test.c -- counting references in one thread; tests/thread has the rest. */
#include "base/ref.h"

#include "unit/test.h"

static void only_the_last_owner_is_told_to_free(void **state)
{
    (void)state;
    lw_ref ref;
    lw_ref_init(&ref);
    assert_int_equal(lw_ref_count(&ref), 1);
    lw_ref_inc(&ref);
    lw_ref_inc(&ref);
    assert_int_equal(lw_ref_count(&ref), 3);
    assert_false(lw_ref_dec(&ref));
    assert_false(lw_ref_dec(&ref));
    assert_true(lw_ref_dec(&ref));
}

static void the_creator_alone_is_the_last_owner(void **state)
{
    (void)state;
    lw_ref ref;
    lw_ref_init(&ref);
    assert_true(lw_ref_dec(&ref));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_the_last_owner_is_told_to_free),
        TEST(the_creator_alone_is_the_last_owner),
    };
    return cmocka_run_group_tests_name("ref", tests, NULL, NULL);
}
