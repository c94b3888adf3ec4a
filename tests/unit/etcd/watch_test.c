/* SPDX-License-Identifier: Apache-2.0 */
/* watch_test.c -- watches of a real etcd. */
#include <stdlib.h>

#include "unit/etcd/watch_world.h"

static etcd_world world;

static void it_tells_what_happens_from_now_on_in_its_range_alone(void **state)
{
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("now/"), .end = LW_STR("now0") };
    (void)state;
    etcd_world_put(world.client, "now/before", "0");
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    etcd_world_put(world.client, "now/a", "1");
    etcd_world_put(world.client, "nowhere", "x");
    etcd_world_put(world.client, "now/a", "2");
    uint64_t last = etcd_world_delete(world.client, "now/a");
    etcd_world_await(&world, &note.events, 3);
    assert_str_equal(lw_buf_view(&note.said), "+now/a=1 +now/a=2 -now/a ");
    assert_int_equal(note.last_revision, last);
    assert_false(note.has_prev);
    assert_false(note.is_disordered);
    watch_note_close(&note);
}

static void it_tells_the_past_from_the_revision_on_that_was_asked_for(void **state)
{
    watch_note note = { .wants_text = true };
    lw_etcd_watch_request request = { .key = LW_STR("history") };
    (void)state;
    etcd_world_put(world.client, "history", "1");
    request.start_revision = etcd_world_put(world.client, "history", "2");
    etcd_world_put(world.client, "history", "3");
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.events, 2);
    assert_str_equal(lw_buf_view(&note.said), "+history=2 +history=3 ");
    watch_note_close(&note);
}

static void the_value_before_comes_along_when_asked_for(void **state)
{
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("prev"), .wants_prev = true };
    (void)state;
    etcd_world_put(world.client, "prev", "old");
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    etcd_world_put(world.client, "prev", "new");
    etcd_world_await(&world, &note.events, 1);
    assert_true(note.has_prev);
    assert_string_equal(note.prev, "old");
    etcd_world_delete(world.client, "prev");
    etcd_world_await(&world, &note.events, 2);
    assert_true(note.has_prev);
    assert_string_equal(note.prev, "new");
    watch_note_close(&note);
}

static void one_from_a_compacted_revision_ends_and_says_where_history_begins(void **state)
{
    watch_note note = { .wants_text = true };
    lw_error err = LW_ERROR_INIT;
    lw_etcd_watch_request request = { .key = LW_STR("gone") };
    (void)state;
    request.start_revision = etcd_world_put(world.client, "gone", "1");
    uint64_t compacted = etcd_world_put(world.client, "gone", "2");
    if (etcd_blocking_compact(world.client, compacted, &err) < 0)
        fail_msg("%s", err.message);
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.ends, 1);
    assert_int_equal(note.err.code, LW_ERR_EXPIRED);
    assert_int_equal(note.compacted, compacted);
    assert_int_equal(note.events, 0);
    assert_non_null(strstr(note.err.message, world.cluster.endpoints));
    watch_note_close(&note);
}

static void a_cancelled_one_is_silent_also_from_within_its_callback(void **state)
{
    watch_note first = { .cancels_at = 1 }, second = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("cancel") };
    (void)state;
    watch_note_open(&first, world.etcd, &request);
    watch_note_open(&second, world.etcd, &request);
    etcd_world_await(&world, &first.opens, 1);
    etcd_world_await(&world, &second.opens, 1);
    etcd_world_put(world.client, "cancel", "1");
    etcd_world_await(&world, &first.events, 1);
    etcd_world_put(world.client, "cancel", "2");
    etcd_world_await(&world, &second.events, 2);
    assert_int_equal(first.events, 1);
    first.watch = NULL;
    watch_note_close(&first);
    watch_note_close(&second);
}

static void a_paused_one_holds_its_events_and_delays_no_other(void **state)
{
    enum {
        WRITES = 40
    };
    watch_note slow = { .pauses_at = 1 }, quick = { .wants_text = false };
    const lw_etcd_watch_request request = { .key = LW_STR("pause") };
    char *value = malloc(1 << 20);
    (void)state;
    assert_non_null(value);
    memset(value, 'p', 1 << 20);
    value[(1 << 20) - 1] = '\0';
    watch_note_open(&slow, world.etcd, &request);
    watch_note_open(&quick, world.etcd, &request);
    etcd_world_await(&world, &slow.opens, 1);
    etcd_world_await(&world, &quick.opens, 1);
    /* More than the window of a stream. */
    for (int i = 0; i < WRITES; i++)
        etcd_world_put(world.client, "pause", value);
    etcd_world_await(&world, &quick.events, WRITES);
    assert_int_equal(slow.batches, 1);
    unsigned before = slow.events;
    lw_etcd_watch_set_paused(slow.watch, false);
    assert_int_equal(slow.events, before);
    etcd_world_await(&world, &slow.events, WRITES);
    assert_false(slow.is_disordered);
    assert_int_equal(slow.bytes, (size_t)WRITES * ((1 << 20) - 1));
    watch_note_close(&slow);
    watch_note_close(&quick);
    free(value);
}

