/* SPDX-License-Identifier: Apache-2.0 */
/* repair.c -- rewrites a damaged file with the objects that can be read.
 *
 * The entry of a key says which record is its latest.  If that record cannot be read, the key is
 * lost: an older version might contradict what others have done since.  A key whose entry cannot be
 * read is recovered from its latest readable record. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/map.h"
#include "base/str.h"
#include "store/lmdb/build.h"
#include "store/lmdb/check.h"
#include "store/lmdb/restore.h"

/* What is known of a key. */
typedef struct known_key {
    uint64_t revision; /* of its latest record */
    bool is_deleted;
    bool has_entry; /* known from its entry, not from the log */
    bool is_found;  /* its record can be read */
    lw_str name;    /* |bytes| */
    char bytes[];
} known_key;

typedef struct repair {
    lw_map keys; /* of known_key */
    lw_lmdb_build build;
    lw_store_marks marks;
    lw_lmdb_state state;
    unsigned format;
    bool is_second; /* the second pass over the log, which writes */
    lw_status st;
} repair;

static known_key *add_key(repair *r, lw_str name)
{
    known_key *key = lw_alloc_zero(1, sizeof(*key) + name.len);
    void *replaced = NULL;
    if (!key) {
        r->st = LW_ERR_NOMEM;
        return NULL;
    }
    memcpy(key->bytes, name.ptr, name.len);
    key->name = lw_str_make(key->bytes, name.len);
    if (lw_map_put(&r->keys, &key->name, key, &replaced) < 0) {
        lw_free(key);
        r->st = LW_ERR_NOMEM;
        return NULL;
    }
    lw_free(replaced);
    return key;
}

static void take_entry(const lw_lmdb_node *node, void *arg)
{
    repair *r = arg;
    lw_lmdb_entry entry;
    if (r->st < 0 || node->is_tree ||
        !lw_lmdb_entry_decode(&entry, node->key, r->format, node->value))
        return;
    known_key *key = add_key(r, node->key);
    if (!key)
        return;
    key->revision = entry.revision;
    key->is_deleted = entry.create_revision == 0;
    key->has_entry = true;
}

static void ignore_damage(uint64_t page, const char *what, void *arg)
{
    (void)page;
    (void)what;
    (void)arg;
}

/* Reads the entries of all keys, as far as possible. */
static lw_status read_entries(repair *r, const char *path, lw_error *err)
{
    lw_lmdb_file file;
    lw_lmdb_trees trees;
    lw_lmdb_file_state state = lw_lmdb_file_open(&file, path);
    bool is_open = state == LW_LMDB_WHOLE || state == LW_LMDB_HALF || state == LW_LMDB_CUT;
    if (is_open && (file.metas[0].is_valid || file.metas[1].is_valid)) {
        lw_lmdb_file_find_trees(&file, &trees);
        r->format = trees.format;
        const lw_lmdb_visitor visitor = { .value_max = LW_LMDB_RECORD_MAX,
                                          .on_node = take_entry,
                                          .on_damage = ignore_damage,
                                          .arg = r };
        lw_lmdb_pages_walk(&file.pages, &trees.keys, &visitor);
    }
    int error = file.pages.error;
    lw_lmdb_file_close(&file);
    if (r->st < 0 || error == ENOMEM)
        return lw_error_nomem(err);
    return error == 0 ? LW_OK
                      : lw_error_set(err, LW_ERR_IO, "cannot read %s: error %d", path, error);
}

static lw_status take_state(const lw_lmdb_state *state, unsigned format, void *arg, lw_error *err)
{
    repair *r = arg;
    (void)err;
    r->state = *state;
    r->format = format;
    return LW_OK;
}

/* The first pass finds the keys that have no entry. */
static lw_status note_record(repair *r, uint64_t revision, const lw_lmdb_record *record,
                             lw_error *err)
{
    known_key *key = lw_map_get_str(&r->keys, record->key);
    if (!key)
        key = add_key(r, record->key);
    if (!key)
        return lw_error_nomem(err);
    if (!key->has_entry) {
        key->revision = revision;
        key->is_deleted = record->is_delete;
    }
    if (key->revision == revision)
        key->is_found = true;
    return LW_OK;
}

