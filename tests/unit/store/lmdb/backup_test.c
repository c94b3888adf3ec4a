/* SPDX-License-Identifier: Apache-2.0 */
/* backup_test.c -- backups of stores that are written, restores, repairs, and the old format. */
#include "store/lmdb/backup.h"

#include <fcntl.h>
#include <lmdb.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/sync.h"
#include "store/lmdb/lmdb.h"
#include "store/lmdb/new.h"
#include "store/lmdb/restore.h"
#include "suite/store_place.h"

enum {
    KEYS = 60,
};

typedef struct fixture {
    store_place place, other; /* the store, and where it is restored */
    char file[STORE_PLACE_SIZE];
    lw_store *store;
    int fd; /* a file for backups */
    lw_error err;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .err = LW_ERROR_INIT };
    store_place_make(&f.place);
    store_place_make(&f.other);
    store_place_path(&f.place, "data.mdb", f.file);
    f.fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    *state = &f;
    return f.fd >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
    fixture *f = *state;
    char kept[STORE_PLACE_SIZE];
    lw_store_free(f->store);
    store_place_path(&f->place, "data.mdb.damaged", kept);
    (void)remove(kept);
    store_place_remove(&f->place);
    store_place_remove(&f->other);
    assert_int_equal(close(f->fd), 0);
    return 0;
}

static lw_status try_open(fixture *f, const store_place *place)
{
    const lw_lmdb_store_options options = { .folder = place->folder,
                                            .history = { .max_bytes = (size_t)1 << 30 } };
    return lw_lmdb_store_open(&f->store, &options, &f->err);
}

static void open_store(fixture *f, const store_place *place)
{
    if (try_open(f, place) < 0)
        fail_msg("cannot open: %s", f->err.message);
}

static void close_store(fixture *f)
{
    lw_store_free(f->store);
    f->store = NULL;
}

/* Creates, replaces or deletes a key. */
static lw_status try_change(lw_store *store, int number, bool is_delete)
{
    char key[16], value[600];
    (void)snprintf(key, sizeof(key), "/%05d", number % KEYS);
    size_t len = (size_t)(number % (int)sizeof(value));
    memset(value, 'a' + number % 26, sizeof(value));
    lw_store_txn txn = { .op = is_delete ? LW_STORE_DELETE : LW_STORE_PUT,
                         .key = lw_str_of(key),
                         .value = { value, len } };
    lw_status st = lw_store_commit(store, &txn);
    while (st == LW_ERR_CONFLICT && (txn.revision > 0 || !is_delete)) { /* others write too */
        txn.expected = txn.revision;
        st = lw_store_commit(store, &txn);
    }
    return st == LW_ERR_CONFLICT ? LW_OK : st;
}

static void change(lw_store *store, int number, bool is_delete)
{
    assert_int_equal(try_change(store, number, is_delete), LW_OK);
}

static lw_status append_record(const lw_store_record *record, void *arg, lw_error *err)
{
    lw_buf *out = arg;
    (void)err;
    lw_buf_printf(out, "%.*s@%llu/%llu=%.*s\n", LW_STR_ARG(record->key),
                  (unsigned long long)record->create_revision,
                  (unsigned long long)record->mod_revision, LW_STR_ARG(record->value));
    return out->st;
}

/* All of the store at |revision|, as text. */
static char *state_at(fixture *f, uint64_t revision)
{
    lw_buf text;
    lw_store_range all = { .revision = revision };
    lw_store_range_result result;
    lw_buf_init(&text, 64 << 20);
    if (lw_store_read(f->store, &all, append_record, &text, &result, &f->err) < 0)
        fail_msg("cannot read: %s", f->err.message);
    char *taken = lw_buf_take_text(&text);
    lw_buf_done(&text);
    assert_non_null(taken);
    return taken;
}

static lw_lmdb_backup_facts back_up(fixture *f)
{
    lw_lmdb_backup_facts facts = { .records = 0 };
    assert_int_equal(ftruncate(f->fd, 0), 0);
    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    if (lw_lmdb_backup_folder(f->place.folder, f->fd, (lw_lmdb_progress){ NULL, NULL }, &facts,
                              &f->err) < 0)
        fail_msg("cannot back up: %s", f->err.message);
    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    return facts;
}

static void restore(fixture *f)
{
    lw_lmdb_backup_facts facts;
    if (lw_lmdb_restore(f->other.folder, f->fd, &facts, &f->err) < 0)
        fail_msg("cannot restore: %s", f->err.message);
}

static void fill(fixture *f)
{
    open_store(f, &f->place);
    for (int i = 0; i < 3 * KEYS; i++)
        change(f->store, i * 7, i % 11 == 0);
    assert_int_equal(lw_store_compact(f->store, KEYS, &f->err), LW_OK);
}

