/* SPDX-License-Identifier: Apache-2.0 */
/* controller_test.c -- changes are taken from the queue, applied to the cache, and delivered. */
#include "informer/controller.h"

#include "base/sync.h"
#include "house.h"
#include "informer/delivery/listener.h"
#include "support/script_source.h"
#include "unit/failing_alloc.h"

/* A queue, a cache and one handler. */
typedef struct desk {
    lw_delta_fifo *fifo;
    lw_indexer *indexer;
    lw_processor *processor;
    lw_controller controller;
    notebook book;
} desk;

static void nothing(void *arg)
{
    (void)arg;
}

static void desk_open(desk *d)
{
    *d = (desk){ .fifo = NULL };
    assert_int_equal(lw_delta_fifo_new(&d->fifo, NULL), LW_OK);
    assert_int_equal(lw_indexer_new(&d->indexer), LW_OK);
    const lw_processor_options options = {
        .indexer = d->indexer, .clock = lw_clock_system(), .wake = nothing, .on_synced = nothing
    };
    assert_int_equal(lw_processor_new(&d->processor, &options, NULL), LW_OK);
    d->controller =
        (lw_controller){ .fifo = d->fifo, .indexer = d->indexer, .processor = d->processor };
    const lw_handler handler = notebook_handler(&d->book);
    assert_int_equal(lw_processor_add(d->processor, &handler, NULL, NULL), LW_OK);
}

static void desk_close(desk *d)
{
    assert_true(lw_indexer_check(d->indexer));
    lw_processor_free(d->processor);
    lw_indexer_free(d->indexer);
    lw_delta_fifo_free(d->fifo);
}

static void desk_run(desk *d)
{
    lw_controller_run(&d->controller, SIZE_MAX);
    lw_processor_dispatch(d->processor);
}

/* Queues a whole state: keys and revisions, up to NULL. */
typedef struct item {
    const char *key;
    uint64_t rv;
} item;

static void replace(desk *d, const item *items, const char *rv)
{
    lw_replacement *state = NULL;
    assert_int_equal(lw_replacement_new(&state), LW_OK);
    for (; items->key; items++) {
        lw_object *obj = script_object(items->key, items->rv, 0);
        assert_int_equal(lw_replacement_put(state, obj), LW_OK);
        lw_object_unref(obj);
    }
    assert_int_equal(lw_delta_fifo_replace_take(d->fifo, state, rv), LW_OK);
}

static void queue(desk *d, lw_status (*how)(lw_delta_fifo *fifo, const lw_object *obj),
                  const char *key, uint64_t rv)
{
    lw_object *obj = script_object(key, rv, 0);
    assert_int_equal(how(d->fifo, obj), LW_OK);
    lw_object_unref(obj);
}

static const item two[] = { { "a/x", 1 }, { "a/y", 2 }, { NULL, 0 } };
static const item none[] = { { NULL, 0 } };

static void the_first_list_is_told_as_it_is(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i");
    assert_true(d.controller.has_synced);
    assert_true(lw_delta_fifo_has_synced(d.fifo));
    assert_int_equal(lw_indexer_revision(d.indexer), 5);
    desk_close(&d);
}

static void an_empty_first_list_is_in_sync(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, none, "5");
    desk_run(&d);
    assert_told(&d.book, "");
    assert_true(lw_processor_is_synced(d.processor));
    desk_close(&d);
}

/* What a watch calls it does not matter, what the cache has does. */
static void the_cache_decides_what_a_change_is(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    queue(&d, lw_delta_fifo_add, "a/x", 6);
    queue(&d, lw_delta_fifo_update, "a/z", 7);
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i ~a/x.w +a/z.w");
    desk_close(&d);
}

/* client-go: an update each. */
static void the_version_that_is_known_is_no_news(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    queue(&d, lw_delta_fifo_update, "a/x", 1);
    replace(&d, two, "6");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i");
    assert_int_equal(lw_indexer_revision(d.indexer), 6);
    desk_close(&d);
}

/* client-go since 1.33: handlers hear of the deletion of what they never heard of. */
static void what_was_never_there_is_not_deleted(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    queue(&d, lw_delta_fifo_delete, "a/ghost", 6);
    queue(&d, lw_delta_fifo_delete, "a/x", 7);
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i -a/x.w");
    assert_int_equal(lw_indexer_revision(d.indexer), 7);
    desk_close(&d);
}

