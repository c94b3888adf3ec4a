/* SPDX-License-Identifier: Apache-2.0 */
/* event_ring_test.c -- the changes of one resource. */
#include "cache/event_ring.h"

#include "unit/failing_alloc.h"
#include "unit/object/make.h"

static lw_cache_change change_at(uint64_t revision, lw_watch_event_type type, bool has_prev)
{
    return (lw_cache_change){
        .revision = revision,
        .type = type,
        .object = object_of("{\"metadata\":{\"name\":\"new\"}}"),
        .prev = has_prev ? object_of("{\"metadata\":{\"name\":\"before\"}}") : NULL,
    };
}

static void push(lw_event_ring *ring, uint64_t revision, uint64_t expected_eviction)
{
    lw_cache_change change = change_at(revision, LW_WATCH_MODIFIED, true), evicted;
    assert_int_equal(lw_event_ring_push_take(ring, &change, &evicted), LW_OK);
    assert_int_equal(evicted.revision, expected_eviction);
    lw_cache_change_done(&evicted);
}

static void a_full_ring_evicts_the_oldest_and_says_so(void **state)
{
    (void)state;
    lw_event_ring ring;
    lw_event_ring_init(&ring, 3, 1, 5);
    push(&ring, 10, 0);
    push(&ring, 20, 0);
    push(&ring, 30, 0);
    assert_int_equal(ring.oldest, 5);
    push(&ring, 40, 10);
    assert_int_equal(ring.oldest, 10);
    assert_int_equal(ring.total, 4);
    assert_null(lw_event_ring_at(&ring, 1));
    assert_int_equal(lw_event_ring_at(&ring, 2)->revision, 20);
    assert_null(lw_event_ring_at(&ring, 5));
    lw_event_ring_done(&ring);
}

static void evicts_up_to_a_revision(void **state)
{
    (void)state;
    lw_event_ring ring;
    lw_cache_change evicted[2];
    lw_event_ring_init(&ring, 100, 1, 0);
    for (uint64_t revision = 10; revision <= 60; revision += 10)
        push(&ring, revision, 0);
    assert_int_equal(lw_event_ring_evict(&ring, 35, evicted, 2), 2);
    assert_int_equal(ring.oldest, 20);
    for (int i = 0; i < 2; i++)
        lw_cache_change_done(&evicted[i]);
    assert_int_equal(lw_event_ring_evict(&ring, 35, evicted, 2), 1);
    assert_int_equal(evicted[0].revision, 30);
    assert_int_equal(ring.oldest, 35);
    lw_cache_change_done(&evicted[0]);
    assert_int_equal(lw_event_ring_evict(&ring, 20, evicted, 2), 0);
    assert_int_equal(ring.oldest, 35);
    lw_event_ring_done(&ring);
}

static void seeks_the_first_change_after_a_revision(void **state)
{
    (void)state;
    lw_event_ring ring;
    lw_event_ring_init(&ring, 100, 1, 0);
    assert_int_equal(lw_event_ring_seek(&ring, 0), 1);
    for (uint64_t revision = 10; revision <= 50; revision += 10)
        push(&ring, revision, 0);
    const uint64_t cases[][2] = { { 0, 1 },  { 9, 1 },  { 10, 2 }, { 11, 2 },
                                  { 49, 5 }, { 50, 6 }, { 99, 6 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(lw_event_ring_seek(&ring, cases[i][0]), cases[i][1]);
    lw_event_ring_done(&ring);
}

static void bytes_are_of_what_left_the_index(void **state)
{
    (void)state;
    lw_event_ring ring;
    lw_cache_change evicted[4];
    lw_event_ring_init(&ring, 100, 1, 0);
    lw_cache_change added = change_at(1, LW_WATCH_ADDED, false);
    lw_cache_change modified = change_at(2, LW_WATCH_MODIFIED, true);
    lw_cache_change deleted = change_at(3, LW_WATCH_DELETED, false);
    size_t before = lw_cache_object_bytes(modified.prev);
    size_t last = lw_cache_object_bytes(deleted.object);
    assert_int_equal(lw_event_ring_push_take(&ring, &added, evicted), LW_OK);
    assert_int_equal(ring.bytes, 0);
    assert_int_equal(lw_event_ring_push_take(&ring, &modified, evicted), LW_OK);
    assert_int_equal(ring.bytes, before);
    assert_int_equal(lw_event_ring_push_take(&ring, &deleted, evicted), LW_OK);
    assert_int_equal(ring.bytes, before + last);
    assert_int_equal(lw_event_ring_evict(&ring, 9, evicted, 4), 3);
    assert_int_equal(ring.bytes, 0);
    for (int i = 0; i < 3; i++)
        lw_cache_change_done(&evicted[i]);
    lw_event_ring_done(&ring);
}

static void a_push_without_memory_eats_its_references(void **state)
{
    (void)state;
    lw_event_ring ring;
    lw_cache_change change = change_at(1, LW_WATCH_MODIFIED, true), evicted;
    lw_object *kept = lw_object_ref(change.object);
    lw_event_ring_init(&ring, 100, 1, 0);
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_status st = lw_event_ring_push_take(&ring, &change, &evicted);
    failing_alloc_end();
    assert_int_equal(st, LW_ERR_NOMEM);
    assert_int_equal(ring.bytes, 0);
    assert_int_equal(ring.total, 0);
    lw_object_unref(kept);
    lw_event_ring_done(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_full_ring_evicts_the_oldest_and_says_so), TEST(evicts_up_to_a_revision),
        TEST(seeks_the_first_change_after_a_revision),   TEST(bytes_are_of_what_left_the_index),
        TEST(a_push_without_memory_eats_its_references),
    };
    return cmocka_run_group_tests_name("cache/event_ring", tests, NULL, NULL);
}
