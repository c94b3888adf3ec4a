/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_store.c -- what the store reads back: records, backups, lines of an export.  Nothing that
 * was changed is taken for whole. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/offline/store_line.h"
#include "store/lmdb/backup.h"

typedef struct input {
    const char *bytes;
    size_t len, at;
} input;

static ssize_t read_input(void *arg, void *out, size_t len)
{
    input *in = arg;
    size_t part = in->len - in->at < len ? in->len - in->at : len;
    if (part > 0)
        memcpy(out, in->bytes + in->at, part);
    in->at += part;
    return (ssize_t)part;
}

static lw_status take_record(uint64_t revision, const lw_lmdb_record *record, void *arg,
                             lw_error *err)
{
    (void)arg;
    (void)err;
    if (revision == 0 || record->key.len == 0 || record->key.len > LW_STORE_KEY_MAX)
        abort();
    return LW_OK;
}

static void read_backup(lw_str bytes)
{
    input in = { bytes.ptr, bytes.len, 0 };
    const lw_lmdb_backup_source source = { read_input, &in };
    const lw_lmdb_reader reader = { .on_record = take_record };
    lw_lmdb_backup_facts facts;
    lw_status st = lw_lmdb_backup_read(&source, &reader, &facts, NULL);
    if (st == LW_OK && (facts.bytes != bytes.len || facts.marks.compacted > facts.marks.current))
        abort();
}

/* A record that is accepted is written back as the same bytes. */
static void read_record(lw_str bytes)
{
    lw_lmdb_record record;
    if (!lw_lmdb_record_decode(&record, 7, LW_LMDB_FORMAT, bytes)) {
        (void)lw_lmdb_record_decode(&record, 7, LW_LMDB_FORMAT_OLD, bytes);
        return;
    }
    unsigned char *back = malloc(bytes.len);
    if (!back || lw_lmdb_record_size(&record) != bytes.len)
        abort();
    lw_lmdb_record_encode(&record, 7, back);
    if (memcmp(back, bytes.ptr, bytes.len) != 0)
        abort();
    free(back);
}

static void read_line(lw_str line)
{
    lw_buf key, value;
    lw_buf_init(&key, LW_STORE_KEY_MAX);
    lw_buf_init(&value, 1 << 20);
    lw_status st = lw_store_line_parse(line, &key, &value, NULL);
    if (st == LW_OK && (key.len == 0 || key.data[0] != '/' || value.len == 0))
        abort();
    lw_buf_done(&key);
    lw_buf_done(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str bytes = lw_str_make((const char *)data, size);
    read_backup(bytes);
    read_record(bytes);
    read_line(bytes);
    return 0;
}