/* TestReplaceEvents. */
static void a_relist_tells_deletions_then_the_rest_in_its_order(void **state)
{
    (void)state;
    desk d;
    static const item later[] = { { "a/z", 8 }, { "a/y", 7 }, { NULL, 0 } };
    desk_open(&d);
    replace(&d, two, "5");
    replace(&d, later, "9");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i -a/x.r? +a/z.r ~a/y.r");
    replace(&d, none, "10");
    desk_run(&d);
    assert_string_equal(strstr(d.book.text, "-a/z.r?") ? "gone" : d.book.text, "gone");
    assert_int_equal(lw_indexer_count(d.indexer), 0);
    desk_close(&d);
}

/* TestStoreResourceVersion. */
static void the_revision_follows_objects_lists_and_bookmarks(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    queue(&d, lw_delta_fifo_update, "a/x", 6);
    desk_run(&d);
    assert_int_equal(lw_indexer_revision(d.indexer), 6);
    assert_int_equal(lw_delta_fifo_bookmark(d.fifo, "20"), LW_OK);
    desk_run(&d);
    assert_int_equal(lw_indexer_revision(d.indexer), 20);
    assert_int_equal(lw_delta_fifo_resync(d.fifo), LW_OK);
    desk_run(&d);
    assert_int_equal(lw_indexer_revision(d.indexer), 20);
    assert_told(&d.book, "+a/x.i +a/y.i ~a/x.w ~a/x.s ~a/y.s");
    desk_close(&d);
}

static void run_without_memory(desk *d, size_t allowed)
{
    failing_alloc alloc;
    failing_alloc_begin(&alloc, allowed);
    lw_controller_run(&d->controller, SIZE_MAX);
    failing_alloc_end();
}

/* client-go: TestProcessDeltasInBatch, where the changes that could be applied are delivered in
 * spite of a failure. Here no later change is applied before a list has repaired the cache, so that
 * its revision is always correct. */
static void without_memory_nothing_changes_until_the_next_list(void **state)
{
    (void)state;
    desk d;
    static const item later[] = { { "a/x", 6 }, { "a/y", 2 }, { "a/z", 7 }, { NULL, 0 } };
    desk_open(&d);
    replace(&d, two, "5");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i");
    queue(&d, lw_delta_fifo_update, "a/x", 6);
    run_without_memory(&d, 0);
    assert_true(d.controller.wants_relist);
    queue(&d, lw_delta_fifo_add, "a/z", 7);
    assert_int_equal(lw_delta_fifo_bookmark(d.fifo, "8"), LW_OK);
    desk_run(&d);
    assert_told(&d.book, "");
    assert_int_equal(lw_indexer_revision(d.indexer), 5);
    assert_int_equal(lw_indexer_count(d.indexer), 2);
    replace(&d, later, "9");
    desk_run(&d);
    assert_told(&d.book, "~a/x.r +a/z.r");
    assert_int_equal(lw_indexer_revision(d.indexer), 9);
    desk_close(&d);
}

static void a_first_list_that_finds_no_memory_is_no_sync(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    run_without_memory(&d, 0);
    assert_false(d.controller.has_synced);
    assert_false(lw_delta_fifo_has_synced(d.fifo));
    assert_true(d.controller.wants_relist);
    replace(&d, two, "6");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i");
    desk_close(&d);
}

static void nothing_stays_in_the_log_that_everybody_was_told(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    desk_run(&d);
    for (uint64_t i = 6; i < 100; i++)
        queue(&d, lw_delta_fifo_update, "a/x", i);
    lw_controller_run(&d.controller, SIZE_MAX);
    assert_int_equal(lw_ring_count(&d.processor->log.ring), 94);
    lw_processor_dispatch(d.processor);
    assert_int_equal(lw_ring_count(&d.processor->log.ring), 0);
    desk_close(&d);
}

static void keep_deleted(const lw_event *event, void *arg)
{
    if (event->type == LW_EVENT_DELETE)
        *(uint64_t *)arg = lw_object_revision(event->object);
}

/* client-go: TestRealFIFO_ReplaceMakesDeletions. */
static void what_a_relist_finds_gone_is_told_in_the_newest_state_that_came(void **state)
{
    (void)state;
    desk d;
    uint64_t deleted = 0;
    desk_open(&d);
    d.book.also = keep_deleted;
    d.book.arg = &deleted;
    replace(&d, two, "5");
    queue(&d, lw_delta_fifo_update, "a/x", 8);
    replace(&d, (const item[]){ { "a/y", 2 }, { NULL, 0 } }, "9");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i ~a/x.w -a/x.r?");
    assert_int_equal(deleted, 8);
    desk_close(&d);
}

/* client-go: TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue.  '+', '~' and '-' are queued
 * for an object that no list has, and then a list without it. */
