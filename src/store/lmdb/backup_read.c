/* SPDX-License-Identifier: Apache-2.0 */
/* backup_read.c -- reads a backup and checks all of it. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/str.h"
#include "store/lmdb/backup.h"

enum {
    WHY_SIZE = 128,
};

typedef struct parsing {
    const lw_lmdb_backup_source *source;
    const lw_lmdb_reader *reader;
    lw_lmdb_backup_facts facts;
    uint32_t crc; /* of everything so far */
    uint64_t last;
    lw_buf record;
} parsing;

static lw_status damaged(const parsing *p, const char *what, lw_error *err)
{
    return lw_error_set_at(err, LW_ERR_INVALID, p->facts.bytes,
                           "the backup is damaged or incomplete (byte %llu: %s)",
                           (unsigned long long)p->facts.bytes, what);
}

static lw_status take(parsing *p, void *out, size_t len, lw_error *err)
{
    ssize_t got = p->source->read(p->source->arg, out, len);
    if (got < 0) {
        char why[WHY_SIZE];
        return lw_error_set(err, LW_ERR_IO, "cannot read the backup: %s",
                            strerror_r(errno, why, sizeof(why)));
    }
    if ((size_t)got < len)
        return damaged(p, "it ends too early", err);
    p->facts.bytes += len;
    p->crc = lw_crc32c(p->crc, out, len);
    return LW_OK;
}

static lw_status take_number(parsing *p, size_t size, uint64_t *number, lw_error *err)
{
    unsigned char bytes[8];
    lw_status st = take(p, bytes, size, err);
    if (st == LW_OK)
        *number = lw_lmdb_get_number(bytes, size);
    return st;
}

static lw_status take_head(parsing *p, lw_error *err)
{
    unsigned char bytes[LW_BACKUP_HEAD_SIZE];
    lw_lmdb_state state;
    ssize_t got = p->source->read(p->source->arg, bytes, sizeof(bytes));
    if (got < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot read the backup: %s", strerror(errno));
    if (got < LW_BACKUP_MAGIC_SIZE || memcmp(bytes, LW_BACKUP_MAGIC, LW_BACKUP_MAGIC_SIZE) != 0)
        return lw_error_set(err, LW_ERR_INVALID, "the file is not a backup of a store");
    if (got < LW_BACKUP_HEAD_SIZE)
        return damaged(p, "it ends too early", err);
    uint64_t version = lw_lmdb_get_number(bytes + LW_BACKUP_MAGIC_SIZE, 4);
    if (version != LW_LMDB_BACKUP_VERSION)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the backup has version %llu, but this program supports only %d",
                            (unsigned long long)version, LW_LMDB_BACKUP_VERSION);
    if (!lw_lmdb_state_decode(&state, LW_LMDB_FORMAT,
                              lw_str_make((const char *)bytes + LW_BACKUP_MAGIC_SIZE + 4,
                                          LW_LMDB_STATE_SIZE)))
        return damaged(p, "the checksum of its head is wrong", err);
    p->crc = lw_crc32c(0, bytes, sizeof(bytes));
    p->facts.bytes = sizeof(bytes);
    p->facts.marks = state.marks;
    p->last = 0;
    return p->reader->on_state ? p->reader->on_state(&state, LW_LMDB_FORMAT, p->reader->arg, err)
                               : LW_OK;
}

/* True if |revision| may follow the last one: after the swept revision there are no gaps. */
static bool may_follow(const parsing *p, uint64_t revision)
{
    const lw_store_marks *marks = &p->facts.marks;
    if (revision <= p->last || revision > marks->current)
        return false;
    uint64_t before = p->last > marks->swept ? p->last : marks->swept;
    return revision <= marks->swept || revision == before + 1;
}

static lw_status take_record(parsing *p, size_t size, lw_error *err)
{
    uint64_t revision = 0;
    lw_lmdb_record record;
    if (size < LW_LMDB_HEAD_SIZE || size > LW_LMDB_RECORD_MAX)
        return damaged(p, "the size of a record is impossible", err);
    lw_status st = take_number(p, 8, &revision, err);
    if (st < 0)
        return st;
    lw_buf_reset(&p->record);
    if (lw_buf_reserve(&p->record, size) < 0)
        return lw_error_nomem(err);
    st = take(p, p->record.data, size, err);
    if (st < 0)
        return st;
    if (!lw_lmdb_record_decode(&record, revision, LW_LMDB_FORMAT,
                               lw_str_make(p->record.data, size)))
        return damaged(p, "the checksum of a record is wrong", err);
    if (!may_follow(p, revision))
        return damaged(p, "a record is missing or not in order", err);
    p->last = revision;
    p->facts.records++;
    return p->reader->on_record(revision, &record, p->reader->arg, err);
}

static lw_status take_end(parsing *p, lw_error *err)
{
    uint64_t count = 0, crc = 0;
    lw_status st = take_number(p, 8, &count, err);
    uint32_t expected = p->crc;
    if (st == LW_OK)
        st = take_number(p, 4, &crc, err);
    if (st < 0)
        return st;
    const lw_store_marks *marks = &p->facts.marks;
    if (crc != expected || count != p->facts.records ||
        (marks->current > marks->swept && p->last != marks->current))
        return damaged(p, "records are missing or the checksum is wrong", err);
    char extra;
    if (p->source->read(p->source->arg, &extra, 1) != 0)
        return damaged(p, "something follows its end", err);
    return LW_OK;
}

lw_status lw_lmdb_backup_read(const lw_lmdb_backup_source *source, const lw_lmdb_reader *reader,
                              lw_lmdb_backup_facts *facts, lw_error *err)
{
    parsing p = { .source = source, .reader = reader };
    uint64_t size = 1;
    lw_buf_init(&p.record, LW_LMDB_RECORD_MAX);
    lw_status st = take_head(&p, err);
    while (st == LW_OK && size > 0) {
        st = take_number(&p, 4, &size, err);
        if (st == LW_OK && size > 0)
            st = take_record(&p, (size_t)size, err);
    }
    if (st == LW_OK)
        st = take_end(&p, err);
    lw_buf_done(&p.record);
    if (st == LW_OK)
        *facts = p.facts;
    return st;
}
