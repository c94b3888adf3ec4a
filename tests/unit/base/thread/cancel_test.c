/* SPDX-License-Identifier: Apache-2.0 */
/* cancel_test.c -- what a cancellation reaches: the scopes that the calling thread is in. */
#include "base/thread/cancel.h"

#include <poll.h>

#include "base/sync.h"
#include "unit/test.h"

static bool is_readable(int fd)
{
    struct pollfd at = { .fd = fd, .events = POLLIN };
    return poll(&at, 1, 0) == 1;
}

static void a_cancellation_stays(void **state)
{
    (void)state;
    lw_cancel cancel;
    assert_int_equal(lw_cancel_init(&cancel, NULL), LW_OK);
    assert_false(lw_cancel_is_fired(&cancel));
    assert_false(is_readable(cancel.fd));
    lw_cancel_fire(&cancel);
    lw_cancel_fire(&cancel);
    assert_true(lw_cancel_is_fired(&cancel));
    assert_true(is_readable(cancel.fd));
    assert_true(is_readable(cancel.fd));
    lw_cancel_done(&cancel);
    lw_cancel none = LW_CANCEL_NONE;
    lw_cancel_done(&none);
}

static void see_nothing(void *arg)
{
    int fds[LW_CANCEL_SCOPES_MAX];
    *(bool *)arg = !lw_cancel_is_due() && lw_cancel_fds(fds) == 0;
}

static void scopes_nest_and_are_of_one_thread(void **state)
{
    (void)state;
    lw_cancel outer, inner;
    lw_cancel_scope scopes[2];
    int fds[LW_CANCEL_SCOPES_MAX];
    lw_thread thread;
    bool is_free = false;
    assert_int_equal(lw_cancel_init(&outer, NULL), LW_OK);
    assert_int_equal(lw_cancel_init(&inner, NULL), LW_OK);
    lw_cancel_enter(&scopes[0], &outer);
    lw_cancel_enter(&scopes[1], &inner);
    assert_false(lw_cancel_is_due());
    assert_int_equal(lw_cancel_fds(fds), 2);
    assert_int_equal(fds[0], inner.fd);
    assert_int_equal(fds[1], outer.fd);
    lw_cancel_fire(&outer);
    assert_true(lw_cancel_is_due());
    assert_int_equal(lw_thread_start(&thread, "other", see_nothing, &is_free, NULL), LW_OK);
    lw_thread_join(&thread);
    assert_true(is_free);
    lw_cancel_leave(&scopes[1]);
    assert_true(lw_cancel_is_due());
    lw_cancel_leave(&scopes[0]);
    assert_false(lw_cancel_is_due());
    lw_cancel_done(&inner);
    lw_cancel_done(&outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cancellation_stays),
        TEST(scopes_nest_and_are_of_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
