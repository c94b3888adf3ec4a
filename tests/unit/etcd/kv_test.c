/* SPDX-License-Identifier: Apache-2.0 */
/* kv_test.c -- reads and guarded writes of a real etcd. */
#include <stdlib.h>

#include "base/buf.h"
#include "unit/etcd/etcd_world.h"

static etcd_world world;

/* Writes the result of a range as text: "key=value@mod/version ... total more revision". */
static void write_range(const lw_etcd_range_answer *answer, void *arg)
{
    lw_buf *out = arg;
    lw_buf_reset(out);
    for (size_t i = 0; i < answer->count; i++)
        lw_buf_printf(out, "%.*s=%.*s/%llu ", LW_STR_ARG(answer->kvs[i].key),
                      LW_STR_ARG(answer->kvs[i].value), (unsigned long long)answer->kvs[i].version);
    lw_buf_printf(out, "of %llu%s", (unsigned long long)answer->total,
                  answer->has_more ? " more" : "");
}

static void expect_range(const lw_etcd_range_request *request, const char *text)
{
    lw_buf out;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&out, 1 << 20);
    if (etcd_blocking_range(world.client, request, write_range, &out, &err) < 0)
        fail_msg("%s", err.message);
    assert_str_equal(lw_buf_view(&out), text);
    lw_buf_done(&out);
}

static void a_range_has_the_keys_in_order_and_says_how_many_there_are(void **state)
{
    (void)state;
    etcd_world_put(world.client, "order/b", "2");
    etcd_world_put(world.client, "order/a", "1");
    etcd_world_put(world.client, "order/c", "3");
    etcd_world_put(world.client, "order/c", "4");
    lw_etcd_range_request request = { .key = LW_STR("order/"), .end = LW_STR("order0") };
    expect_range(&request, "order/a=1/1 order/b=2/1 order/c=4/2 of 3");
    request.limit = 2;
    expect_range(&request, "order/a=1/1 order/b=2/1 of 3 more");
    request.is_keys_only = true;
    expect_range(&request, "order/a=/1 order/b=/1 of 3 more");
    request.is_count_only = true;
    expect_range(&request, "of 3");
    request = (lw_etcd_range_request){ .key = LW_STR("order/b") };
    expect_range(&request, "order/b=2/1 of 1");
    request.key = LW_STR("order/x");
    expect_range(&request, "of 0");
    request = (lw_etcd_range_request){ .key = LW_STR("order/a"), .is_serializable = true };
    expect_range(&request, "order/a=1/1 of 1");
}

static void a_range_sees_the_past(void **state)
{
    (void)state;
    uint64_t first = etcd_world_put(world.client, "past", "one");
    uint64_t second = etcd_world_put(world.client, "past", "two");
    assert_true(second > first);
    lw_etcd_range_request request = { .key = LW_STR("past"), .revision = first };
    expect_range(&request, "past=one/1 of 1");
    etcd_world_delete(world.client, "past");
    request.revision = second;
    expect_range(&request, "past=two/2 of 1");
    request.revision = 0;
    expect_range(&request, "of 0");
}

static void a_revision_that_is_compacted_or_to_come_is_told_apart(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    etcd_world_put(world.client, "compacted", "one");
    uint64_t revision = etcd_world_put(world.client, "compacted", "two");
    assert_int_equal(etcd_blocking_compact(world.client, revision, &err), LW_OK);
    lw_etcd_range_request request = { .key = LW_STR("compacted"), .revision = revision - 1 };
    assert_int_equal(etcd_blocking_range(world.client, &request, NULL, NULL, &err), LW_ERR_EXPIRED);
    assert_non_null(strstr(err.message, world.cluster.endpoints));
    request.revision = revision;
    assert_int_equal(etcd_blocking_range(world.client, &request, NULL, NULL, &err), LW_OK);
    request.revision = revision + 1000;
    assert_int_equal(etcd_blocking_range(world.client, &request, NULL, NULL, &err),
                     LW_ERR_TOO_LARGE_RV);
    assert_int_equal(etcd_blocking_compact(world.client, revision, &err), LW_ERR_EXPIRED);
}

typedef struct txn_note {
    bool is_done, has_kv;
    uint64_t revision, mod_revision, version;
    char value[64];
} txn_note;

static void note_txn(const lw_etcd_txn_answer *answer, void *arg)
{
    txn_note *note = arg;
    *note = (txn_note){ .is_done = answer->is_done, .has_kv = answer->kv != NULL };
    note->revision = answer->base.revision;
    if (!answer->kv)
        return;
    note->mod_revision = answer->kv->mod_revision;
    note->version = answer->kv->version;
    (void)snprintf(note->value, sizeof(note->value), "%.*s", LW_STR_ARG(answer->kv->value));
}

static txn_note txn(const lw_etcd_txn_request *request)
{
    txn_note note;
    lw_error err = LW_ERROR_INIT;
    if (etcd_blocking_txn(world.client, request, note_txn, &note, NULL, &err) < 0)
        fail_msg("%s", err.message);
    return note;
}

static void a_write_happens_when_its_guard_holds_and_else_shows_the_key(void **state)
{
    lw_etcd_txn_request put = { .op = LW_ETCD_PUT,
                                .key = LW_STR("guarded"),
                                .value = LW_STR("one") };
    (void)state;
    txn_note created = txn(&put);
    assert_true(created.is_done);
    assert_false(created.has_kv);

    txn_note refused = txn(&put);
    assert_false(refused.is_done);
    assert_true(refused.has_kv);
    assert_string_equal(refused.value, "one");
    assert_int_equal(refused.mod_revision, created.revision);

    put.value = LW_STR("two");
    put.expected = refused.mod_revision;
    txn_note updated = txn(&put);
    assert_true(updated.is_done);
    assert_true(updated.revision > created.revision);

    put.value = LW_STR("three");
    put.is_version_guarded = true;
    put.expected = 1;
    assert_false(txn(&put).is_done);
    put.expected = 2;
    assert_true(txn(&put).is_done);
}

