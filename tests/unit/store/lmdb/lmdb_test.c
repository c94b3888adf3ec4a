/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_test.c -- the durable store where it meets the system: maps, disks, damage, other processes.
 * What it does as a store is in tests/suite/. */
#include "store/lmdb/lmdb.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/sync.h"
#include "store/lmdb/env.h"
#include "store/lmdb/format.h"
#include "suite/store_place.h"
#include "support/sanitized.h"

typedef struct fixture {
    store_place place;
    lw_store *store;
    char file[STORE_PLACE_SIZE];
    lw_error err; /* of the last that failed */
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .err = LW_ERROR_INIT };
    store_place_make(&f.place);
    store_place_path(&f.place, "data.mdb", f.file);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    lw_store_free(f->store);
    store_place_remove(&f->place);
    return 0;
}

static lw_status try_open(fixture *f, lw_lmdb_store_options options)
{
    options.folder = f->place.folder;
    f->err = (lw_error)LW_ERROR_INIT;
    return lw_lmdb_store_open(&f->store, &options, &f->err);
}

static void open_store(fixture *f, lw_lmdb_store_options options)
{
    if (try_open(f, options) < 0)
        fail_msg("cannot open: %s", f->err.message);
}

static void open_plain(fixture *f)
{
    open_store(f, (lw_lmdb_store_options){ .map_bytes = 0 });
}

static void close_store(fixture *f)
{
    lw_store_free(f->store);
    f->store = NULL;
}

/* Puts |len| bytes under "/<number>", whatever is there. */
static lw_status put_number(fixture *f, int number, size_t len)
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

static lw_status count_right_value(const lw_store_record *record, void *arg, lw_error *err)
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
static lw_status count_values(fixture *f, size_t *count)
{
    *count = 0;
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result;
    return lw_store_read(f->store, &all, count_right_value, count, &result, &f->err);
}

static void assert_values(fixture *f, size_t expected)
{
    size_t count = 0;
    assert_int_equal(count_values(f, &count), LW_OK);
    assert_int_equal(count, expected);
}

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

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(fixture *f, const char *word)
{
    assert_int_equal(try_open(f, (lw_lmdb_store_options){ .map_bytes = 0 }), LW_ERR_INVALID);
    if (!strstr(f->err.message, f->file) || !strstr(f->err.message, word))
        fail_msg("\"%s\" does not name the file and \"%s\"", f->err.message, word);
}

static void a_file_of_somebody_else_is_refused_and_left_alone(void **state)
{
    fixture *f = *state;
    open_plain(f);
    close_store(f);
    char text[10000];
    memset(text, 't', sizeof(text));
    static const size_t sizes[] = { 1, 100, 152, 4096, 8191, sizeof(text) };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        write_file(f->file, text, sizes[i]);
        assert_refused(f, "not an LMDB file");
        struct stat status;
        assert_int_equal(stat(f->file, &status), 0);
        assert_int_equal(status.st_size, sizes[i]);
    }
}

/* Changes the file behind the store's back: puts |value| under |key| of |database|. */
static void meddle(fixture *f, const char *database, const char *key, lw_str value)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi dbi = 0;
    char name[16];
    char bytes[64];
    (void)snprintf(name, sizeof(name), "%s", key);
    assert_true(value.len <= sizeof(bytes));
    memcpy(bytes, value.ptr, value.len);
    MDB_val at = { strlen(name), name };
    MDB_val to = { value.len, bytes };
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 5), 0);
    assert_int_equal(mdb_env_open(env, f->place.folder, 0, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, database, MDB_CREATE, &dbi), 0);
    assert_int_equal(mdb_put(txn, dbi, &at, &to, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void a_database_of_another_program_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    close_store(f);
    assert_int_equal(remove(f->file), 0);
    meddle(f, "theirs", "a", LW_STR("b"));
    assert_refused(f, "not created by this program");
}

static void a_format_to_come_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    close_store(f);
    meddle(f, "meta", "format", LW_STR("\0\0\0\0\0\0\0\3"));
    assert_refused(f, "format 3");
    meddle(f, "meta", "format", LW_STR("?"));
    assert_refused(f, "damaged");
}

