/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c -- reads a whole file and finds all damage.
 *
 * Besides the structure of the trees and the checksums, four things are compared:
 *
 *   - each meta page names the transaction that wrote its state, so that a damaged meta page cannot
 *     return the store to an older commit;
 *   - every revision after the swept one has a record;
 *   - the keys point to the latest records and to nothing else.  Each side is a set of (key,
 *     revision), and the sums of their hashes are compared, which needs no look-ups;
 *   - the number of keys that exist is that in the state. */
#include "store/lmdb/verify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/lost_keys.h"
#include "store/lmdb/trees.h"
#include "store/lmdb/verify_log.h"

enum {
    WHY_SIZE = 128,
    DAMAGE_SIZE = 400,
    FREE_TREE_FLAGS = 8, /* MDB_INTEGERKEY */
    FILE_FLAGS = 0x4000, /* MDB_NOSUBDIR: how the file was created; means nothing later */
};

/* One run. */
typedef struct verification {
    const char *path;
    lw_lmdb_file file;
    lw_lmdb_trees trees;
    lw_lmdb_findings *findings;
    char first[DAMAGE_SIZE]; /* text of the first damage */
    lw_lmdb_log_check log;
    uint64_t pointed; /* as log.latest, of what the keys point to */
    bool is_keys_damaged;
} verification;

/* The key may be damaged itself. */
static void print_key(lw_str key, lw_buf *out)
{
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        lw_buf_printf(out, c > 0x20 && c < 0x7f && c != '\\' ? "%c" : "\\x%02x", c);
    }
}

void lw_lmdb_damage_print(const lw_lmdb_damage *damage, lw_buf *out)
{
    if (damage->key.len > 0) {
        lw_buf_append(out, "key ", 4);
        print_key(damage->key, out);
    }
    if (damage->revision > 0)
        lw_buf_printf(out, "%s %llu", damage->key.len > 0 ? " at revision" : "revision",
                      (unsigned long long)damage->revision);
    bool has_subject = damage->key.len > 0 || damage->revision > 0;
    if (damage->page > 0)
        lw_buf_printf(out, has_subject ? " (page %llu)" : "page %llu",
                      (unsigned long long)damage->page);
    lw_buf_printf(out, "%s%s", has_subject || damage->page > 0 ? ": " : "", damage->what);
}

static void report(verification *v, const lw_lmdb_damage *damage)
{
    if (v->findings->damages++ == 0) {
        lw_buf text;
        lw_buf_init(&text, DAMAGE_SIZE);
        lw_lmdb_damage_print(damage, &text);
        lw_error_copy_text(v->first, sizeof(v->first), text.data ? text.data : damage->what,
                           text.data ? text.len : strlen(damage->what));
        lw_buf_done(&text);
    }
    if (v->findings->on_damage)
        v->findings->on_damage(damage, v->findings->arg);
}

static void report_page(verification *v, uint64_t page, const char *what)
{
    report(v, &(lw_lmdb_damage){ .page = page, .what = what });
}

static void on_page_damage(uint64_t page, const char *what, void *arg)
{
    report_page(arg, page, what);
}

static void on_damage(const lw_lmdb_damage *damage, void *arg)
{
    report(arg, damage);
}

static void on_keys_damage(uint64_t page, const char *what, void *arg)
{
    ((verification *)arg)->is_keys_damaged = true;
    report_page(arg, page, what);
}

static void on_entry(const lw_lmdb_node *node, void *arg)
{
    verification *v = arg;
    lw_lmdb_entry entry;
    if (node->is_tree || !lw_lmdb_entry_decode(&entry, node->key, v->trees.format, node->value)) {
        v->is_keys_damaged = true;
        report(v, &(lw_lmdb_damage){ .key = node->key,
                                     .page = node->page,
                                     .what = "the checksum of the key's entry is wrong" });
        return;
    }
    if (entry.create_revision > 0)
        v->findings->keys++;
    v->pointed += lw_lmdb_log_hash(node->key, entry.revision);
}

/* The free pages of one transaction: their count, then their numbers, descending. */
static void on_free(const lw_lmdb_node *node, void *arg)
{
    verification *v = arg;
    uint64_t txn_id = 0, count = 0, before = UINT64_MAX;
    if (node->key.len == sizeof(txn_id))
        memcpy(&txn_id, node->key.ptr, sizeof(txn_id));
    if (node->value.len >= sizeof(count))
        memcpy(&count, node->value.ptr, sizeof(count));
    if (node->value.len < sizeof(count) || count > node->value.len / sizeof(count) - 1) {
        report_page(v, node->page, "the list of free pages is damaged");
        return;
    }
    for (uint64_t i = 1; i <= count; i++) {
        uint64_t number = 0;
        memcpy(&number, node->value.ptr + i * sizeof(number), sizeof(number));
        if (number < 2 || number > v->file.pages.last_page || number >= before) {
            report_page(v, node->page, "the list of free pages is damaged");
            return;
        }
        if (!lw_lmdb_pages_mark(&v->file.pages, number))
            report_page(v, number, "the page is in use and in the list of free pages");
        before = number;
    }
}

