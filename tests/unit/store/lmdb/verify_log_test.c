/* SPDX-License-Identifier: Apache-2.0 */
/* verify_log_test.c -- a log that is read in parts is found as right or wrong as one that is read
 * from the beginning to the end, and reads with and without a window give the same bytes. */
#include "store/lmdb/verify_log.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/files.h"
#include "base/random.h"
#include "support/sanitized.h"
#include "unit/store/lmdb/lmdb_fixture.h"

enum {
    KEYS = IS_SANITIZED ? 500 : 800, /* the log has more than one level */
    ROUNDS = IS_SANITIZED ? 40 : 300,
    TEXT = 1 << 16,
};

typedef struct reading {
    lw_lmdb_log_check log;
    lw_lmdb_trees trees;
    lw_buf damages; /* as text */
    lw_buf used;
    int error;
} reading;

static void note(const lw_lmdb_damage *damage, void *arg)
{
    lw_buf *text = arg;
    lw_lmdb_damage_print(damage, text);
    lw_buf_append_char(text, '\n');
}

enum {
    BEFORE = 0, /* pages that are not of the log: of a tree that was read before it ... */
    BESIDE = 1, /* ... and of one that is read meanwhile */
};

static unsigned in_parts;     /* how often that was right */
static uint64_t more_entries; /* that the description of the log claims */

/* As the keys are read: another tree, from the same pages. */
static bool mark_another(lw_lmdb_pages *pages, void *arg)
{
    (void)arg;
    return lw_lmdb_pages_mark(pages, BESIDE);
}

/* As lw_lmdb_verify does it. */
static void verify(lw_lmdb_log_check *log, lw_lmdb_pages *pages, size_t threads)
{
    bool can_be_parts = log->trees->log.depth > 1;
    if (threads > 1 && can_be_parts &&
        lw_lmdb_log_verify_with(log, pages, threads, mark_another, NULL)) {
        in_parts++;
        return;
    }
    lw_lmdb_log_verify(log, pages);
    (void)mark_another(pages, NULL);
}

/* |taken|: a page that was seen before. */
static void read_log(const char *file, uint64_t taken, size_t threads, reading *r)
{
    lw_lmdb_file opened;
    *r = (reading){ .error = 0 };
    lw_buf_init(&r->damages, TEXT);
    lw_buf_init(&r->used, TEXT);
    if (lw_lmdb_file_open(&opened, file) == LW_LMDB_WHOLE) {
        lw_lmdb_trees_find(&r->trees, &opened.pages, lw_lmdb_file_newest(&opened));
        r->trees.log.entries += more_entries;
        assert_int_equal(lw_lmdb_pages_record(&opened.pages), LW_OK);
        (void)lw_lmdb_pages_mark(&opened.pages, taken);
        r->log = (lw_lmdb_log_check){ .trees = &r->trees, .report = note, .arg = &r->damages };
        verify(&r->log, &opened.pages, threads);
        lw_buf_append(&r->used, opened.pages.used.data, opened.pages.used.len);
        r->error = opened.pages.error;
    }
    lw_lmdb_file_close(&opened);
}

static void done_reading(reading *r)
{
    lw_buf_done(&r->damages);
    lw_buf_done(&r->used);
}

/* Returns true if nothing is wrong. */
static bool assert_same_in_parts(const char *file, uint64_t taken, const char *what)
{
    reading whole, some;
    read_log(file, taken, 1, &whole);
    for (size_t threads = 2; threads <= LW_LMDB_LOG_THREADS_MAX; threads++) {
        read_log(file, taken, threads, &some);
        if (some.log.records != whole.log.records || some.log.latest != whole.log.latest ||
            some.log.first != whole.log.first || some.log.last != whole.log.last ||
            some.log.is_damaged != whole.log.is_damaged || some.error != whole.error ||
            !lw_str_equal(lw_buf_view(&some.damages), lw_buf_view(&whole.damages)) ||
            !lw_str_equal(lw_buf_view(&some.used), lw_buf_view(&whole.used)))
            fail_msg("%s: %zu threads say\n%.*s\none says\n%.*s", what, threads,
                     (int)some.damages.len, some.damages.data, (int)whole.damages.len,
                     whole.damages.data);
        done_reading(&some);
    }
    bool is_right = !whole.log.is_damaged && whole.error == 0 && whole.log.records > 0;
    done_reading(&whole);
    return is_right;
}

static void fill(fixture *f)
{
    open_plain(f);
    lw_random random;
    lw_random_init(&random, 3);
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(put_number(f, (int)lw_random_below(&random, KEYS),
                                    lw_random_below(&random, 10) ? 100 : 5000),
                         LW_OK);
    close_store(f);
}

static void flip(const char *file, uint64_t at)
{
    int fd = open(file, O_RDWR | O_CLOEXEC);
    unsigned char byte;
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    assert_int_equal(close(fd), 0);
}