static void a_delete_happens_when_its_guard_holds_and_else_shows_the_key(void **state)
{
    uint64_t revision = etcd_world_put(world.client, "doomed", "still here");
    lw_etcd_txn_request request = { .op = LW_ETCD_DELETE, .key = LW_STR("doomed") };
    (void)state;
    request.expected = revision - 1;
    txn_note refused = txn(&request);
    assert_false(refused.is_done);
    assert_string_equal(refused.value, "still here");
    request.expected = revision;
    assert_true(txn(&request).is_done);
    txn_note again = txn(&request);
    assert_false(again.is_done);
    assert_false(again.has_kv);

    request = (lw_etcd_txn_request){ .op = LW_ETCD_DELETE,
                                     .key = LW_STR("doomed"),
                                     .is_unguarded = true };
    assert_false(txn(&request).is_done);
    etcd_world_put(world.client, "doomed", "again");
    assert_true(txn(&request).is_done);
}

static void a_value_larger_than_etcd_takes_is_refused_and_certainly_not_written(void **state)
{
    size_t len = 3 << 20;
    char *value = malloc(len);
    lw_error err = LW_ERROR_INIT;
    bool is_unknown = true;
    (void)state;
    assert_non_null(value);
    memset(value, 'x', len);
    lw_etcd_txn_request request = { .op = LW_ETCD_PUT,
                                    .key = LW_STR("large"),
                                    .value = lw_str_make(value, len),
                                    .is_unguarded = true };
    assert_int_equal(etcd_blocking_txn(world.client, &request, NULL, NULL, &is_unknown, &err),
                     LW_ERR_LIMIT);
    assert_false(is_unknown);
    request.value.len = 1 << 20;
    if (etcd_blocking_txn(world.client, &request, NULL, NULL, &is_unknown, &err) < 0)
        fail_msg("%s", err.message);
    free(value);
}

static void note_bytes(const lw_etcd_range_answer *answer, void *arg)
{
    size_t *bytes = arg;
    for (size_t i = 0; i < answer->count; i++)
        *bytes += answer->kvs[i].value.len;
}

/* More than a frame and a window of HTTP/2. */
static void a_large_range_comes_whole(void **state)
{
    enum {
        KEYS = 20,
        SIZE = 1 << 20
    };
    char *value = malloc(SIZE);
    lw_error err = LW_ERROR_INIT;
    size_t bytes = 0;
    (void)state;
    assert_non_null(value);
    memset(value, 'y', SIZE);
    for (int i = 0; i < KEYS; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "big/%d", i);
        const lw_etcd_txn_request request = { .op = LW_ETCD_PUT,
                                              .key = lw_str_of(key),
                                              .value = lw_str_make(value, SIZE),
                                              .is_unguarded = true };
        if (etcd_blocking_txn(world.client, &request, NULL, NULL, NULL, &err) < 0)
            fail_msg("%s", err.message);
    }
    const lw_etcd_range_request request = { .key = LW_STR("big/"), .end = LW_STR("big0") };
    if (etcd_blocking_range(world.client, &request, note_bytes, &bytes, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(bytes, (size_t)KEYS * SIZE);
    free(value);
}

static unsigned answers;

static void count_answer(const lw_etcd_range_answer *answer, void *arg)
{
    (void)arg;
    assert_null(answer->base.err);
    answers++;
}

static void fail_answer(const lw_etcd_range_answer *answer, void *arg)
{
    (void)answer;
    (void)arg;
    fail_msg("a call that was cancelled was answered");
}

static void a_thousand_calls_are_under_way_at_once_and_cancelled_ones_are_silent(void **state)
{
    const lw_etcd_range_request request = { .key = LW_STR("order/a") };
    (void)state;
    answers = 0;
    for (int i = 0; i < 1000; i++) {
        lw_etcd_call *call = NULL;
        assert_int_equal(lw_etcd_range(world.etcd, &request, i % 2 ? count_answer : fail_answer,
                                       NULL, &call),
                         LW_OK);
        if (i % 2 == 0)
            lw_etcd_call_cancel(world.etcd, call);
    }
    assert_int_equal(answers, 0);
    etcd_world_await(&world, &answers, 500);
}

static void a_client_may_be_freed_with_calls_under_way(void **state)
{
    etcd_blocking *other = etcd_world_connect(&world, NULL);
    const lw_etcd_range_request request = { .key = LW_STR("order/a") };
    (void)state;
    for (int i = 0; i < 10; i++)
        assert_int_equal(lw_etcd_range(etcd_blocking_client(other), &request, fail_answer, NULL,
                                       NULL),
                         LW_OK);
    etcd_blocking_free(other);
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
        TEST(a_range_has_the_keys_in_order_and_says_how_many_there_are),
        TEST(a_range_sees_the_past),
        TEST(a_write_happens_when_its_guard_holds_and_else_shows_the_key),
        TEST(a_delete_happens_when_its_guard_holds_and_else_shows_the_key),
        TEST(a_value_larger_than_etcd_takes_is_refused_and_certainly_not_written),
        TEST(a_large_range_comes_whole),
        TEST(a_thousand_calls_are_under_way_at_once_and_cancelled_ones_are_silent),
        TEST(a_client_may_be_freed_with_calls_under_way),
        TEST(a_revision_that_is_compacted_or_to_come_is_told_apart),
    };
    ETCD_WORLD_SKIP_WITHOUT_ETCD();
    return cmocka_run_group_tests(tests, open_world, close_world);
}
