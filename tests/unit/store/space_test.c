/* SPDX-License-Identifier: Apache-2.0 */
/* space_test.c -- the size limit of a store, in memory and on disk. */
#include "store/store.h"

#include "base/alloc.h"
#include "base/str.h"
#include "store/lmdb/lmdb.h"
#include "store/memory.h"
#include "suite/store_place.h"

enum {
    LIMIT = 2 << 20,
    VALUE = 20000,
};

typedef struct fixture {
    store_place place;
    lw_store *store;
    lw_error err;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .err = LW_ERROR_INIT };
    store_place_make(&f.place);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    lw_store_free(f->store);
    f->store = NULL;
    store_place_remove(&f->place);
    return 0;
}

static void open_store(fixture *f, bool is_memory)
{
    const lw_memory_store_options memory = { .limit_bytes = LIMIT };
    const lw_lmdb_store_options lmdb = { .folder = f->place.folder, .limit_bytes = LIMIT };
    assert_int_equal(is_memory ? lw_memory_store_new(&f->store, &memory, &f->err)
                               : lw_lmdb_store_open(&f->store, &lmdb, &f->err),
                     LW_OK);
}

static lw_status change(fixture *f, lw_store_op op, int number, size_t len)
{
    char key[16];
    (void)snprintf(key, sizeof(key), "/%05d", number);
    char *value = lw_alloc_zero(1, len + 1);
    assert_non_null(value);
    lw_store_txn txn = { .op = op, .key = lw_str_of(key), .value = { value, len } };
    lw_status st = lw_store_commit(f->store, &txn);
    if (st == LW_ERR_CONFLICT && txn.revision > 0) {
        txn.expected = txn.revision;
        st = lw_store_commit(f->store, &txn);
    }
    f->err = txn.err;
    lw_free(value);
    return st;
}

static bool is_full(fixture *f)
{
    lw_store_condition condition;
    lw_store_check_condition(f->store, &condition);
    assert_int_equal(condition.limit, LIMIT);
    return condition.is_full;
}

/* Fills the store; how many values it took. */
static int fill(fixture *f)
{
    int count = 0;
    assert_false(is_full(f));
    while (count < 2 * LIMIT / VALUE && change(f, LW_STORE_PUT, count, VALUE) == LW_OK)
        count++;
    assert_int_equal(f->err.code, LW_ERR_NO_SPACE);
    assert_non_null(strstr(f->err.message, "--store-size"));
    assert_non_null(strstr(f->err.message, "2097152"));
    assert_in_range(count, 50, LIMIT / VALUE);
    assert_true(is_full(f));
    return count;
}

static void check_limit(fixture *f, bool is_memory)
{
    open_store(f, is_memory);
    int count = fill(f);
    assert_int_equal(change(f, LW_STORE_PUT, 0, VALUE + 5000), LW_ERR_NO_SPACE); /* grows */
    for (int i = 0; i < 3 * count; i++)                                          /* does not grow */
        assert_int_equal(change(f, LW_STORE_PUT, i % count, VALUE), LW_OK);
    for (int i = 0; i < count / 2; i++)
        assert_int_equal(change(f, LW_STORE_DELETE, i, 0), LW_OK);
    /* The history is compacted in the background; a write that fits succeeds as soon as it is. */
    while (is_full(f))
        (void)change(f, LW_STORE_PUT, count - 1, VALUE);
    for (int i = 0; i < count / 2 - 5; i++)
        assert_int_equal(change(f, LW_STORE_PUT, i, VALUE), LW_OK);
}

static void a_full_store_in_memory_accepts_deletes_and_recovers(void **state)
{
    check_limit(*state, true);
}

static void a_full_store_on_disk_accepts_deletes_and_recovers(void **state)
{
    check_limit(*state, false);
}

static void a_full_store_can_be_opened_and_is_still_full(void **state)
{
    fixture *f = *state;
    open_store(f, false);
    int count = fill(f);
    lw_store_free(f->store);
    open_store(f, false);
    assert_int_equal(change(f, LW_STORE_PUT, count, VALUE), LW_ERR_NO_SPACE);
    assert_true(is_full(f));
    for (int i = 0; i < count; i++)
        assert_int_equal(change(f, LW_STORE_DELETE, i, 0), LW_OK);
    while (is_full(f))
        (void)change(f, LW_STORE_PUT, count, 10);
    assert_int_equal(fill(f) > count / 2, 1);
}

static void a_store_without_a_limit_is_never_full(void **state)
{
    fixture *f = *state;
    lw_store_condition condition;
    assert_int_equal(lw_memory_store_new(&f->store, NULL, &f->err), LW_OK);
    for (int i = 0; i < 200; i++)
        assert_int_equal(change(f, LW_STORE_PUT, i, VALUE), LW_OK);
    lw_store_check_condition(f->store, &condition);
    assert_int_equal(condition.limit, 0);
    assert_int_equal(condition.keys, 200);
    assert_true(condition.used > 200 * VALUE);
}

#define SPACE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(a_full_store_in_memory_accepts_deletes_and_recovers),
        SPACE_TEST(a_full_store_on_disk_accepts_deletes_and_recovers),
        SPACE_TEST(a_full_store_can_be_opened_and_is_still_full),
        SPACE_TEST(a_store_without_a_limit_is_never_full),
    };
    return cmocka_run_group_tests_name("store/space", tests, NULL, NULL);
}
