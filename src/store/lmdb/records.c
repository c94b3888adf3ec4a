/* SPDX-License-Identifier: Apache-2.0 */
/* records.c -- reads all records of a file in the order of their revisions. */
#include "store/lmdb/records.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/check.h"

enum {
    WHY_SIZE = 128,
};

typedef struct reading {
    const char *path;
    const lw_lmdb_reader *reader;
    unsigned format;
    lw_status st; /* the first failure; nothing more is reported after it */
    lw_error err;
} reading;

static void fail_page(uint64_t page, const char *what, void *arg)
{
    reading *r = arg;
    if (r->reader->skips_damage || r->st < 0)
        return;
    r->st = lw_error_set(&r->err, LW_ERR_INVALID, "%s is damaged (page %llu: %s)", r->path,
                         (unsigned long long)page, what);
}

static void take_record(const lw_lmdb_node *node, void *arg)
{
    reading *r = arg;
    lw_lmdb_record record;
    if (r->st < 0)
        return;
    uint64_t revision = 0;
    if (node->key.len == LW_LMDB_REVISION_SIZE && !node->is_tree)
        revision = lw_lmdb_get_number((const unsigned char *)node->key.ptr, LW_LMDB_REVISION_SIZE);
    if (revision == 0 || !lw_lmdb_record_decode(&record, revision, r->format, node->value))
        fail_page(node->page, "the checksum or the head of a record is wrong", r);
    else
        r->st = r->reader->on_record(revision, &record, r->reader->arg, &r->err);
}

static void read_trees(reading *r, lw_lmdb_file *file, uint64_t txn_id)
{
    lw_lmdb_trees trees;
    const lw_lmdb_meta *meta = txn_id > 0 ? &file->metas[txn_id % 2] : lw_lmdb_file_newest(file);
    if (txn_id > 0 && meta->txn_id != txn_id) {
        r->st = lw_error_set(&r->err, LW_ERR_UNAVAILABLE,
                             "%s: the commit to read was overwritten; try again", r->path);
        return;
    }
    if (r->reader->skips_damage)
        lw_lmdb_file_find_trees(file, &trees);
    else
        lw_lmdb_trees_find(&trees, &file->pages, meta);
    if (txn_id > 0 && trees.format == LW_LMDB_FORMAT && trees.state.txn_id != txn_id) {
        r->st = lw_error_set(&r->err, LW_ERR_UNAVAILABLE,
                             "%s: the commit to read was overwritten; try again", r->path);
        return;
    }
    if (trees.damage && (!r->reader->skips_damage || !trees.has_state)) {
        r->st = lw_error_set(&r->err, LW_ERR_INVALID, "%s is damaged (page %llu: %s)", r->path,
                             (unsigned long long)trees.damage_page, trees.damage);
        return;
    }
    r->format = trees.format;
    if (r->reader->on_state)
        r->st = r->reader->on_state(&trees.state, trees.format, r->reader->arg, &r->err);
    const lw_lmdb_visitor visitor = {
        .value_max = LW_LMDB_RECORD_MAX, .on_node = take_record, .on_damage = fail_page, .arg = r
    };
    if (r->st == LW_OK)
        lw_lmdb_pages_walk(&file->pages, &trees.log, &visitor);
}

lw_status lw_lmdb_records_read(const char *path, uint64_t txn_id, const lw_lmdb_reader *reader,
                               lw_error *err)
{
    reading r = { .path = path, .reader = reader, .err = LW_ERROR_INIT };
    lw_lmdb_file file;
    lw_lmdb_file_state state = lw_lmdb_file_open(&file, path);
    if (state == LW_LMDB_UNREAD || state == LW_LMDB_ABSENT)
        file.pages.error = errno;
    else if (state == LW_LMDB_WHOLE || (state == LW_LMDB_HALF && reader->skips_damage))
        read_trees(&r, &file, txn_id);
    else
        r.st = lw_error_set(&r.err, LW_ERR_INVALID, "%s is damaged or not a store", path);
    if (file.pages.error != 0) { /* what was found then is not damage */
        char why[WHY_SIZE];
        r.st = file.pages.error == ENOMEM
                   ? lw_error_nomem(&r.err)
                   : lw_error_set(&r.err, LW_ERR_IO, "cannot read %s: %s", path,
                                  strerror_r(file.pages.error, why, sizeof(why)));
    }
    lw_lmdb_file_close(&file);
    if (r.st < 0 && err)
        *err = r.err;
    return r.st;
}