/* Replaces the state; |off| is added to the number of the transaction. */
static void meddle_state_once(fixture *f, lw_store_marks marks, uint64_t off)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi dbi = 0;
    char name[] = "state";
    unsigned char bytes[LW_LMDB_STATE_SIZE];
    MDB_val at = { strlen(name), name };
    MDB_val to = { sizeof(bytes), bytes };
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 5), 0);
    assert_int_equal(mdb_env_open(env, f->place.folder, 0, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "meta", 0, &dbi), 0);
    lw_lmdb_state_encode(&(lw_lmdb_state){ marks, mdb_txn_id(txn) + off }, bytes);
    assert_int_equal(mdb_put(txn, dbi, &at, &to, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

/* In the last two commits, which are both checked. */
static void meddle_state(fixture *f, lw_store_marks marks, uint64_t off)
{
    meddle_state_once(f, marks, off);
    meddle_state_once(f, marks, off);
}

static void a_state_that_cannot_be_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    assert_int_equal(put_number(f, 1, 10), LW_OK);
    close_store(f);
    meddle_state(f, (lw_store_marks){ .current = 3, .compacted = 4, .keys = 1 }, 0);
    assert_refused(f, "the state record is damaged");
    meddle_state(f, (lw_store_marks){ .current = 5, .keys = 1 }, 0);
    assert_refused(f, "the latest changes are missing");
    meddle_state(f, (lw_store_marks){ .current = 1, .keys = 2 }, 0);
    assert_refused(f, "the number of keys");
    meddle_state(f, (lw_store_marks){ .current = 1, .keys = 1 }, 1);
    assert_refused(f, "names another commit");
    meddle_state_once(f, (lw_store_marks){ .current = 1, .keys = 1 }, 0);
    assert_refused(f, "names another commit"); /* the older of the two */
    meddle_state_once(f, (lw_store_marks){ .current = 1, .keys = 1 }, 0);
    open_plain(f);
    assert_values(f, 1);
}

static void a_damaged_entry_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    for (int i = 0; i < 3; i++)
        assert_int_equal(put_number(f, i, 10), LW_OK);
    close_store(f);
    meddle(f, "keys", "/00001", LW_STR("?"));
    meddle_state(f, (lw_store_marks){ .current = 3, .keys = 3 }, 0);
    assert_refused(f, "key /00001");
}

static lw_buf read_whole(const char *path)
{
    lw_buf bytes;
    lw_buf_init(&bytes, 64 << 20);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof(chunk), file)) > 0;)
        lw_buf_append(&bytes, chunk, got);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(bytes.st, LW_OK);
    return bytes;
}

/* As a page that is older than the others: all checksums are right. */
static void an_entry_that_leads_to_an_old_value_is_refused(void **state)
{
    fixture *f = *state;
    open_plain(f);
    assert_int_equal(put_number(f, 1, 10), LW_OK);
    assert_int_equal(put_number(f, 1, 20), LW_OK);
    close_store(f);
    unsigned char bytes[LW_LMDB_ENTRY_SIZE];
    lw_lmdb_entry_encode(&(lw_lmdb_entry){ 1, 1, 16 }, LW_STR("/00001"), bytes);
    meddle(f, "keys", "/00001", lw_str_make((char *)bytes, sizeof(bytes)));
    meddle_state(f, (lw_store_marks){ .current = 2, .keys = 1 }, 0);
    assert_refused(f, "the keys do not lead to the latest changes");
}

/* Changes a byte of each place in the file that has |text|: older commits have copies. */
static void change_in_file(fixture *f, const char *text)
{
    lw_buf whole = read_whole(f->file);
    const char *at = whole.data, *end = whole.data + whole.len;
    int fd = open(f->file, O_WRONLY);
    assert_true(fd >= 0);
    for (; (at = memmem(at, (size_t)(end - at), text, strlen(text))); at++)
        assert_int_equal(pwrite(fd, "?", 1, at - whole.data), 1);
    assert_int_equal(close(fd), 0);
    lw_buf_done(&whole);
}