static void a_restored_store_is_what_it_was_with_its_history(void **state)
{
    fixture *f = *state;
    uint64_t current = 0, compacted = 0, again = 0, oldest = 0;
    fill(f);
    lw_store_revisions(f->store, &current, &compacted);
    char *now = state_at(f, 0), *then = state_at(f, compacted + 20);
    lw_lmdb_backup_facts facts = back_up(f);
    assert_int_equal(facts.marks.current, current);
    close_store(f);
    restore(f);
    open_store(f, &f->other);
    lw_store_revisions(f->store, &again, &oldest);
    assert_int_equal(again, current);
    assert_int_equal(oldest, compacted);
    char *restored_now = state_at(f, 0), *restored_then = state_at(f, compacted + 20);
    assert_string_equal(restored_now, now);
    assert_string_equal(restored_then, then);
    change(f->store, 1, false);
    lw_store_revisions(f->store, &again, &oldest);
    assert_int_equal(again, current + 1);
    lw_free(now);
    lw_free(then);
    lw_free(restored_now);
    lw_free(restored_then);
}

/* How many changes each writer may have made: on a slow machine a backup must not let them fill
 * the disk. */
typedef struct allowance {
    lw_mutex mu; /* guards the others */
    lw_cond changed;
    lw_cond wrote; /* a writer made a change */
    int changes;
    bool is_over;
} allowance;

/* Writes as fast as the store takes it. */
typedef struct load {
    lw_store *store;
    allowance *allowed;
    lw_status st; /* of the last change */
    int count;
    int number;
} load;

static bool may_write(const load *l)
{
    allowance *a = l->allowed;
    lw_mutex_lock(&a->mu);
    lw_cond_broadcast(&a->wrote);
    while (l->count >= a->changes && !a->is_over)
        lw_cond_wait(&a->changed, &a->mu);
    bool is_over = a->is_over;
    lw_mutex_unlock(&a->mu);
    return !is_over;
}

static void write_on(void *arg)
{
    load *l = arg;
    for (int i = 0; l->st == LW_OK && may_write(l); i += 7, l->count++)
        l->st = try_change(l->store, i * 4 + l->number, i % 13 == 0);
}

static void allow(allowance *a, int more, bool is_over)
{
    lw_mutex_lock(&a->mu);
    a->changes += more;
    a->is_over = is_over;
    lw_cond_broadcast(&a->changed);
    lw_mutex_unlock(&a->mu);
}

/* Waits until there is a revision after this one. */
static void await_change(allowance *a, lw_store *store, uint64_t last)
{
    uint64_t revision = 0, compacted = 0;
    lw_mutex_lock(&a->mu);
    for (;;) {
        lw_store_revisions(store, &revision, &compacted);
        if (revision > last)
            break;
        lw_cond_wait(&a->wrote, &a->mu);
    }
    lw_mutex_unlock(&a->mu);
}

static void backups_under_load_restore_to_exactly_their_revision(void **state)
{
    fixture *f = *state;
    enum {
        WRITERS = 128,
        BACKUPS = 5,
        CHANGES = 400, /* of each writer during one backup */
    };
    static load loads[WRITERS];
    allowance allowed = { .changes = 0 };
    lw_mutex_init(&allowed.mu);
    lw_cond_init(&allowed.changed);
    lw_cond_init(&allowed.wrote);
    lw_thread threads[WRITERS];
    fill(f);
    int64_t start = lw_clock_now(lw_clock_system());
    for (int i = 0; i < WRITERS; i++) {
        loads[i] = (load){ .store = f->store, .allowed = &allowed, .number = i };
        assert_int_equal(lw_thread_start(&threads[i], "load", write_on, &loads[i], NULL), LW_OK);
    }
    lw_store *store = f->store;
    uint64_t last = 0, compacted = 0;
    lw_store_revisions(store, &last, &compacted);
    for (int i = 0; i < BACKUPS; i++) {
        allow(&allowed, CHANGES, false);
        await_change(&allowed, store, last);
        assert_int_equal(ftruncate(f->fd, 0), 0);
        assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
        assert_int_equal(lw_store_backup(store, f->fd, NULL, &f->err), LW_OK);
        assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
        restore(f);
        open_store(f, &f->other);
        uint64_t revision = 0;
        lw_store_revisions(f->store, &revision, &compacted);
        assert_true(revision > last);
        last = revision;
        char *restored = state_at(f, 0);
        close_store(f);
        f->store = store;
        char *truth = state_at(f, revision);
        assert_string_equal(restored, truth);
        lw_free(restored);
        lw_free(truth);
        store_place_remove(&f->other);
        store_place_make(&f->other);
    }
    int total = 0;
    allow(&allowed, 0, true);
    for (int i = 0; i < WRITERS; i++) {
        lw_thread_join(&threads[i]);
        assert_int_equal(loads[i].st, LW_OK);
        total += loads[i].count;
    }
    lw_cond_done(&allowed.changed);
    lw_cond_done(&allowed.wrote);
    lw_mutex_done(&allowed.mu);
    print_message("# %lld changes/s during %d backups\n",
                  (long long)total * 1000000000 / (lw_clock_now(lw_clock_system()) - start),
                  BACKUPS);
}

