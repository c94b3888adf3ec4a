/* SPDX-License-Identifier: Apache-2.0 */
/* engine_test.c -- the engine without its writer: when LMDB gives up, and when the file goes.
 */
#include "store/lmdb/engine.h"

#include <dirent.h>
#include <fcntl.h>

#include "base/str.h"
#include "suite/store_place.h"

typedef struct fixture {
    store_place place;
    lw_lmdb_env env;
    lw_lmdb_engine engine;
    char file[STORE_PLACE_SIZE];
} fixture;

static int setup(void **state)
{
    static fixture f;
    store_place_make(&f.place);
    store_place_path(&f.place, "data.mdb", f.file);
    *state = &f;
    const lw_lmdb_env_options options = { .folder = f.place.folder };
    if (lw_lmdb_env_open(&f.env, &options, NULL) < 0)
        return -1;
    return lw_lmdb_engine_init(&f.engine, &f.env, NULL);
}

static int teardown(void **state)
{
    fixture *f = *state;
    lw_lmdb_env_close(&f->env);
    store_place_remove(&f->place);
    return 0;
}

static lw_status apply_put(fixture *f, const char *key)
{
    lw_store_engine *engine = &f->engine.engine;
    lw_store_txn txn = { .op = LW_STORE_PUT, .key = lw_str_of(key), .value = lw_str_of(key) };
    return engine->ops->apply(engine, &txn, engine->marks.current + 1, NULL);
}

/* One change in a batch of its own. */
static lw_status put(fixture *f, const char *key, lw_error *err)
{
    lw_store_engine *engine = &f->engine.engine;
    lw_status st = engine->ops->begin(engine, err);
    if (st < 0)
        return st;
    assert_int_equal(apply_put(f, key), LW_OK);
    return engine->ops->commit(engine, err);
}

static lw_status count_record(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)record;
    (void)err;
    ++*(size_t *)arg;
    return LW_OK;
}

static lw_status count_keys(fixture *f, size_t *count)
{
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    *count = 0;
    return lw_lmdb_range(&f->env, &all, count_record, count, &result, NULL);
}

static void assert_keys(fixture *f, size_t expected)
{
    size_t count = 0;
    assert_int_equal(count_keys(f, &count), LW_OK);
    assert_int_equal(count, expected);
    assert_int_equal(f->engine.engine.marks.current, expected);
}

static void an_aborted_batch_leaves_nothing(void **state)
{
    fixture *f = *state;
    lw_store_engine *engine = &f->engine.engine;
    assert_int_equal(put(f, "/a", NULL), LW_OK);
    assert_int_equal(engine->ops->begin(engine, NULL), LW_OK);
    assert_int_equal(apply_put(f, "/b"), LW_OK);
    engine->ops->abort(engine);
    assert_keys(f, 1);
    assert_int_equal(put(f, "/b", NULL), LW_OK);
    assert_keys(f, 2);
}

static void readers_do_not_see_a_batch_before_its_commit(void **state)
{
    fixture *f = *state;
    lw_store_engine *engine = &f->engine.engine;
    assert_int_equal(engine->ops->begin(engine, NULL), LW_OK);
    assert_int_equal(apply_put(f, "/a"), LW_OK);
    assert_keys(f, 0);
    assert_int_equal(engine->ops->commit(engine, NULL), LW_OK);
    assert_keys(f, 1);
}

static void opened_anew_it_goes_on(void **state)
{
    fixture *f = *state;
    assert_int_equal(put(f, "/a", NULL), LW_OK);
    assert_int_equal(lw_lmdb_env_reopen(&f->env, NULL), LW_OK);
    assert_keys(f, 1);
    assert_int_equal(put(f, "/b", NULL), LW_OK);
    assert_keys(f, 2);
}

static void a_file_that_cannot_be_opened_anew_is_tried_again(void **state)
{
    fixture *f = *state;
    char aside[STORE_PLACE_SIZE];
    store_place_path(&f->place, "backup", aside);
    assert_int_equal(put(f, "/a", NULL), LW_OK);
    assert_int_equal(rename(f->file, aside), 0);
    FILE *garbage = fopen(f->file, "w");
    assert_non_null(garbage);
    assert_true(fputs("garbage", garbage) >= 0);
    assert_int_equal(fclose(garbage), 0);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_lmdb_env_reopen(&f->env, &err), LW_ERR_INVALID);
    size_t count = 0;
    assert_int_equal(count_keys(f, &count), LW_ERR_UNAVAILABLE);
    assert_int_equal(put(f, "/b", &err), LW_ERR_IO);
    assert_non_null(strstr(err.message, f->file));
    assert_non_null(strstr(err.message, "removed or replaced"));
    assert_int_equal(rename(aside, f->file), 0);
    assert_int_equal(put(f, "/b", &err), LW_OK);
    assert_keys(f, 2);
}

/* The descriptor that LMDB writes its first pages with, which is opened to write through. */
static int find_meta_fd(const fixture *f)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return -1;
    int found = -1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char link[300];
        char target[STORE_PLACE_SIZE];
        int64_t fd = 0;
        (void)snprintf(link, sizeof(link), "/proc/self/fd/%s", entry->d_name);
        ssize_t len = readlink(link, target, sizeof(target));
        if (len <= 0 || !lw_str_to_int64(lw_str_of(entry->d_name), &fd) ||
            !lw_str_equal(lw_str_make(target, (size_t)len), lw_str_of(f->file)))
            continue;
        if (fcntl((int)fd, F_GETFL) & O_DSYNC)
            found = (int)fd;
    }
    (void)closedir(folder);
    return found;
}

static void when_the_last_write_of_a_commit_fails_it_recovers(void **state)
{
    fixture *f = *state;
    assert_int_equal(put(f, "/a", NULL), LW_OK);
    int meta = find_meta_fd(f);
    if (meta < 0) {
        print_message("# skipped: cannot find LMDB's descriptor\n");
        skip();
    }
    int read_only = open(f->file, O_RDONLY | O_CLOEXEC);
    assert_true(read_only >= 0 && dup2(read_only, meta) == meta);
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(put(f, "/b", &err), LW_ERR_IO);
    assert_keys(f, 1);
    assert_int_equal(put(f, "/b", &err), LW_OK);
    assert_keys(f, 2);
    (void)close(read_only);
}

#define ENGINE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(an_aborted_batch_leaves_nothing),
        ENGINE_TEST(readers_do_not_see_a_batch_before_its_commit),
        ENGINE_TEST(opened_anew_it_goes_on),
        ENGINE_TEST(a_file_that_cannot_be_opened_anew_is_tried_again),
        ENGINE_TEST(when_the_last_write_of_a_commit_fails_it_recovers),
    };
    return cmocka_run_group_tests_name("lmdb/engine", tests, NULL, NULL);
}
