/* SPDX-License-Identifier: Apache-2.0 */
/* range_test.c -- a reader that has some of the values already. */
#include <string.h>

#include "unit/store/lmdb/lmdb_fixture.h"

enum {
    MANY = 40,
};

/* What a read has told. */
typedef struct reading {
    uint32_t checksums[MANY];
    size_t asked, reported;
    bool has_even; /* the reader has every second one */
} reading;

static bool has(const lw_store_head *head, void *arg)
{
    reading *r = arg;
    assert_int_equal(head->key.len, 6);
    assert_true(head->mod_revision > 0);
    r->checksums[r->asked] = head->checksum;
    return r->asked++ % 2 == 0 && r->has_even;
}

static lw_status take(const lw_store_record *record, void *arg, lw_error *err)
{
    reading *r = arg;
    (void)record;
    (void)err;
    r->reported++;
    return LW_OK;
}

static lw_store_range_result read_all(fixture *f, reading *r, size_t limit)
{
    const lw_store_range range = { .limit = limit, .has = has };
    lw_store_range_result result;
    assert_int_equal(lw_store_read(f->store, &range, take, r, &result, NULL), LW_OK);
    return result;
}

static void fill(fixture *f)
{
    for (int i = 0; i < MANY; i++)
        assert_int_equal(put_number(f, i, 100), LW_OK);
}

static void what_the_reader_has_is_not_reported(void **state)
{
    fixture *f = *state;
    reading r = { .has_even = true };
    open_plain(f);
    fill(f);
    assert_true(lw_store_has_checksums(f->store));
    (void)read_all(f, &r, 0);
    assert_int_equal(r.asked, MANY);
    assert_int_equal(r.reported, MANY / 2);
}

static void the_limit_counts_what_the_reader_has(void **state)
{
    fixture *f = *state;
    reading r = { .has_even = true };
    open_plain(f);
    fill(f);
    lw_store_range_result result = read_all(f, &r, 10);
    assert_int_equal(r.asked, 10);
    assert_int_equal(r.reported, 5);
    assert_true(result.has_more);
}

static void a_checksum_is_that_of_the_contents(void **state)
{
    fixture *f = *state;
    reading before = { .asked = 0 }, after = { .asked = 0 };
    open_plain(f);
    fill(f);
    (void)read_all(f, &before, 0);
    close_store(f);
    open_plain(f);
    (void)read_all(f, &after, 0);
    assert_memory_equal(before.checksums, after.checksums, sizeof(before.checksums));
    assert_int_equal(put_number(f, 3, 100), LW_OK); /* the same value with another revision */
    after.asked = 0;
    (void)read_all(f, &after, 0);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(before.checksums[i] == after.checksums[i], i != 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LMDB_TEST(what_the_reader_has_is_not_reported),
        LMDB_TEST(the_limit_counts_what_the_reader_has),
        LMDB_TEST(a_checksum_is_that_of_the_contents),
    };
    return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
