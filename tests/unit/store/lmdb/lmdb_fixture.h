/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_fixture.h -- a durable store in a folder of its own, with numbered values. */
#ifndef LW_TESTS_UNIT_STORE_LMDB_LMDB_FIXTURE_H
#define LW_TESTS_UNIT_STORE_LMDB_LMDB_FIXTURE_H

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "store/lmdb/lmdb.h"
#include "suite/store_place.h"

typedef struct fixture {
    store_place place;
    lw_store *store;
    char file[STORE_PLACE_SIZE];
    lw_error err; /* of the last that failed */
} fixture;

static inline int setup(void **state)
{
    static fixture f;
    f = (fixture){ .err = LW_ERROR_INIT };
    store_place_make(&f.place);
    store_place_path(&f.place, "data.mdb", f.file);
    *state = &f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    lw_store_free(f->store);
    store_place_remove(&f->place);
    return 0;
}

static inline lw_status try_open(fixture *f, lw_lmdb_store_options options)
{
    options.folder = f->place.folder;
    f->err = (lw_error)LW_ERROR_INIT;
    return lw_lmdb_store_open(&f->store, &options, &f->err);
}

static inline void open_store(fixture *f, lw_lmdb_store_options options)
{
    if (try_open(f, options) < 0)
        fail_msg("cannot open: %s", f->err.message);
}

static inline void open_plain(fixture *f)
{
    open_store(f, (lw_lmdb_store_options){ .map_bytes = 0 });
}

static inline void close_store(fixture *f)
{
    lw_store_free(f->store);
    f->store = NULL;
}

/* Puts |len| bytes under "/<number>", whatever is there. */
static inline lw_status put_number(fixture *f, int number, size_t len)
{
    char key[16];
    (void)snprintf(key, sizeof(key), "/%05d", number);
    char *value = lw_alloc(len + 1);
    assert_non_null(value);
    memset(value, 'a' + number % 26, len + 1);
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = lw_str_of(key), .value = { value, len } };
    lw_status st = lw_store_commit(f->store, &txn);
    if (st == LW_ERR_CONFLICT) {
        txn.expected = txn.revision;
        st = lw_store_commit(f->store, &txn);
    }
    if (st < 0)
        f->err = txn.err;
    lw_free(value);
    return st;
}

static inline lw_status count_right_value(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)err;
    int64_t number = -1;
    if (!lw_str_to_int64(lw_str_skip(record->key, 1), &number))
        return LW_ERR_INVALID;
    for (size_t i = 0; i < record->value.len; i++) {
        if (record->value.ptr[i] != 'a' + number % 26)
            return LW_ERR_INVALID;
    }
    ++*(size_t *)arg;
    return LW_OK;
}

/* How many values there are, all of them right; or an error. */
static inline lw_status count_values(fixture *f, size_t *count)
{
    *count = 0;
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    return lw_store_read(f->store, &all, count_right_value, count, &result, &f->err);
}

static inline void assert_values(fixture *f, size_t expected)
{
    size_t count = 0;
    assert_int_equal(count_values(f, &count), LW_OK);
    assert_int_equal(count, expected);
}

static inline void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

#define LMDB_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

#endif