/* Each record of the new file stands alone: it has no history. */
static lw_status copy_record(repair *r, uint64_t revision, const lw_lmdb_record *record,
                             lw_error *err)
{
    const known_key *key = lw_map_get_str(&r->keys, record->key);
    if (!key || key->revision != revision || record->is_delete)
        return LW_OK;
    return lw_lmdb_build_put(&r->build, revision, record, err);
}

static lw_status take_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                             lw_error *err)
{
    repair *r = arg;
    return r->is_second ? copy_record(r, revision, record, err)
                        : note_record(r, revision, record, err);
}

static void report_lost(const repair *r, void (*on_lost)(const lw_lmdb_damage *lost, void *arg),
                        void *arg)
{
    lw_map_cursor cursor = lw_map_begin(&r->keys);
    for (const known_key *key; (key = lw_map_next(&r->keys, &cursor));) {
        lw_lmdb_damage lost = { .key = key->name, .revision = key->revision };
        if (key->has_entry && !key->is_deleted && !key->is_found)
            lost.what = "lost: its value cannot be read";
        else if (!key->has_entry)
            lost.what = key->is_deleted ? "uncertain: its entry cannot be read; it seems deleted"
                                        : "uncertain: its entry cannot be read; this is the latest "
                                          "value that was found";
        else
            continue;
        on_lost(&lost, arg);
    }
}

/* Keeps the damaged file, and gives the new one its name. */
static lw_status swap_files(repair *r, lw_error *err)
{
    lw_buf aside;
    lw_buf_init(&aside, LW_LMDB_PATH_MAX);
    lw_buf_printf(&aside, "%s.damaged", r->build.file);
    char *path = lw_buf_take_text(&aside);
    lw_buf_done(&aside);
    if (!path)
        return lw_error_nomem(err);
    /* A second name for the old file: at no time is there no data.mdb. */
    (void)remove(path);
    lw_status st = LW_OK;
    if (link(r->build.file, path) < 0)
        st = lw_lmdb_explain(&r->build.names, errno, "keep a copy of", err);
    if (st == LW_OK)
        st = lw_lmdb_build_publish(&r->build, err);
    lw_free(path);
    return st;
}

static lw_status repair_run(repair *r, const char *path, const char *folder, lw_error *err)
{
    const lw_lmdb_reader reader = {
        .on_state = take_state, .on_record = take_record, .arg = r, .skips_damage = true
    };
    lw_status st = read_entries(r, path, err);
    if (st == LW_OK)
        st = lw_lmdb_records_read(path, 0, &reader, err);
    if (st == LW_OK)
        st = lw_lmdb_build_begin(&r->build, folder, err);
    r->is_second = true;
    if (st == LW_OK)
        st = lw_lmdb_records_read(path, 0, &reader, err);
    if (st < 0)
        return st;
    uint64_t current = r->state.marks.current + 1;
    r->marks = (lw_store_marks){ .current = current,
                                 .compacted = current,
                                 .swept = current,
                                 .weight = r->state.marks.weight,
                                 .compacted_weight = r->state.marks.weight };
    st = lw_lmdb_build_finish(&r->build, &r->marks, err);
    r->marks.keys = r->build.alive;
    lw_lmdb_findings findings = { .on_damage = NULL };
    return st < 0 ? st : lw_lmdb_verify(r->build.names.file, 0, &findings, err);
}

lw_status lw_lmdb_repair(const char *folder, void (*on_lost)(const lw_lmdb_damage *lost, void *arg),
                         void *arg, lw_store_marks *marks, lw_error *err)
{
    static const lw_map_type type = LW_MAP_STR_TYPE(known_key, name);
    repair r = { .st = LW_OK };
    char *path = lw_file_path(folder, "data.mdb");
    if (!path)
        return lw_error_nomem(err);
    lw_map_init(&r.keys, &type, lw_hash_seed_random(), LW_MAP_MAX);
    lw_status st = repair_run(&r, path, folder, err);
    if (st == LW_OK)
        report_lost(&r, on_lost, arg);
    if (st == LW_OK)
        st = swap_files(&r, err);
    if (st == LW_OK)
        *marks = r.marks;
    lw_lmdb_build_done(&r.build);
    lw_map_cursor cursor = lw_map_begin(&r.keys);
    for (void *key; (key = lw_map_next(&r.keys, &cursor));)
        lw_free(key);
    lw_map_done(&r.keys);
    lw_free(path);
    return st;
}
