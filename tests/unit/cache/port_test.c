/* SPDX-License-Identifier: Apache-2.0 */
/* port_test.c -- who is woken, and what the woken may do. */
#include "cache/port.h"

#include "unit/cache/rig.h"

static void a_port_is_woken_once_until_it_dispatches(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    fake_put(&r.store, "pods", "a", "x", "1");
    fake_put(&r.store, "pods", "a", "x", "2");
    assert_int_equal(r.wakes, 1);
    assert_int_equal(r.readies, 0);
    lw_cache_port_dispatch(r.port);
    assert_int_equal(r.readies, 1);
    lw_cache_port_dispatch(r.port);
    assert_int_equal(r.readies, 1);
    fake_put(&r.store, "pods", "a", "x", "3");
    assert_int_equal(r.wakes, 2);
    lw_watcher_close(w);
    rig_done(&r);
}

static void other_resources_wake_nobody(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_NOW, 0);
    fake_put(&r.store, "nodes", NULL, "n", "1");
    assert_int_equal(r.wakes, 0);
    lw_watcher_close(w);
    fake_put(&r.store, "pods", "a", "x", "2");
    assert_int_equal(r.wakes, 0);
    rig_done(&r);
}

/* Watchers that close others, and open one, when they are called. */
typedef struct meddler {
    rig *r;
    lw_watcher *watchers[4];
    lw_watcher *opened;
    unsigned called[4];
} meddler;

static void count_call(lw_watcher *watcher, void *arg)
{
    meddler *m = arg;
    for (size_t i = 0; i < 4; i++)
        m->called[i] += m->watchers[i] == watcher;
}

static void meddle(lw_watcher *watcher, void *arg)
{
    meddler *m = arg;
    count_call(watcher, arg);
    if (watcher != m->watchers[1])
        return;
    m->opened = rig_watch(m->r, &rig_all, LW_WATCH_START_NOW, 0);
    for (size_t i = 0; i < 3; i++) {
        lw_watcher_close(m->watchers[i]);
        m->watchers[i] = NULL;
    }
}

static lw_watcher *open_meddler(meddler *m, void (*on_ready)(lw_watcher *watcher, void *arg))
{
    lw_watcher *watcher = NULL;
    const lw_watcher_options options = { .port = m->r->port,
                                         .resource = m->r->pods,
                                         .filter = &rig_all,
                                         .start = LW_WATCH_START_NOW,
                                         .on_ready = on_ready,
                                         .arg = m };
    assert_int_equal(lw_watcher_open(&watcher, &options, NULL), LW_OK);
    return watcher;
}

static void watchers_may_close_any_and_open_others_when_called(void **state)
{
    (void)state;
    rig r;
    meddler m = { .r = &r };
    rig_start(&r);
    for (size_t i = 0; i < 4; i++)
        m.watchers[i] = open_meddler(&m, meddle);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_cache_port_dispatch(r.port);
    const unsigned expected[4] = { 1, 1, 0, 1 }; /* 0 and 1 called, 2 closed, 3 called */
    assert_memory_equal(m.called, expected, sizeof(expected));
    assert_int_equal(r.readies, 0); /* the new one came during the walk */
    fake_put(&r.store, "pods", "a", "x", "2");
    lw_cache_port_dispatch(r.port);
    assert_int_equal(r.readies, 1);
    lw_watcher_close(m.watchers[3]);
    lw_watcher_close(m.opened);
    rig_done(&r);
}

static void close_self(lw_watcher *watcher, void *arg)
{
    count_call(watcher, arg);
    lw_watcher_close(watcher);
}

static void the_last_watcher_may_close_itself(void **state)
{
    (void)state;
    rig r;
    meddler m = { .r = &r };
    rig_start(&r);
    m.watchers[0] = open_meddler(&m, close_self);
    fake_put(&r.store, "pods", "a", "x", "1");
    lw_cache_port_dispatch(r.port);
    assert_int_equal(m.called[0], 1);
    rig_done(&r); /* asserts that the port has no subscription left */
}

typedef struct told_wait {
    lw_cache_wait wait;
    unsigned told;
    rig *r;
    struct told_wait *cancels;
    struct told_wait *begins;
} told_wait;

static void on_reached(lw_cache_wait *wait)
{
    told_wait *told = (told_wait *)(void *)wait;
    told->told++;
    if (told->cancels)
        lw_cache_wait_cancel(told->r->port, &told->cancels->wait);
    if (told->begins)
        assert_false(lw_cache_wait_begin(told->r->port, &told->begins->wait));
}

