/* SPDX-License-Identifier: Apache-2.0 */
/* log_test.c -- one logger, several threads. */
#include "base/log.h"

#include <stdio.h>

#include "thread/crew.h"

enum {
    ROUNDS = 2000,
};

typedef struct listener {
    lw_logger logger;
    lw_mutex mu; /* guards lines and faults: the program's function does its own locking */
    int lines[CREW_SIZE];
    int faults;
    atomic_int seats;
} listener;

static void hear(lw_log_level level, const char *component, const char *line, void *arg)
{
    listener *l = arg;
    int seat = -1;
    int copy = -1;
    char expected[64];
    /* A line mixed from two threads would not say the same twice. */
    bool read = sscanf(line, "seat %d again %d", &seat, &copy) == 2;
    (void)snprintf(expected, sizeof(expected), "seat %d again %d", seat, seat);
    bool good = read && level == LW_LOG_INFO && strcmp(component, "crew") == 0 && seat >= 0 &&
                seat < CREW_SIZE && strcmp(line, expected) == 0;
    lw_mutex_lock(&l->mu);
    if (good)
        l->lines[seat]++;
    else
        l->faults++;
    lw_mutex_unlock(&l->mu);
}

static void talk(void *arg)
{
    listener *l = arg;
    int seat = atomic_fetch_add(&l->seats, 1);
    for (int i = 0; i < ROUNDS; i++) {
        lw_log(&l->logger, LW_LOG_INFO, "crew", "seat %d again %d", seat, seat);
        lw_log(&l->logger, LW_LOG_DEBUG, "crew", "not wanted");
    }
}

static void lines_of_several_threads_do_not_mix(void **state)
{
    (void)state;
    listener l = { .faults = 0 };
    l.logger = (lw_logger){ LW_LOG_INFO, hear, &l };
    lw_mutex_init(&l.mu);
    crew_run(talk, &l);
    assert_int_equal(l.faults, 0);
    for (int i = 0; i < CREW_SIZE; i++)
        assert_int_equal(l.lines[i], ROUNDS);
    lw_mutex_done(&l.mu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_of_several_threads_do_not_mix),
    };
    return cmocka_run_group_tests_name("thread-log", tests, NULL, NULL);
}