static void whatever_is_queued_of_an_object_a_relist_without_it_deletes_it_once(void **state)
{
    (void)state;
    static const struct {
        const char *queued, *told;
    } histories[] = {
        { "+", "+a/z.w -a/z.r?" },        { "+~", "+a/z.w ~a/z.w -a/z.r?" },
        { "+-", "+a/z.w -a/z.w" },        { "+-+", "+a/z.w -a/z.w +a/z.w -a/z.r?" },
        { "-", "" /* never heard of */ }, { "+--", "+a/z.w -a/z.w" },
    };
    for (size_t i = 0; i < sizeof(histories) / sizeof(histories[0]); i++) {
        desk d;
        desk_open(&d);
        replace(&d, none, "5");
        for (size_t at = 0; histories[i].queued[at]; at++) {
            char what = histories[i].queued[at];
            queue(&d,
                  what == '+'   ? lw_delta_fifo_add
                  : what == '~' ? lw_delta_fifo_update
                                : lw_delta_fifo_delete,
                  "a/z", 6 + at);
        }
        replace(&d, none, "20");
        desk_run(&d);
        assert_told(&d.book, histories[i].told);
        assert_int_equal(lw_indexer_count(d.indexer), 0);
        assert_int_equal(lw_indexer_revision(d.indexer), 20);
        desk_close(&d);
    }
}

/* client-go: TestRealFIFO_replaceWithDeleteDeltaIn (#83810), to the handler. */
static void what_is_created_again_behind_its_queued_deletion_is_there(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    queue(&d, lw_delta_fifo_delete, "a/x", 6);
    replace(&d, (const item[]){ { "a/x", 8 }, { "a/y", 2 }, { NULL, 0 } }, "9");
    desk_run(&d);
    assert_told(&d.book, "+a/x.i +a/y.i -a/x.w +a/x.r");
    assert_int_equal(lw_indexer_count(d.indexer), 2);
    desk_close(&d);
}

/* client-go: TestRealFIFO_HasSyncedCorrectOnDeletion. Two lists are queued, and the second lacks
 * objects of the first: when a handler is synced, it has received all objects of the first list. */
static void what_goes_right_after_the_first_list_has_come_and_gone(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, two, "5");
    replace(&d, (const item[]){ { "a/y", 2 }, { NULL, 0 } }, "9");
    assert_false(lw_processor_is_synced(d.processor));
    lw_controller_run(&d.controller, SIZE_MAX);
    assert_false(lw_processor_is_synced(d.processor)); /* in the cache, but not delivered */
    lw_processor_dispatch(d.processor);
    assert_true(lw_processor_is_synced(d.processor));
    assert_told(&d.book, "+a/x.i +a/y.i -a/x.r?");
    desk_close(&d);
}

/* An object whose transformation took its resourceVersion away. */
static void queue_bare(desk *d, const char *name)
{
    char json[64];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"%s\"}}", name);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    assert_int_equal(lw_delta_fifo_update(d->fifo, obj), LW_OK);
    lw_object_unref(obj);
}

/* client-go: TestStoreResourceVersionWithNonMetaTransform. */
static void objects_that_lost_their_version_are_told_and_leave_the_revision_alone(void **state)
{
    (void)state;
    desk d;
    desk_open(&d);
    replace(&d, none, "5");
    queue_bare(&d, "x");
    queue_bare(&d, "x"); /* there is no evidence that it is the same object */
    desk_run(&d);
    assert_told(&d.book, "+x.w ~x.w");
    assert_int_equal(lw_indexer_revision(d.indexer), 5);
    assert_int_equal(lw_delta_fifo_bookmark(d.fifo, "9"), LW_OK);
    desk_run(&d);
    assert_int_equal(lw_indexer_revision(d.indexer), 9);
    desk_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_list_is_told_as_it_is),
        TEST(an_empty_first_list_is_in_sync),
        TEST(the_cache_decides_what_a_change_is),
        TEST(the_version_that_is_known_is_no_news),
        TEST(what_was_never_there_is_not_deleted),
        TEST(a_relist_tells_deletions_then_the_rest_in_its_order),
        TEST(the_revision_follows_objects_lists_and_bookmarks),
        TEST(without_memory_nothing_changes_until_the_next_list),
        TEST(a_first_list_that_finds_no_memory_is_no_sync),
        TEST(nothing_stays_in_the_log_that_everybody_was_told),
        TEST(what_a_relist_finds_gone_is_told_in_the_newest_state_that_came),
        TEST(whatever_is_queued_of_an_object_a_relist_without_it_deletes_it_once),
        TEST(what_is_created_again_behind_its_queued_deletion_is_there),
        TEST(what_goes_right_after_the_first_list_has_come_and_gone),
        TEST(objects_that_lost_their_version_are_told_and_leave_the_revision_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