static void a_value_damaged_while_the_store_is_open_is_not_returned(void **state)
{
    fixture *f = *state;
    lw_store_condition condition;
    open_plain(f);
    for (int i = 0; i < 3; i++)
        assert_int_equal(put_number(f, i, 10), LW_OK);
    lw_store_check_condition(f->store, &condition);
    assert_false(condition.is_damaged);
    change_in_file(f, "bbbbbbbbbb");
    size_t count = 0;
    assert_int_equal(count_values(f, &count), LW_ERR_INVALID);
    assert_non_null(strstr(f->err.message, "key /00001"));
    assert_int_equal(count, 1); /* what comes before it */
    lw_store_check_condition(f->store, &condition);
    assert_true(condition.is_damaged);
    assert_int_equal(put_number(f, 2, 10), LW_OK);
    close_store(f);
    assert_refused(f, "key /00001 at revision 2 (page");
}

/* Fills a store with values of all sizes, some deleted and swept; how many are left. */
static size_t fill(fixture *f)
{
    enum {
        VALUES = 150,
    };
    open_store(f, (lw_lmdb_store_options){ .history = { .max_bytes = 20000 } });
    for (int i = 0; i < VALUES; i++)
        assert_int_equal(put_number(f, i * 37 % VALUES, (size_t)(i % 12 * 700)), LW_OK);
    for (int i = 0; i < VALUES; i += 3)
        assert_int_equal(put_number(f, i, 5000), LW_OK);
    close_store(f);
    return VALUES;
}

/* Opens what the first |len| bytes are: refused, or nothing is missing.  True when refused. */
static bool is_cut_refused(fixture *f, const lw_buf *whole, size_t len, size_t values)
{
    write_file(f->file, whole->data, len);
    lw_status st = try_open(f, (lw_lmdb_store_options){ .map_bytes = 0 });
    if (st < 0) {
        assert_int_equal(st, LW_ERR_INVALID);
        assert_non_null(strstr(f->err.message, f->file));
        return true;
    }
    assert_values(f, values);
    close_store(f);
    return false;
}

static void a_file_that_was_cut_short_is_refused(void **state)
{
    fixture *f = *state;
    size_t values = fill(f);
    lw_buf whole = read_whole(f->file);
    assert_false(is_cut_refused(f, &whole, whole.len, values));
    assert_true(is_cut_refused(f, &whole, whole.len / 2, values));
    assert_non_null(strstr(f->err.message, "truncated"));
    assert_true(is_cut_refused(f, &whole, 5000, values));
    assert_true(is_cut_refused(f, &whole, 1, values));
    size_t refused = 0;
    size_t pages = whole.len / 4096;
    for (size_t page = 2; page < pages; page += page + 40 < pages ? 11 : 1) {
        refused += is_cut_refused(f, &whole, page * 4096, values);
        refused += is_cut_refused(f, &whole, page * 4096 + 77, values);
    }
    assert_true(refused > 0);
    lw_buf_done(&whole);
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

#define LMDB_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LMDB_TEST(makes_its_folder_for_the_owner_only),
        LMDB_TEST(a_folder_that_cannot_be_is_refused),
        LMDB_TEST(the_map_grows_under_readers),
        LMDB_TEST(one_value_larger_than_the_map_fits),
        LMDB_TEST(less_address_space_than_wanted_will_do),
        LMDB_TEST(a_file_of_somebody_else_is_refused_and_left_alone),
        LMDB_TEST(a_database_of_another_program_is_refused),
        LMDB_TEST(a_format_to_come_is_refused),
        LMDB_TEST(a_state_that_cannot_be_is_refused),
        LMDB_TEST(a_damaged_entry_is_refused),
        LMDB_TEST(an_entry_that_leads_to_an_old_value_is_refused),
        LMDB_TEST(a_value_damaged_while_the_store_is_open_is_not_returned),
        LMDB_TEST(a_file_that_was_cut_short_is_refused),
        LMDB_TEST(a_second_opening_is_refused),
        LMDB_TEST(a_second_process_is_refused),
        LMDB_TEST(removing_the_lock_files_lets_nobody_in),
        LMDB_TEST(a_file_that_was_removed_or_replaced_is_not_written),
        LMDB_TEST(a_full_disk_refuses_writes_and_nothing_else),
    };
    return cmocka_run_group_tests_name("lmdb", tests, NULL, NULL);
}
