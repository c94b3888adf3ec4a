/* SPDX-License-Identifier: Apache-2.0 */
/* sync_test.c -- locks and threads one by one; tests/thread has them under load. */
#include "base/sync.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit/test.h"

enum {
    PATIENCE_S = 20,    /* longer than any wait here takes */
    WAKEUPS_MAX = 1000, /* without a reason: a system may have some */
};

/* A wait that is not ended by its deadline is ended by the alarm, which kills the test. */
static void a_past_deadline_ends_the_wait_at_once(void **state)
{
    (void)state;
    const lw_clock *clock = lw_clock_system();
    const int64_t deadlines[] = { lw_clock_now(clock), 0, INT64_MIN };
    lw_mutex mutex;
    lw_cond cond;
    lw_mutex_init(&mutex);
    lw_cond_init(&cond);
    lw_mutex_lock(&mutex);
    (void)alarm(PATIENCE_S);
    for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++) {
        int64_t before = lw_clock_now(clock), wakeups = 0;
        while (lw_cond_wait_until(&cond, &mutex, deadlines[i]))
            assert_true(++wakeups < WAKEUPS_MAX);
        assert_in_range(lw_clock_now(clock) - before, 0, LW_NS_PER_S);
    }
    (void)alarm(0);
    lw_mutex_unlock(&mutex);
    lw_cond_done(&cond);
    lw_mutex_done(&mutex);
}

static void a_wait_lasts_until_its_deadline(void **state)
{
    (void)state;
    lw_mutex mutex;
    lw_cond cond;
    lw_mutex_init(&mutex);
    lw_cond_init(&cond);
    int64_t deadline = lw_clock_now(lw_clock_system()) + 5 * LW_NS_PER_MS;
    lw_mutex_lock(&mutex);
    while (lw_cond_wait_until(&cond, &mutex, deadline))
        continue;
    lw_mutex_unlock(&mutex);
    assert_true(lw_clock_now(lw_clock_system()) >= deadline);
    lw_cond_done(&cond);
    lw_mutex_done(&mutex);
}

typedef struct report {
    lw_thread thread;
    char name[LW_THREAD_NAME_SIZE];
    sigset_t blocked;
    bool is_self;
} report;

static void write_report(void *arg)
{
    report *r = arg;
    (void)prctl(PR_GET_NAME, r->name);
    (void)pthread_sigmask(SIG_BLOCK, NULL, &r->blocked);
}

static void run_report(report *r, const char *name)
{
    assert_int_equal(lw_thread_start(&r->thread, name, write_report, r, NULL), LW_OK);
    r->is_self = lw_thread_is_self(&r->thread);
    lw_thread_join(&r->thread);
}

static void a_thread_carries_its_name(void **state)
{
    (void)state;
    report r = { 0 };
    run_report(&r, "reflector");
    assert_string_equal(r.name, "reflector");
    assert_false(r.is_self);
}

static void a_long_thread_name_is_cut(void **state)
{
    (void)state;
    report r = { 0 };
    run_report(&r, "reflector-of-all-pods");
    assert_string_equal(r.name, "reflector-of-al");
}

static void a_thread_takes_no_signals_of_the_program(void **state)
{
    (void)state;
    static const int foreign[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR1, SIGALRM };
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    report r = { 0 };
    run_report(&r, "x");
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        assert_int_equal(sigismember(&r.blocked, foreign[i]), 1);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        assert_int_equal(sigismember(&r.blocked, own[i]), 0);
}

static void starting_a_thread_leaves_the_signals_of_the_starter(void **state)
{
    (void)state;
    sigset_t before;
    sigset_t after;
    sigset_t one;
    (void)sigemptyset(&one);
    (void)sigaddset(&one, SIGUSR2);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &one, &before), 0);
    report r = { 0 };
    run_report(&r, "x");
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, &after), 0);
    assert_int_equal(sigismember(&after, SIGUSR2), 1);
    assert_int_equal(sigismember(&after, SIGINT), 0);
    assert_int_equal(sigismember(&after, SIGTERM), 0);
}

/* A stack larger than any address space can never be allocated. (Emulators do not enforce a memory
 * limit, and sanitizers cannot run under one.) */
static void a_thread_the_system_refuses_is_an_error(void **state)
{
    (void)state;
    pthread_attr_t before;
    pthread_attr_t greedy;
    lw_thread thread;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&greedy), 0);
    assert_int_equal(pthread_attr_setstacksize(&greedy, (size_t)1 << 62), 0);
    assert_int_equal(pthread_setattr_default_np(&greedy), 0);
    lw_status st = lw_thread_start(&thread, "greedy", write_report, NULL, &err);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_destroy(&greedy), 0);
    assert_int_equal(pthread_attr_destroy(&before), 0);
    assert_int_equal(st, LW_ERR_IO);
    assert_int_equal(err.code, LW_ERR_IO);
    assert_non_null(strstr(err.message, "greedy"));
    assert_non_null(strstr(err.message, "pthread_create"));
}

static void count_up(void *arg)
{
    ++*(int *)arg;
}

static void once_runs_the_work_once(void **state)
{
    (void)state;
    lw_once once = LW_ONCE_INIT;
    int runs = 0;
    for (int i = 0; i < 5; i++)
        lw_once_run(&once, count_up, &runs);
    assert_int_equal(runs, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_past_deadline_ends_the_wait_at_once),
        TEST(a_wait_lasts_until_its_deadline),
        TEST(a_thread_carries_its_name),
        TEST(a_long_thread_name_is_cut),
        TEST(a_thread_takes_no_signals_of_the_program),
        TEST(starting_a_thread_leaves_the_signals_of_the_starter),
        TEST(once_runs_the_work_once),
        TEST(a_thread_the_system_refuses_is_an_error),
    };
    return cmocka_run_group_tests_name("sync", tests, NULL, NULL);
}
