/* SPDX-License-Identifier: Apache-2.0 */
/* new_test.c -- when a new store is made, and that no half-made file is taken for one. */
#include "store/lmdb/env.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "suite/store_place.h"

enum {
    PAGE = 4096,
    PAGES_MAX = 12, /* more than a new store has */
};

typedef struct fixture {
    store_place place;
    char file[STORE_PLACE_SIZE];
    char unfinished[STORE_PLACE_SIZE];
    lw_lmdb_env env;
    lw_error err;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .err = LW_ERROR_INIT };
    store_place_make(&f.place);
    store_place_path(&f.place, "data.mdb", f.file);
    store_place_path(&f.place, "data.mdb.new", f.unfinished);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    store_place_remove(&f->place);
    return 0;
}

static lw_status try_open(fixture *f)
{
    const lw_lmdb_env_options options = { .folder = f->place.folder };
    return lw_lmdb_env_open(&f->env, &options, &f->err);
}

static void open_and_close(fixture *f)
{
    if (try_open(f) < 0)
        fail_msg("cannot open: %s", f->err.message);
    lw_lmdb_env_close(&f->env);
}

/* A folder in which the store is new but LMDB's lock file, which is larger, is not: so that limits
 * on the size of files meet the store. */
static void open_and_remove(fixture *f)
{
    open_and_close(f);
    assert_int_equal(remove(f->file), 0);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static off_t size_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_folder_without_a_file_is_a_new_store(void **state)
{
    fixture *f = *state;
    open_and_close(f);
    struct stat status;
    assert_int_equal(stat(f->file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_false(is_there(f->unfinished));
    open_and_remove(f); /* as the messages advise; LMDB's lock file stays */
    open_and_close(f);
}

static void assert_truncated_is_refused(fixture *f, off_t size, const char *why)
{
    assert_int_equal(truncate(f->file, size), 0);
    assert_int_equal(try_open(f), LW_ERR_INVALID);
    assert_non_null(strstr(f->err.message, f->file));
    assert_non_null(strstr(f->err.message, why));
    assert_non_null(strstr(f->err.message, "restore a backup"));
    assert_int_equal(size_of(f->file), size); /* left as it is */
}

static void a_file_of_no_bytes_is_refused(void **state)
{
    fixture *f = *state;
    char lock[STORE_PLACE_SIZE];
    open_and_close(f);
    assert_truncated_is_refused(f, 0, "the file is empty");
    store_place_path(&f->place, "lock.mdb", lock);
    assert_int_equal(remove(lock), 0);
    store_place_path(&f->place, "owner.lock", lock);
    assert_int_equal(remove(lock), 0);
    assert_truncated_is_refused(f, 0, "the file is empty");
}

static void a_file_shorter_than_its_first_pages_is_refused(void **state)
{
    fixture *f = *state;
    open_and_close(f);
    assert_truncated_is_refused(f, 2 * PAGE, "the file is truncated");
    assert_truncated_is_refused(f, PAGE, "the file is truncated");
    assert_truncated_is_refused(f, 100, "the file is truncated");
    assert_truncated_is_refused(f, 1, "the file is truncated");
}

static void a_creation_that_fails_leaves_no_file(void **state)
{
    fixture *f = *state;
    open_and_remove(f);
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction old;
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &old), 0);
    limit_file_size(PAGE);
    assert_int_equal(try_open(f), LW_ERR_IO);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(sigaction(SIGXFSZ, &old, NULL), 0);
    assert_non_null(strstr(f->err.message, f->file));
    assert_false(is_there(f->file));
    assert_false(is_there(f->unfinished));
    open_and_close(f);
}

/* In a process that is killed when it writes beyond so many pages.  True: it was. */
static bool is_killed_creating(fixture *f, unsigned pages)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = { 0, 0 };
        (void)setrlimit(RLIMIT_CORE, &no_core);
        limit_file_size(pages * PAGE);
        _exit(try_open(f) == LW_OK ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

static void a_creation_that_was_killed_at_any_page_is_started_over(void **state)
{
    fixture *f = *state;
    unsigned kills = 0;
    open_and_remove(f);
    for (unsigned pages = 0; pages < PAGES_MAX; pages++) {
        kills += is_killed_creating(f, pages);
        assert_false(is_there(f->file) && size_of(f->file) == 0);
        open_and_remove(f);
        assert_false(is_there(f->unfinished));
    }
    assert_in_range(kills, 2, PAGES_MAX - 1); /* some, and in the end not any more */
}

static void what_is_left_of_an_unfinished_creation_is_removed(void **state)
{
    fixture *f = *state;
    open_and_remove(f);
    write_file(f->unfinished, "half", 4);
    open_and_close(f);
    assert_false(is_there(f->unfinished));
}

/* Nor is it replaced while it is open: what was acknowledged would be gone without a word. */
static void a_file_that_has_vanished_is_not_made_again_by_a_reopening(void **state)
{
    fixture *f = *state;
    assert_int_equal(try_open(f), LW_OK);
    assert_int_equal(remove(f->file), 0);
    assert_int_equal(lw_lmdb_env_reopen(&f->env, &f->err), LW_ERR_IO);
    assert_non_null(strstr(f->err.message, f->file));
    assert_false(is_there(f->file));
    lw_lmdb_env_close(&f->env);
}

static void a_link_to_a_file_that_is_not_there_is_no_new_store(void **state)
{
    fixture *f = *state;
    open_and_remove(f);
    assert_int_equal(symlink("nowhere", f->file), 0);
    assert_int_equal(try_open(f), LW_ERR_IO);
    assert_true(is_there(f->file));
}

#define NEW_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NEW_TEST(a_folder_without_a_file_is_a_new_store),
        NEW_TEST(a_file_of_no_bytes_is_refused),
        NEW_TEST(a_file_shorter_than_its_first_pages_is_refused),
        NEW_TEST(a_creation_that_fails_leaves_no_file),
        NEW_TEST(a_creation_that_was_killed_at_any_page_is_started_over),
        NEW_TEST(what_is_left_of_an_unfinished_creation_is_removed),
        NEW_TEST(a_file_that_has_vanished_is_not_made_again_by_a_reopening),
        NEW_TEST(a_link_to_a_file_that_is_not_there_is_no_new_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
