/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_test.c -- the durable store where it meets the system: maps, disks, other processes.  Damage
 * is in lmdb_damage_test.c; what it does as a store is in tests/suite/. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/sync.h"
#include "store/lmdb/env.h"
#include "support/sanitized.h"
#include "unit/store/lmdb/lmdb_fixture.h"

static void makes_its_folder_for_the_owner_only(void **state)
{
    fixture *f = *state;
    open_plain(f);
    struct stat status;
    assert_int_equal(stat(f->place.folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(f->file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(lw_store_bytes(f->store) < 100000);
}

static void a_folder_that_cannot_be_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    close_store(f);
    lw_error err = LW_ERROR_INIT;
    lw_lmdb_store_options options = { .folder = f->file };
    assert_int_equal(lw_lmdb_store_open(&f->store, &options, &err), LW_ERR_IO);
    assert_non_null(strstr(err.message, f->file));
    options.folder = "";
    assert_int_equal(lw_lmdb_store_open(&f->store, &options, &err), LW_ERR_INVALID);
    options.folder = "/proc/nothing/here";
    assert_int_equal(lw_lmdb_store_open(&f->store, &options, &err), LW_ERR_IO);
}

/* Reads all the time. */
typedef struct reading {
    fixture *f;
    atomic_bool is_over;
    atomic_int wrong;
    atomic_int right;
} reading;

static void read_on(void *arg)
{
    reading *r = arg;
    fixture own = { .store = r->f->store };
    do {
        size_t count = 0;
        if (count_values(&own, &count) == LW_OK)
            atomic_fetch_add(&r->right, 1);
        else
            atomic_fetch_add(&r->wrong, 1);
    } while (!atomic_load(&r->is_over));
}

static void the_map_grows_under_readers(void **state)
{
    fixture *f = *state;
    enum {
        VALUES = 200,
        VALUE = 100000,
    };
    open_store(f, (lw_lmdb_store_options){ .map_bytes = LW_LMDB_MAP_MIN });
    reading r = { .f = f };
    lw_thread readers[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(lw_thread_start(&readers[i], "reader", read_on, &r, NULL), LW_OK);
    for (int i = 0; i < VALUES; i++)
        assert_int_equal(put_number(f, i, VALUE), LW_OK);
    atomic_store(&r.is_over, true);
    for (int i = 0; i < 2; i++)
        lw_thread_join(&readers[i]);
    assert_int_equal(atomic_load(&r.wrong), 0);
    assert_true(atomic_load(&r.right) > 0);
    assert_true(lw_store_bytes(f->store) > 16 * LW_LMDB_MAP_MIN);
    assert_values(f, VALUES);
    close_store(f);
    open_store(f, (lw_lmdb_store_options){ .map_bytes = LW_LMDB_MAP_MIN });
    assert_values(f, VALUES);
    assert_int_equal(put_number(f, VALUES, VALUE), LW_OK);
}

static void one_value_larger_than_the_map_fits(void **state)
{
    fixture *f = *state;
    open_store(f, (lw_lmdb_store_options){ .map_bytes = LW_LMDB_MAP_MIN });
    assert_int_equal(put_number(f, 1, LW_STORE_VALUE_MAX), LW_OK);
    assert_values(f, 1);
}

static void less_address_space_than_wanted_will_do(void **state)
{
    fixture *f = *state;
#if IS_SANITIZED
    (void)f;
    print_message("# skipped: a sanitizer needs the address space for itself\n");
    skip();
#endif
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    struct rlimit small = { (rlim_t)1 << 30, old.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    lw_status st = try_open(f, (lw_lmdb_store_options){ .map_bytes = 0 });
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    if (st < 0)
        fail_msg("cannot open: %s", f->err.message);
    assert_int_equal(put_number(f, 1, 1000), LW_OK);
}

static void a_second_opening_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    lw_store *second = NULL;
    lw_lmdb_store_options options = { .folder = f->place.folder };
    assert_int_equal(lw_lmdb_store_open(&second, &options, &f->err), LW_ERR_IO);
    assert_non_null(strstr(f->err.message, "already open in this process"));
    assert_int_equal(put_number(f, 1, 10), LW_OK);
    close_store(f);
    open_plain(f);
    assert_values(f, 1);
}

/* What a process that may not is told: 0 when that is right. */
static int open_as_stranger(fixture *f, long long owner)
{
    lw_store *second = NULL;
    lw_lmdb_store_options options = { .folder = f->place.folder };
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "in use by another process (pid %lld)", owner);
    if (lw_lmdb_store_open(&second, &options, &f->err) != LW_ERR_IO)
        return 1;
    return strstr(f->err.message, expected) ? 0 : 2;
}

static void a_second_process_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    long long owner = (long long)getpid();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(open_as_stranger(f, owner));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(put_number(f, 1, 10), LW_OK);
}

static void removing_the_lock_files_lets_nobody_in(void **state)
{
    fixture *f = *state;
    char path[STORE_PLACE_SIZE];
    open_plain(f);
    store_place_path(&f->place, "owner.lock", path);
    assert_int_equal(remove(path), 0);
    store_place_path(&f->place, "lock.mdb", path);
    assert_int_equal(remove(path), 0);
    lw_store *second = NULL;
    lw_lmdb_store_options options = { .folder = f->place.folder };
    assert_int_equal(lw_lmdb_store_open(&second, &options, &f->err), LW_ERR_IO);
    assert_non_null(strstr(f->err.message, "in use by another process"));
}

static void a_file_that_was_removed_or_replaced_is_not_written(void **state)
{
    fixture *f = *state;
    char aside[STORE_PLACE_SIZE];
    lw_store_condition condition;
    open_plain(f);
    assert_int_equal(put_number(f, 1, 10), LW_OK);
    store_place_path(&f->place, "backup", aside);
    assert_int_equal(rename(f->file, aside), 0);
    lw_store_check_condition(f->store, &condition);
    assert_true(condition.is_failing);
    assert_non_null(strstr(condition.why, "removed or replaced"));
    assert_int_equal(put_number(f, 2, 10), LW_ERR_IO);
    write_file(f->file, "x", 1);
    assert_int_equal(put_number(f, 2, 10), LW_ERR_IO);
    assert_int_equal(rename(aside, f->file), 0);
    assert_int_equal(put_number(f, 2, 10), LW_OK);
    lw_store_check_condition(f->store, &condition);
    assert_false(condition.is_failing);
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file that may not grow is the full disk that every machine has. */
static void a_full_disk_refuses_writes_and_nothing_else(void **state)
{
    fixture *f = *state;
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction old;
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &old), 0);
    open_plain(f);
    limit_file_size(1 << 20);
    int taken = 0;
    while (put_number(f, taken, 30000) == LW_OK)
        taken++;
    assert_in_range(taken, 10, 40);
    assert_int_equal(f->err.code, LW_ERR_IO);
    assert_non_null(strstr(f->err.message, "writes resume when there is space again"));
    uint64_t current = 0;
    uint64_t compacted = 0;
    lw_store_revisions(f->store, &current, &compacted);
    assert_int_equal(current, taken);
    assert_values(f, (size_t)taken);
    assert_int_equal(put_number(f, taken, 30000), LW_ERR_IO);
    close_store(f);
    open_plain(f); /* still full */
    assert_values(f, (size_t)taken);
    assert_int_equal(put_number(f, taken, 30000), LW_ERR_IO);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(put_number(f, taken, 30000), LW_OK);
    assert_values(f, (size_t)taken + 1);
    close_store(f);
    open_plain(f);
    lw_store_revisions(f->store, &current, &compacted);
    assert_int_equal(current, taken + 1);
    assert_values(f, (size_t)taken + 1);
    assert_int_equal(sigaction(SIGXFSZ, &old, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LMDB_TEST(makes_its_folder_for_the_owner_only),
        LMDB_TEST(a_folder_that_cannot_be_is_refused),
        LMDB_TEST(the_map_grows_under_readers),
        LMDB_TEST(one_value_larger_than_the_map_fits),
        LMDB_TEST(less_address_space_than_wanted_will_do),
        LMDB_TEST(a_second_opening_is_refused),
        LMDB_TEST(a_second_process_is_refused),
        LMDB_TEST(removing_the_lock_files_lets_nobody_in),
        LMDB_TEST(a_file_that_was_removed_or_replaced_is_not_written),
        LMDB_TEST(a_full_disk_refuses_writes_and_nothing_else),
    };
    return cmocka_run_group_tests_name("lmdb", tests, NULL, NULL);
}