static told_wait wait_for(rig *r, uint64_t revision)
{
    return (told_wait){ .wait = { .revision = revision, .reached = on_reached }, .r = r };
}

static void waits_end_when_their_revision_comes(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    told_wait one = wait_for(&r, 1), two = wait_for(&r, 2), three = wait_for(&r, 3);
    assert_false(lw_cache_wait_begin(r.port, &two.wait));
    assert_false(lw_cache_wait_begin(r.port, &three.wait));
    assert_false(lw_cache_wait_begin(r.port, &one.wait));
    fake_put(&r.store, "nodes", NULL, "n", "1");
    assert_int_equal(r.wakes, 1);
    lw_cache_port_dispatch(r.port);
    assert_int_equal(one.told, 1);
    assert_int_equal(two.told, 0);
    fake_put(&r.store, "nodes", NULL, "n", "1");
    fake_put(&r.store, "nodes", NULL, "n", "1");
    fake_put(&r.store, "nodes", NULL, "n", "1");
    assert_int_equal(r.wakes, 2);
    lw_cache_port_dispatch(r.port);
    assert_int_equal(one.told + two.told + three.told, 3);
    assert_true(lw_cache_wait_begin(r.port, &one.wait));
    lw_cache_wait_cancel(r.port, &one.wait);
    fake_put(&r.store, "nodes", NULL, "n", "1");
    assert_int_equal(r.wakes, 2); /* nobody waits */
    rig_done(&r);
}

static void a_wait_may_cancel_and_begin_others_when_told(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    told_wait first = wait_for(&r, 1), second = wait_for(&r, 1), later = wait_for(&r, 9);
    told_wait next = wait_for(&r, 2);
    first.cancels = &second;
    first.begins = &next;
    assert_false(lw_cache_wait_begin(r.port, &later.wait));
    assert_false(lw_cache_wait_begin(r.port, &first.wait));
    assert_false(lw_cache_wait_begin(r.port, &second.wait));
    fake_put(&r.store, "nodes", NULL, "n", "1");
    lw_cache_port_dispatch(r.port);
    assert_int_equal(first.told, 1);
    assert_int_equal(second.told, 0);
    assert_int_equal(next.told, 0);
    fake_put(&r.store, "nodes", NULL, "n", "1");
    assert_int_equal(r.wakes, 2);
    lw_cache_port_dispatch(r.port);
    assert_int_equal(next.told, 1);
    lw_cache_wait_cancel(r.port, &later.wait);
    rig_done(&r);
}

static void watchers_at_different_places_share_a_window(void **state)
{
    (void)state;
    rig r;
    char expected[64];
    rig_start(&r);
    for (int i = 0; i < 3 * LW_WINDOW_SIZE; i++)
        fake_put(&r.store, "pods", "a", "x", "1");
    lw_watcher *w[3];
    for (size_t i = 0; i < 3; i++)
        w[i] = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 1 + i * LW_WINDOW_SIZE);
    for (unsigned step = 0; step < LW_WINDOW_SIZE; step++) {
        for (size_t i = 0; i < 3; i++) {
            lw_cache_event event;
            if (i == 2 && step == LW_WINDOW_SIZE - 1)
                continue;
            assert_int_equal(lw_watcher_next(w[i], &event), LW_WATCH_STEP_EVENT);
            assert_int_equal(event.revision, 2 + i * LW_WINDOW_SIZE + step);
            lw_object_unref(event.object);
        }
    }
    (void)snprintf(expected, sizeof(expected), "~a/x@%d", 3 * LW_WINDOW_SIZE + 1);
    fake_put(&r.store, "pods", "a", "x", "1");
    assert_string_equal(rig_pull(&r, w[2]), expected);
    for (size_t i = 0; i < 3; i++)
        lw_watcher_close(w[i]);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_port_is_woken_once_until_it_dispatches),
        TEST(other_resources_wake_nobody),
        TEST(watchers_may_close_any_and_open_others_when_called),
        TEST(the_last_watcher_may_close_itself),
        TEST(waits_end_when_their_revision_comes),
        TEST(a_wait_may_cancel_and_begin_others_when_told),
        TEST(watchers_at_different_places_share_a_window),
    };
    return cmocka_run_group_tests_name("cache/port", tests, NULL, NULL);
}