/* etcd cuts what is larger than a request may be into fragments. */
static void fragments_of_one_answer_are_told_as_one(void **state)
{
    enum {
        WRITES = 12
    };
    watch_note note = { .wants_text = false };
    lw_etcd_watch_request request = { .key = LW_STR("fragment"), .wants_prev = true };
    char *value = malloc(1 << 20);
    (void)state;
    assert_non_null(value);
    memset(value, 'f', 1 << 20);
    value[(1 << 20) - 1] = '\0';
    request.start_revision = etcd_world_put(world.client, "fragment", value);
    for (int i = 1; i < WRITES; i++)
        etcd_world_put(world.client, "fragment", value);
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.events, WRITES);
    assert_false(note.is_disordered);
    /* All of them lay in the past, so they came as one answer. */
    assert_int_equal(note.batches, 1);
    assert_int_equal(note.bytes, (size_t)WRITES * ((1 << 20) - 1));
    watch_note_close(&note);
    free(value);
}

static void note_version(const lw_etcd_status_answer *answer, void *arg)
{
    (void)snprintf(arg, 32, "%.*s", LW_STR_ARG(answer->version));
}

static void progress_is_told_when_it_is_asked_for(void **state)
{
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("progress") };
    char version[32];
    lw_error err = LW_ERROR_INIT;
    (void)state;
    watch_note_open(&note, world.etcd, &request);
    lw_etcd_watch_ask_progress(note.watch); /* before it is open */
    etcd_world_await(&world, &note.progresses, 1);
    uint64_t revision = etcd_world_put(world.client, "elsewhere", "1");
    lw_etcd_watch_ask_progress(note.watch);
    etcd_world_await(&world, &note.progresses, 2);
    assert_int_equal(note.progress, revision);
    assert_int_equal(note.events, 0);
    if (etcd_blocking_status(world.client, note_version, version, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(version[0], '3');
    watch_note_close(&note);
}

static void the_end_of_a_connection_is_told_once_and_the_watch_goes_on(void **state)
{
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("cut") };
    (void)state;
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    etcd_world_put(world.client, "cut", "1");
    etcd_world_await(&world, &note.events, 1);
    etcd_member_kill(&world.cluster, 0);
    etcd_world_await(&world, &note.cuts, 1);
    assert_int_equal(note.err.code, LW_ERR_UNAVAILABLE);
    assert_true(etcd_member_start(&world.cluster, 0));
    /* Another client writes before the watch is back. */
    etcd_blocking *other = etcd_world_connect(&world, NULL);
    etcd_world_put(other, "cut", "2");
    etcd_world_put(other, "cut", "3");
    etcd_world_await(&world, &note.events, 3);
    assert_str_equal(lw_buf_view(&note.said), "+cut=1 +cut=2 +cut=3 ");
    assert_int_equal(note.opens, 2);
    assert_int_equal(note.cuts, 1);
    etcd_blocking_free(other);
    watch_note_close(&note);
}

static void versions_that_answer_progress_rightly_are_known(void **state)
{
    (void)state;
    assert_false(lw_etcd_version_has_progress(LW_STR("3.4.24")));
    assert_true(lw_etcd_version_has_progress(LW_STR("3.4.25")));
    assert_false(lw_etcd_version_has_progress(LW_STR("3.5.7")));
    assert_true(lw_etcd_version_has_progress(LW_STR("3.5.8")));
    assert_true(lw_etcd_version_has_progress(LW_STR("3.6.0-rc.1")));
    assert_true(lw_etcd_version_has_progress(LW_STR("3.5.12+git")));
    assert_true(lw_etcd_version_has_progress(LW_STR("4.0.0")));
    assert_false(lw_etcd_version_has_progress(LW_STR("3.3.99")));
    assert_false(lw_etcd_version_has_progress(LW_STR("")));
    assert_false(lw_etcd_version_has_progress(LW_STR("new")));
}

static int open_world(void **state)
{
    (void)state;
    etcd_world_open(&world, NULL, NULL);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    etcd_world_close(&world);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_tells_what_happens_from_now_on_in_its_range_alone),
        TEST(it_tells_the_past_from_the_revision_on_that_was_asked_for),
        TEST(the_value_before_comes_along_when_asked_for),
        TEST(one_from_a_compacted_revision_ends_and_says_where_history_begins),
        TEST(a_cancelled_one_is_silent_also_from_within_its_callback),
        TEST(a_paused_one_holds_its_events_and_delays_no_other),
        TEST(fragments_of_one_answer_are_told_as_one),
        TEST(progress_is_told_when_it_is_asked_for),
        TEST(the_end_of_a_connection_is_told_once_and_the_watch_goes_on),
        TEST(versions_that_answer_progress_rightly_are_known),
    };
    ETCD_WORLD_SKIP_WITHOUT_ETCD();
    return cmocka_run_group_tests(tests, open_world, close_world);
}