/* More than one transaction of a restore or a rewrite holds. */
static void a_large_store_is_restored_and_rewritten(void **state)
{
    fixture *f = *state;
    enum {
        VALUES = 7,
    };
    open_store(f, &f->place);
    char *value = lw_alloc_zero(1, LW_STORE_VALUE_MAX);
    assert_non_null(value);
    for (int i = 0; i < VALUES; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "/%d", i);
        lw_store_txn txn = { .op = LW_STORE_PUT,
                             .key = lw_str_of(key),
                             .value = { value, LW_STORE_VALUE_MAX } };
        assert_int_equal(lw_store_commit(f->store, &txn), LW_OK);
    }
    lw_free(value);
    (void)back_up(f);
    close_store(f);
    restore(f);
    assert_int_equal(lw_lmdb_rewrite(f->place.folder, &f->err), LW_OK);
    const store_place *const places[] = { &f->place, &f->other };
    for (int i = 0; i < 2; i++) {
        lw_store_condition condition;
        open_store(f, places[i]);
        lw_store_check_condition(f->store, &condition);
        assert_int_equal(condition.keys, VALUES);
        close_store(f);
    }
}

static void a_store_is_not_restored_over_another(void **state)
{
    fixture *f = *state;
    lw_lmdb_backup_facts facts;
    fill(f);
    (void)back_up(f);
    assert_int_equal(lw_lmdb_restore(f->place.folder, f->fd, &facts, &f->err),
                     LW_ERR_IO); /* used */
    close_store(f);
    assert_int_equal(lw_lmdb_restore(f->place.folder, f->fd, &facts, &f->err), LW_ERR_EXISTS);
    assert_non_null(strstr(f->err.message, f->file));
}

/* A backup in memory. */
typedef struct memory_source {
    const char *bytes;
    size_t len, at;
} memory_source;

static ssize_t read_memory(void *arg, void *out, size_t len)
{
    memory_source *m = arg;
    size_t part = m->len - m->at < len ? m->len - m->at : len;
    memcpy(out, m->bytes + m->at, part);
    m->at += part;
    return (ssize_t)part;
}

static lw_status count_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                              lw_error *err)
{
    (void)revision;
    (void)record;
    (void)err;
    ++*(size_t *)arg;
    return LW_OK;
}

static lw_status read_backup(const char *bytes, size_t len, lw_error *err)
{
    size_t count = 0;
    memory_source m = { bytes, len, 0 };
    const lw_lmdb_backup_source source = { read_memory, &m };
    const lw_lmdb_reader reader = { .on_record = count_record, .arg = &count };
    lw_lmdb_backup_facts facts;
    return lw_lmdb_backup_read(&source, &reader, &facts, err);
}

static void a_backup_that_was_changed_or_cut_anywhere_is_refused(void **state)
{
    fixture *f = *state;
    open_store(f, &f->place);
    for (int i = 0; i < 20; i++)
        change(f->store, i, false);
    size_t len = (size_t)back_up(f).bytes;
    char *bytes = lw_alloc(len + 1);
    assert_non_null(bytes);
    assert_int_equal(pread(f->fd, bytes, len, 0), len);
    bytes[len] = 'x';
    assert_int_equal(read_backup(bytes, len, &f->err), LW_OK);
    assert_int_equal(read_backup(bytes, len + 1, &f->err), LW_ERR_INVALID);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(read_backup(bytes, i, &f->err), LW_ERR_INVALID);
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        assert_int_equal(read_backup(bytes, len, &f->err), LW_ERR_INVALID);
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
    }
    lw_free(bytes);
}

static void count_lost(const lw_lmdb_damage *lost, void *arg)
{
    assert_true(lw_str_equal(lost->key, LW_STR("/00003")));
    ++*(size_t *)arg;
}