static void walk(verification *v, const lw_lmdb_db *db, lw_lmdb_visitor visitor)
{
    visitor.arg = v;
    lw_lmdb_pages_walk(&v->file.pages, db, &visitor);
}

static void ignore_node(const lw_lmdb_node *node, void *arg)
{
    (void)node;
    (void)arg;
}

/* True if a meta page can be as it is. */
static bool is_meta_sane(const lw_lmdb_meta *meta)
{
    return meta->is_valid && meta->address == 0 && meta->map_size < UINT64_C(1) << 47 &&
           (meta->free.flags & ~(unsigned)FILE_FLAGS) == FREE_TREE_FLAGS && meta->main.flags == 0 &&
           meta->main.page_size == 0;
}

/* A copy that LMDB's own tool has compacted starts again at transaction 1. */
static bool is_first_commit(const verification *v, const lw_lmdb_meta *meta)
{
    const lw_lmdb_meta *other = &v->file.metas[0];
    return meta->txn_id == 1 && other->txn_id == 0 && other->main.root == LW_LMDB_NO_ROOT;
}

/* Checks one of the meta pages and reads the state of its commit. */
static void check_meta(verification *v, uint64_t number)
{
    const lw_lmdb_meta *meta = &v->file.metas[number];
    if (!is_meta_sane(meta) || meta->txn_id % 2 != number) {
        report_page(v, number, "meta page: it is damaged");
        return;
    }
    if (meta->txn_id == 0 && meta->main.root == LW_LMDB_NO_ROOT)
        return; /* before the first commit */
    lw_lmdb_trees_find(&v->trees, &v->file.pages, meta);
    if (v->trees.damage)
        report_page(v, v->trees.damage_page, v->trees.damage);
    else if (v->trees.format == LW_LMDB_FORMAT && v->trees.state.txn_id != meta->txn_id &&
             !is_first_commit(v, meta))
        report_page(v, number, "meta page: it names another commit than the one it leads to");
}

static bool metas_follow(const lw_lmdb_file *file)
{
    uint64_t a = file->metas[0].txn_id, b = file->metas[1].txn_id;
    return a + 1 == b || b + 1 == a;
}

/* Checks the meta pages; v->trees is then that of the commit to read. */
static const lw_lmdb_meta *check_metas(verification *v, uint64_t txn_id)
{
    const lw_lmdb_meta *meta = lw_lmdb_file_newest(&v->file);
    if (txn_id > 0) {
        meta = &v->file.metas[txn_id % 2];
    } else {
        check_meta(v, meta == v->file.metas ? 1 : 0);
        if (!metas_follow(&v->file))
            report_page(v, 0, "meta pages: one of them is damaged or older than the other");
    }
    check_meta(v, meta == v->file.metas ? 0 : 1);
    return meta;
}

static void check_sums(verification *v)
{
    const lw_store_marks *marks = &v->trees.state.marks;
    if (v->log.is_damaged || v->is_keys_damaged)
        return;
    if (marks->current > marks->swept && v->log.last != marks->current)
        report_page(v, v->trees.log.root, "the latest changes are missing");
    else if (v->log.latest != v->pointed)
        report_page(v, v->trees.keys.root, "the keys do not lead to the latest changes");
    else if (v->trees.format == LW_LMDB_FORMAT && v->findings->keys != marks->keys)
        report_page(v, v->trees.meta.root, "the number of keys is not that in the state");
}

static const lw_lmdb_visitor keys_visitor = { .value_max = LW_LMDB_ENTRY_SIZE,
                                              .on_node = on_entry,
                                              .on_damage = on_keys_damage };

/* Reads the keys from |pages| without a report; false: they are damaged. */
static bool keys_are_right(lw_lmdb_pages *pages, void *arg)
{
    verification *v = arg;
    lw_lmdb_findings findings = { .on_damage = NULL };
    verification quiet = { .trees = v->trees, .findings = &findings };
    lw_lmdb_visitor visitor = keys_visitor;
    visitor.arg = &quiet;
    lw_lmdb_pages_walk(pages, &v->trees.keys, &visitor);
    v->findings->keys = findings.keys;
    v->pointed = quiet.pointed;
    return findings.damages == 0;
}

