/* SPDX-License-Identifier: Apache-2.0 */
/* memory_trim_test.c -- free memory of the allocator goes back to the system. */
#include "server/core/memory_trim.h"

#include <stdlib.h>

#include "base/clock.h"
#include "server/core/process.h"
#include "support/sanitized.h"
#include "unit/test.h"

enum {
    BLOCKS = 8000,
    BLOCK_SIZE = 16 * 1024, /* together 128 MB */
    KEPT = 100,             /* every so many blocks is kept: the free memory is in between */
};

static uint64_t resident(void)
{
    lw_process_facts facts;
    lw_process_look(&facts, lw_clock_system());
    return facts.resident_bytes;
}

/* Allocates all blocks, and frees all but those that are kept. */
static void fragment(char **blocks)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK_SIZE);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, BLOCK_SIZE);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (i % KEPT == 0)
            continue;
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

static void free_memory_is_given_back_when_the_timer_fires(void **state)
{
    (void)state;
    if (IS_SANITIZED) /* it has another allocator */
        skip();
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_memory_trim trim = { 0 };
    assert_int_equal(lw_manual_clock_new(&clock, 0), LW_OK);
    assert_int_equal(lw_loop_new(&loop, lw_manual_clock_as_clock(clock), NULL), LW_OK);
    lw_memory_trim_start(&trim, loop);
    char **blocks = calloc(BLOCKS, sizeof(*blocks));
    assert_non_null(blocks);
    fragment(blocks);
    uint64_t before = resident();
    assert_int_equal(lw_loop_turn(loop, 0, NULL), LW_OK);
    lw_manual_clock_advance(clock, LW_MEMORY_TRIM_S * LW_NS_PER_S);
    assert_int_equal(lw_loop_turn(loop, 0, NULL), LW_OK);
    uint64_t after = resident();
    assert_true(before > after + LW_MEMORY_TRIM_BYTES);
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    free(blocks);
    lw_memory_trim_stop(&trim);
    lw_loop_free(loop);
    lw_manual_clock_free(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(free_memory_is_given_back_when_the_timer_fires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
