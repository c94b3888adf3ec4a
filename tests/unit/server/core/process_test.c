/* SPDX-License-Identifier: Apache-2.0 */
/* process_test.c -- what this process takes of the machine. */
#include "server/core/process.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit/test.h"

static void tells_plausible_things(void **state)
{
    (void)state;
    lw_process_facts facts;
    int64_t now = lw_clock_wall(lw_clock_system());
    lw_process_look(&facts, lw_clock_system());
    assert_in_range(facts.resident_bytes, 100 * 1024, (uint64_t)16 << 30);
    assert_true(facts.virtual_bytes >= facts.resident_bytes);
    assert_true(facts.cpu_ns > 0);
    assert_true(facts.start_wall_ns <= now + LW_NS_PER_S);
    assert_true(facts.start_wall_ns > now - 3600 * LW_NS_PER_S);
    assert_int_equal(facts.threads, 1);
    assert_true(facts.max_fds >= facts.open_fds);
}

static void counts_descriptors(void **state)
{
    (void)state;
    lw_process_facts before, after;
    lw_process_look(&before, lw_clock_system());
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    lw_process_look(&after, lw_clock_system());
    assert_int_equal(after.open_fds, before.open_fds + 1);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tells_plausible_things),
        TEST(counts_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