/* |is_idle|: nobody else uses the file. */
static void check_all(verification *v, const lw_lmdb_meta *meta, bool is_idle)
{
    const lw_lmdb_visitor main = { .value_max = LW_LMDB_DB_SIZE,
                                   .on_node = ignore_node,
                                   .on_damage = on_page_damage };
    const lw_lmdb_visitor small = { .value_max = LW_LMDB_RECORD_MAX,
                                    .on_node = ignore_node,
                                    .on_damage = on_page_damage };
    const lw_lmdb_visitor unused = { .has_numbers = true,
                                     .value_max = UINT32_MAX,
                                     .on_node = on_free,
                                     .on_damage = on_page_damage };
    v->file.pages.last_page = meta->last_page;
    walk(v, &meta->main, main);
    walk(v, &v->trees.meta, small);
    v->log = (lw_lmdb_log_check){ .trees = &v->trees, .report = on_damage, .arg = v };
    size_t threads = is_idle ? lw_lmdb_log_threads(&v->trees.log) : 1;
    if (threads == 1 ||
        !lw_lmdb_log_verify_with(&v->log, &v->file.pages, threads, keys_are_right, v)) {
        lw_lmdb_log_verify(&v->log, &v->file.pages);
        v->findings->keys = v->pointed = 0;
        walk(v, &v->trees.keys, keys_visitor);
    }
    v->findings->records = v->log.records;
    walk(v, &meta->free, unused);
    check_sums(v);
    if (v->log.is_damaged) {
        lw_buf_done(&v->file.pages.used); /* everything is read once more */
        lw_lmdb_lost_keys(&v->file.pages, &v->trees, on_damage, v);
    }
}

static lw_status verify_open_file(verification *v, uint64_t txn_id, lw_error *err)
{
    if (txn_id == 0 && lw_lmdb_check(v->path) == LW_LMDB_CUT)
        report_page(v, 0, "the file is truncated");
    if (txn_id > 0 && v->file.metas[txn_id % 2].txn_id != txn_id)
        return lw_error_set(err, LW_ERR_UNAVAILABLE,
                            "%s: the commit to read was overwritten; try again", v->path);
    const lw_lmdb_meta *meta = check_metas(v, txn_id);
    if (v->file.pages.error != 0)
        return LW_OK; /* the caller sees it */
    v->findings->format = v->trees.format;
    v->findings->state = v->trees.state;
    v->findings->pages = meta->last_page + 1;
    if (v->trees.found == 0 && meta->main.entries > 0 && v->trees.is_readable)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s was not created by this program: choose another directory",
                            v->path);
    if (v->trees.format > LW_LMDB_FORMAT)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s has format %u, but this program supports only formats %d and %d: "
                            "use the version that wrote it",
                            v->path, v->trees.format, LW_LMDB_FORMAT_OLD, LW_LMDB_FORMAT);
    if (lw_lmdb_pages_record(&v->file.pages) < 0)
        return lw_error_nomem(err);
    check_all(v, meta, txn_id == 0);
    return LW_OK;
}

static lw_status damaged(const verification *v, const char *what, lw_error *err)
{
    unsigned long long more = v->findings->damages > 1 ? v->findings->damages - 1 : 0;
    char others[64] = "";
    if (more > 0)
        (void)snprintf(others, sizeof(others), "; and %llu more", more);
    return lw_error_set(err, LW_ERR_INVALID, "%s is damaged (%s%s)", v->path, what, others);
}

static lw_status unreadable(const verification *v, int error, lw_error *err)
{
    char why[WHY_SIZE];
    if (error == ENOMEM)
        return lw_error_nomem(err);
    return lw_error_set(err, LW_ERR_IO, "cannot read %s: %s", v->path,
                        strerror_r(error, why, sizeof(why)));
}

lw_status lw_lmdb_verify(const char *path, uint64_t txn_id, lw_lmdb_findings *findings,
                         lw_error *err)
{
    verification v = { .path = path, .findings = findings };
    *findings = (lw_lmdb_findings){ .on_damage = findings->on_damage, .arg = findings->arg };
    lw_lmdb_file_state state = lw_lmdb_file_open(&v.file, path);
    lw_status st = LW_OK;
    switch (state) {
    case LW_LMDB_WHOLE: st = verify_open_file(&v, txn_id, err); break;
    case LW_LMDB_HALF:
        report_page(&v, v.file.metas[0].is_valid ? 1 : 0, "meta page: it is damaged");
        break;
    case LW_LMDB_EMPTY: report_page(&v, 0, "the file is empty"); break;
    case LW_LMDB_CUT: report_page(&v, 0, "the file is truncated"); break;
    case LW_LMDB_FOREIGN:
        report_page(&v, 0, "it is not an LMDB file, or it was written on another architecture");
        break;
    case LW_LMDB_ABSENT: v.file.pages.error = ENOENT; break;
    case LW_LMDB_UNREAD: v.file.pages.error = errno; break;
    }
    if (v.file.pages.error != 0) /* what was found then is not damage */
        st = unreadable(&v, v.file.pages.error, err);
    if (st == LW_OK && findings->damages > 0)
        st = damaged(&v, v.first, err);
    lw_lmdb_file_close(&v.file);
    return st;
}