static void a_log_in_parts_is_as_right_or_wrong_as_the_whole(void **state)
{
    fixture *f = *state;
    struct stat status;
    lw_random random;
    unsigned wrong = 0;
    fill(f);
    in_parts = 0;
    assert_true(assert_same_in_parts(f->file, BEFORE, "undamaged"));
    assert_int_equal(in_parts, LW_LMDB_LOG_THREADS_MAX - 1);
    more_entries = 1;
    assert_false(assert_same_in_parts(f->file, BEFORE, "described as larger"));
    more_entries = 0;
    assert_int_equal(stat(f->file, &status), 0);
    lw_random_init(&random, 4);
    for (unsigned round = 0; round < ROUNDS; round++) {
        char what[64];
        uint64_t at = 8192 + lw_random_below(&random, (uint64_t)status.st_size - 8192);
        if (round % 2) /* the head of a page */
            at = at / 4096 * 4096 + lw_random_below(&random, 64);
        (void)snprintf(what, sizeof(what), "byte %llu", (unsigned long long)at);
        flip(f->file, at);
        wrong += !assert_same_in_parts(f->file, BEFORE, what);
        flip(f->file, at);
    }
    assert_true(wrong > ROUNDS / 20);
    assert_int_equal(truncate(f->file, status.st_size / 2), 0);
    (void)assert_same_in_parts(f->file, BEFORE, "truncated");
}

/* Removes the record of |revision| as LMDB does it: only the change is missing. */
static void remove_record(const fixture *f, uint64_t revision)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi log = 0;
    unsigned char bytes[LW_LMDB_REVISION_SIZE];
    MDB_val key = { sizeof(bytes), bytes };
    lw_lmdb_put_number(bytes, revision, sizeof(bytes));
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 5), 0);
    assert_int_equal(mdb_env_open(env, f->place.folder, MDB_NOSYNC, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "log", 0, &log), 0);
    assert_int_equal(mdb_del(txn, log, &key, NULL), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

/* Some are at the border of two parts, each of which is right without it. */
static void a_change_that_is_missing_is_found(void **state)
{
    fixture *f = *state;
    lw_buf whole;
    reading r;
    fill(f);
    lw_buf_init(&whole, 64 << 20);
    assert_int_equal(lw_file_read(f->file, &whole, NULL), LW_OK);
    read_log(f->file, BEFORE, 1, &r);
    const uint64_t first = r.log.first, last = r.log.last;
    assert_int_equal(last - first, KEYS - 1);
    done_reading(&r);
    for (uint64_t revision = first + 3; revision < last; revision += IS_SANITIZED ? 11 : 3) {
        char what[64];
        (void)snprintf(what, sizeof(what), "without %llu", (unsigned long long)revision);
        write_file(f->file, whole.data, whole.len);
        remove_record(f, revision);
        if (assert_same_in_parts(f->file, BEFORE, what))
            fail_msg("%s nothing is missing", what);
    }
    lw_buf_done(&whole);
}

static void a_page_of_another_tree_is_found(void **state)
{
    fixture *f = *state;
    struct stat status;
    unsigned wrong = 0;
    fill(f);
    assert_int_equal(stat(f->file, &status), 0);
    for (uint64_t page = 2; page < (uint64_t)status.st_size / 4096; page++)
        wrong += !assert_same_in_parts(f->file, page, "a page that is used twice");
    assert_true(wrong > 20);
}

static void reads_are_the_same_with_a_window(void **state)
{
    fixture *f = *state;
    enum {
        SIZE = 700 * 1024,
    };
    char *bytes = lw_alloc(SIZE);
    char *out = lw_alloc(SIZE);
    lw_random random;
    lw_lmdb_pages pages;
    assert_non_null(bytes);
    assert_non_null(out);
    lw_random_init(&random, 9);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)lw_random_below(&random, 256);
    open_plain(f); /* makes the folder */
    close_store(f);
    write_file(f->file, bytes, SIZE);
    lw_lmdb_pages_init(&pages, open(f->file, O_RDONLY | O_CLOEXEC));
    uint64_t at = 0;
    for (unsigned i = 0; i < 20000; i++) {
        size_t len = (size_t)lw_random_below(&random, i % 50 == 0 ? 200000 : 6000);
        at = i % 20 < 15 ? at + lw_random_below(&random, 5000) : lw_random_below(&random, SIZE);
        at = at > SIZE + 5000 ? 0 : at;
        bool is_there = at <= SIZE && len <= SIZE - at;
        const char *seen = lw_lmdb_pages_view(&pages, len, at);
        assert_int_equal(seen != NULL || (is_there && len == 0), is_there);
        if (is_there && len > 0)
            assert_memory_equal(seen, bytes + at, len);
        assert_int_equal(lw_lmdb_pages_read(&pages, out, len, at), is_there);
        if (is_there)
            assert_memory_equal(out, bytes + at, len);
        at += len;
    }
    assert_int_equal(pages.error, 0);
    lw_lmdb_pages_done(&pages);
    lw_free(bytes);
    lw_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LMDB_TEST(a_log_in_parts_is_as_right_or_wrong_as_the_whole),
        LMDB_TEST(a_change_that_is_missing_is_found),
        LMDB_TEST(a_page_of_another_tree_is_found),
        LMDB_TEST(reads_are_the_same_with_a_window),
    };
    return cmocka_run_group_tests_name("verify_log", tests, NULL, NULL);
}
