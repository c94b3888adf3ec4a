/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_test.c -- allocation, and replacing the allocator. */
#include "base/alloc.h"

#include "unit/failing_alloc.h"
#include "unit/test.h"

static void a_size_of_zero_gives_something_to_free(void **state)
{
    (void)state;
    void *a = lw_alloc(0);
    void *b = lw_alloc_zero(0, 8);
    void *c = lw_alloc_zero(8, 0);
    void *d = lw_realloc_array(NULL, 0, 8);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_non_null(d);
    lw_free(a);
    lw_free(b);
    lw_free(c);
    lw_free(d);
}

static void freeing_null_does_nothing(void **state)
{
    (void)state;
    failing_alloc counted;
    failing_alloc_begin(&counted, 1);
    void *kept = lw_alloc(1);
    lw_free(NULL);
    size_t live = counted.live;
    lw_free(kept);
    failing_alloc_end();
    assert_int_equal(live, 1);
    assert_int_equal(counted.live, 0);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    /* Dirty memory first, so that a fresh page does not pass for a zeroed one. */
    void *dirty = lw_alloc(1000);
    assert_non_null(dirty);
    memset(dirty, 0xff, 1000);
    lw_free(dirty);
    unsigned char *bytes = lw_alloc_zero(100, 10);
    assert_non_null(bytes);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(bytes[i], 0);
    lw_free(bytes);
}

static void a_product_that_overflows_is_out_of_memory(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    size_t huge = SIZE_MAX / 2 + 1;
    assert_null(lw_alloc_zero(huge, 2));
    assert_null(lw_alloc_zero(2, huge));
    assert_null(lw_realloc_array(NULL, huge, 2));
    assert_null(lw_realloc_array(NULL, 3, SIZE_MAX / 2));
    failing_alloc_end();
    assert_int_equal(f.calls, 0);
}

static void resizing_keeps_the_bytes(void **state)
{
    (void)state;
    char *text = lw_realloc_array(NULL, 4, 1);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    char *grown = lw_realloc_array(text, 1000, 2);
    assert_non_null(grown);
    assert_string_equal(grown, "abc");
    char *shrunk = lw_realloc_array(grown, 2, 2);
    assert_non_null(shrunk);
    assert_memory_equal(shrunk, "abc", 4);
    lw_free(shrunk);
}

static void a_failed_resize_leaves_the_block(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 1);
    char *text = lw_alloc(4);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    assert_null(lw_realloc_array(text, 1000, 1));
    assert_string_equal(text, "abc");
    lw_free(text);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void every_call_goes_to_the_allocator_in_force(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    void *a = lw_alloc(1);
    void *b = lw_alloc_zero(1, 1);
    void *c = lw_realloc_array(NULL, 1, 1);
    assert_int_equal(f.calls, 3);
    assert_int_equal(f.live, 3);
    lw_free(a);
    lw_free(b);
    lw_free(c);
    assert_int_equal(f.live, 0);
    failing_alloc_end();
    lw_free(lw_alloc(1));
    assert_int_equal(f.calls, 3);
}

static void a_failing_allocator_gives_null(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    assert_null(lw_alloc(1));
    assert_null(lw_alloc_zero(1, 1));
    assert_null(lw_realloc_array(NULL, 1, 1));
    failing_alloc_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_size_of_zero_gives_something_to_free),
        TEST(freeing_null_does_nothing),
        TEST(zeroed_memory_is_zero),
        TEST(a_product_that_overflows_is_out_of_memory),
        TEST(resizing_keeps_the_bytes),
        TEST(a_failed_resize_leaves_the_block),
        TEST(every_call_goes_to_the_allocator_in_force),
        TEST(a_failing_allocator_gives_null),
    };
    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
