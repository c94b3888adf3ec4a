/* SPDX-License-Identifier: Apache-2.0 */
/* clock_test.c -- a manual clock moved by some threads and read by others. */
#include "base/clock.h"

#include "thread/crew.h"

enum {
    ROUNDS = 20000,
    STEP_NS = 3,
};

typedef struct watch {
    lw_manual_clock *manual;
    const lw_clock *clock;
    int written[ROUNDS]; /* plain memory, written before the clock moves past its index */
    atomic_int seats;
    atomic_int faults;
} watch;

static void move(watch *w)
{
    for (int i = 0; i < ROUNDS; i++)
        lw_manual_clock_advance(w->manual, STEP_NS);
}

static void look(watch *w)
{
    int64_t last = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t now = lw_clock_now(w->clock);
        if (now < last || (now - LW_NS_PER_S) % STEP_NS != 0)
            atomic_fetch_add(&w->faults, 1);
        if (lw_clock_wall(w->clock) % STEP_NS != 0)
            atomic_fetch_add(&w->faults, 1);
        last = now;
    }
}

static void move_or_look(void *arg)
{
    watch *w = arg;
    if (atomic_fetch_add(&w->seats, 1) % 2 == 0)
        move(w);
    else
        look(w);
}

/* One thread writes, then moves; the others read everything the clock says is written. */
static void write_or_read(void *arg)
{
    watch *w = arg;
    if (atomic_fetch_add(&w->seats, 1) == 0) {
        for (int i = 0; i < ROUNDS; i++) {
            w->written[i] = 1;
            lw_manual_clock_advance(w->manual, 1);
        }
        return;
    }
    for (int64_t seen = 0; seen < ROUNDS;) {
        int64_t moved = lw_clock_now(w->clock) - LW_NS_PER_S;
        for (; seen < moved; seen++) {
            if (w->written[seen] != 1)
                atomic_fetch_add(&w->faults, 1);
        }
    }
}

static watch w;

static void run(void (*work)(void *arg))
{
    w = (watch){ .manual = NULL };
    assert_int_equal(lw_manual_clock_new(&w.manual, 0), LW_OK);
    w.clock = lw_manual_clock_as_clock(w.manual);
    crew_run(work, &w);
    assert_int_equal(atomic_load(&w.faults), 0);
}

static void no_advance_is_lost_and_time_never_goes_back(void **state)
{
    (void)state;
    run(move_or_look);
    int64_t moved = (int64_t)CREW_SIZE / 2 * ROUNDS * STEP_NS;
    assert_int_equal(lw_clock_now(w.clock), LW_NS_PER_S + moved);
    assert_int_equal(lw_clock_wall(w.clock), moved);
    lw_manual_clock_free(w.manual);
}

static void who_sees_the_new_time_sees_what_happened_before_it(void **state)
{
    (void)state;
    run(write_or_read);
    lw_manual_clock_free(w.manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_advance_is_lost_and_time_never_goes_back),
        TEST(who_sees_the_new_time_sees_what_happened_before_it),
    };
    return cmocka_run_group_tests_name("thread-clock", tests, NULL, NULL);
}
