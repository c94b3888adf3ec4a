/* SPDX-License-Identifier: Apache-2.0 */
/* arena_test.c -- parts of memory that are freed all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "unit/failing_alloc.h"
#include "unit/test.h"

enum {
    LIMIT = 1 << 20,
};

static void parts_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    enum {
        PARTS = 300,
    };
    unsigned char *parts[PARTS];
    lw_arena arena;
    lw_arena_init(&arena, LIMIT);
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = lw_arena_take(&arena, i);
        assert_non_null(parts[i]);
        assert_int_equal((uintptr_t)parts[i] % _Alignof(max_align_t), 0);
        memset(parts[i], (int)(i % 251), i);
    }
    for (size_t i = 0; i < PARTS; i++) {
        for (size_t at = 0; at < i; at++)
            assert_int_equal(parts[i][at], i % 251);
    }
    lw_arena_done(&arena);
}

static void zeroed_parts_are_zero_also_where_memory_was_used_before(void **state)
{
    (void)state;
    lw_arena arena;
    lw_arena_init(&arena, LIMIT);
    for (int round = 0; round < 3; round++) {
        unsigned char *part = lw_arena_take_zero(&arena, 100, 7);
        assert_non_null(part);
        for (size_t at = 0; at < 700; at++)
            assert_int_equal(part[at], 0);
        memset(part, 0xFF, 700);
        lw_arena_done(&arena);
    }
}

static void a_copy_ends_with_a_nul_byte(void **state)
{
    (void)state;
    lw_arena arena;
    lw_arena_init(&arena, LIMIT);
    memset(lw_arena_take_zero(&arena, 1, 16), 0xFF, 16);
    lw_str copy = lw_arena_copy(&arena, lw_str_make("podium", 3));
    assert_string_equal(copy.ptr, "pod");
    assert_int_equal(copy.len, 3);
    assert_int_equal(lw_arena_copy(&arena, lw_str_make(NULL, 0)).len, 0);
    lw_arena_done(&arena);
}

static void gives_all_bytes_up_to_its_limit_and_then_fails_for_good(void **state)
{
    (void)state;
    lw_arena arena;
    size_t parts = 0;
    lw_arena_init(&arena, 10000);
    while (lw_arena_take(&arena, 16))
        parts++;
    assert_int_equal(parts, 10000 / 16);
    assert_int_equal(arena.st, LW_ERR_LIMIT);
    assert_true(arena.taken <= arena.limit);
    assert_null(lw_arena_take(&arena, 1));
    assert_null(lw_arena_copy(&arena, lw_str_of("x")).ptr);
    lw_arena_done(&arena);
    assert_int_equal(arena.st, LW_OK);
    assert_non_null(lw_arena_take(&arena, 1));
    lw_arena_done(&arena);
}

static void refuses_sizes_that_overflow(void **state)
{
    (void)state;
    lw_arena arena;
    lw_arena_init(&arena, SIZE_MAX);
    assert_null(lw_arena_take_zero(&arena, SIZE_MAX / 2, 4));
    assert_int_equal(arena.st, LW_ERR_LIMIT);
    lw_arena_done(&arena);
}

static void no_memory_is_remembered(void **state)
{
    (void)state;
    failing_alloc f;
    lw_arena arena;
    lw_arena_init(&arena, LIMIT);
    failing_alloc_begin(&f, 0);
    assert_null(lw_arena_take(&arena, 1));
    failing_alloc_end();
    assert_int_equal(arena.st, LW_ERR_NOMEM);
    assert_null(lw_arena_take(&arena, 1));
    lw_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_are_aligned_and_do_not_overlap),
        TEST(zeroed_parts_are_zero_also_where_memory_was_used_before),
        TEST(a_copy_ends_with_a_nul_byte),
        TEST(gives_all_bytes_up_to_its_limit_and_then_fails_for_good),
        TEST(refuses_sizes_that_overflow),
        TEST(no_memory_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
