/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb_damage_test.c -- a durable store whose files were changed: refused with a reason, or nothing
 * is missing. */
#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "store/lmdb/env.h"
#include "store/lmdb/format.h"
#include "unit/store/lmdb/lmdb_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        LMDB_TEST(a_file_of_somebody_else_is_refused_and_left_alone),
        LMDB_TEST(a_database_of_another_program_is_refused),
        LMDB_TEST(a_format_to_come_is_refused),
        LMDB_TEST(a_state_that_cannot_be_is_refused),
        LMDB_TEST(a_damaged_entry_is_refused),
        LMDB_TEST(an_entry_that_leads_to_an_old_value_is_refused),
        LMDB_TEST(a_value_damaged_while_the_store_is_open_is_not_returned),
        LMDB_TEST(a_file_that_was_cut_short_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