static void a_repair_keeps_what_can_be_read(void **state)
{
    fixture *f = *state;
    open_store(f, &f->place);
    for (int i = 0; i < 10; i++)
        change(f->store, i, false);
    change(f->store, 5, true);
    close_store(f);
    int fd = open(f->file, O_RDWR | O_CLOEXEC);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    char *bytes = lw_alloc((size_t)status.st_size);
    assert_int_equal(pread(fd, bytes, (size_t)status.st_size, 0), status.st_size);
    const char *at = bytes, *end = bytes + status.st_size;
    while ((at = memmem(at, (size_t)(end - at), "/00003ddd", 9))) { /* older commits have copies */
        at += 7;
        assert_int_equal(pwrite(fd, "?", 1, at - bytes), 1);
    }
    assert_int_equal(close(fd), 0);
    lw_free(bytes);
    assert_int_equal(try_open(f, &f->place), LW_ERR_INVALID);
    size_t lost = 0;
    lw_store_marks marks;
    assert_int_equal(lw_lmdb_repair(f->place.folder, count_lost, &lost, &marks, &f->err), LW_OK);
    assert_int_equal(lost, 1);
    assert_int_equal(marks.keys, 8);
    open_store(f, &f->place);
    uint64_t current = 0, compacted = 0;
    lw_store_revisions(f->store, &current, &compacted);
    assert_int_equal(current, 12); /* clients that are at 11 must list again */
    assert_int_equal(compacted, 12);
    char *found = state_at(f, 0);
    assert_null(strstr(found, "/00003"));
    assert_null(strstr(found, "/00005"));
    assert_non_null(strstr(found, "/00009"));
    lw_free(found);
    change(f->store, 3, false);
}

static void put_old(MDB_txn *txn, MDB_dbi dbi, const char *key, size_t key_len, const char *value,
                    size_t len)
{
    char keys[16], values[80];
    memcpy(keys, key, key_len);
    memcpy(values, value, len);
    MDB_val at = { key_len, keys }, to = { len, values };
    assert_int_equal(mdb_put(txn, dbi, &at, &to, 0), 0);
}

#define BYTES(literal) literal, sizeof(literal) - 1

/* A store as version 1 wrote it: one key that was created and replaced. */
static void write_old_store(fixture *f)
{
    MDB_env *env = NULL;
    MDB_txn *txn = NULL;
    MDB_dbi log = 0, keys = 0, meta = 0;
    assert_int_equal(lw_lmdb_folder_make(f->place.folder, NULL), LW_OK);
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_set_maxdbs(env, 3), 0);
    assert_int_equal(mdb_env_open(env, f->place.folder, 0, 0600), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, "log", MDB_CREATE, &log), 0);
    assert_int_equal(mdb_dbi_open(txn, "keys", MDB_CREATE, &keys), 0);
    assert_int_equal(mdb_dbi_open(txn, "meta", MDB_CREATE, &meta), 0);
    put_old(txn, log, BYTES("\0\0\0\0\0\0\0\1"),
            BYTES("\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5/aone"));
    put_old(txn, log, BYTES("\0\0\0\0\0\0\0\2"),
            BYTES("\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\17/atwo"));
    put_old(txn, keys, BYTES("/a"), BYTES("\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\5"));
    put_old(txn, meta, BYTES("format"), BYTES("\0\0\0\0\0\0\0\1"));
    put_old(txn, meta, BYTES("state"),
            BYTES("\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\17"
                  "\0\0\0\0\0\0\0\0"));
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void a_store_of_the_old_format_is_converted(void **state)
{
    fixture *f = *state;
    write_old_store(f);
    for (int i = 0; i < 2; i++) {
        open_store(f, &f->place);
        char *now = state_at(f, 2), *then = state_at(f, 1);
        assert_string_equal(now, "/a@1/2=two\n");
        assert_string_equal(then, "/a@1/1=one\n");
        lw_free(now);
        lw_free(then);
        lw_store_condition condition;
        lw_store_check_condition(f->store, &condition);
        assert_int_equal(condition.keys, 1);
        close_store(f);
    }
    lw_lmdb_findings findings = { .on_damage = NULL };
    assert_int_equal(lw_lmdb_verify(f->file, 0, &findings, &f->err), LW_OK);
    assert_int_equal(findings.format, LW_LMDB_FORMAT);
}

#define BACKUP_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BACKUP_TEST(a_restored_store_is_what_it_was_with_its_history),
        BACKUP_TEST(backups_under_load_restore_to_exactly_their_revision),
        BACKUP_TEST(a_large_store_is_restored_and_rewritten),
        BACKUP_TEST(a_store_is_not_restored_over_another),
        BACKUP_TEST(a_backup_that_was_changed_or_cut_anywhere_is_refused),
        BACKUP_TEST(a_repair_keeps_what_can_be_read),
        BACKUP_TEST(a_store_of_the_old_format_is_converted),
    };
    return cmocka_run_group_tests_name("lmdb/backup", tests, NULL, NULL);
}
