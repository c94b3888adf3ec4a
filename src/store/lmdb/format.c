/* SPDX-License-Identifier: Apache-2.0 */
/* format.c -- encodes and decodes the data in the file. */
#include "store/lmdb/format.h"

#include <assert.h>

#include "base/crc32c.h"

enum {
    FLAG_DELETE = 1,

    AT_FLAGS = 0, /* followed by one byte that is 0 */
    AT_KEY_LEN = 2,
    AT_CREATE = 4,
    AT_PREVIOUS = 12,
    AT_WEIGHT = 20,
    AT_CHECKSUM = 28,

    OLD_HEAD_SIZE = AT_CHECKSUM,
    CHECKSUM_SIZE = 4,
    MARKS_SIZE = 40, /* the state in the old format */
};

void lw_lmdb_put_number(unsigned char *out, uint64_t number, size_t size)
{
    for (size_t i = size; i-- > 0; number >>= 8)
        out[i] = (unsigned char)(number & 0xff);
}

uint64_t lw_lmdb_get_number(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

size_t lw_lmdb_record_size(const lw_lmdb_record *record)
{
    return LW_LMDB_HEAD_SIZE + record->key.len + record->value.len;
}

/* The checksum of a record: of its revision, its head, its key and its value. */
static uint32_t record_checksum(const unsigned char *bytes, size_t len, uint64_t revision)
{
    unsigned char number[LW_LMDB_REVISION_SIZE];
    lw_lmdb_put_number(number, revision, sizeof(number));
    uint32_t crc = lw_crc32c(0, number, sizeof(number));
    crc = lw_crc32c(crc, bytes, AT_CHECKSUM);
    return lw_crc32c(crc, bytes + LW_LMDB_HEAD_SIZE, len - LW_LMDB_HEAD_SIZE);
}

void lw_lmdb_record_encode(const lw_lmdb_record *record, uint64_t revision, unsigned char *out)
{
    assert(record->key.len <= LW_STORE_KEY_MAX);
    out[AT_FLAGS] = record->is_delete ? FLAG_DELETE : 0;
    out[AT_FLAGS + 1] = 0;
    lw_lmdb_put_number(out + AT_KEY_LEN, record->key.len, 2);
    lw_lmdb_put_number(out + AT_CREATE, record->create_revision, 8);
    lw_lmdb_put_number(out + AT_PREVIOUS, record->previous, 8);
    lw_lmdb_put_number(out + AT_WEIGHT, record->weight, 8);
    memcpy(out + LW_LMDB_HEAD_SIZE, record->key.ptr, record->key.len);
    if (record->value.len > 0)
        memcpy(out + LW_LMDB_HEAD_SIZE + record->key.len, record->value.ptr, record->value.len);
    lw_lmdb_put_number(out + AT_CHECKSUM,
                       record_checksum(out, lw_lmdb_record_size(record), revision), CHECKSUM_SIZE);
}

bool lw_lmdb_record_decode(lw_lmdb_record *record, uint64_t revision, unsigned format, lw_str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    size_t head = format == LW_LMDB_FORMAT_OLD ? OLD_HEAD_SIZE : LW_LMDB_HEAD_SIZE;
    record->key = lw_str_make(NULL, 0);
    if (bytes.len < head)
        return false;
    size_t key_len = (size_t)lw_lmdb_get_number(in + AT_KEY_LEN, 2);
    if (key_len == 0 || key_len > LW_STORE_KEY_MAX || key_len > bytes.len - head)
        return false;
    record->is_delete = in[AT_FLAGS] == FLAG_DELETE;
    record->create_revision = lw_lmdb_get_number(in + AT_CREATE, 8);
    record->previous = lw_lmdb_get_number(in + AT_PREVIOUS, 8);
    record->weight = lw_lmdb_get_number(in + AT_WEIGHT, 8);
    record->key = lw_str_make(bytes.ptr + head, key_len);
    record->value = lw_str_make(bytes.ptr + head + key_len, bytes.len - head - key_len);
    if (in[AT_FLAGS] > FLAG_DELETE || in[AT_FLAGS + 1] != 0)
        return false;
    return format == LW_LMDB_FORMAT_OLD || lw_lmdb_get_number(in + AT_CHECKSUM, CHECKSUM_SIZE) ==
                                               record_checksum(in, bytes.len, revision);
}

bool lw_lmdb_record_head(lw_str bytes, lw_str *key, uint32_t *checksum)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    if (bytes.len < LW_LMDB_HEAD_SIZE)
        return false;
    size_t key_len = (size_t)lw_lmdb_get_number(in + AT_KEY_LEN, 2);
    if (key_len > bytes.len - LW_LMDB_HEAD_SIZE)
        return false;
    *key = lw_str_make(bytes.ptr + LW_LMDB_HEAD_SIZE, key_len);
    *checksum = (uint32_t)lw_lmdb_get_number(in + AT_CHECKSUM, CHECKSUM_SIZE);
    return true;
}

static uint32_t entry_checksum(const unsigned char *bytes, lw_str key)
{
    return lw_crc32c(lw_crc32c(0, key.ptr, key.len), bytes, LW_LMDB_ENTRY_SIZE - CHECKSUM_SIZE);
}

void lw_lmdb_entry_encode(const lw_lmdb_entry *entry, lw_str key, unsigned char *out)
{
    lw_lmdb_put_number(out, entry->revision, 8);
    lw_lmdb_put_number(out + 8, entry->create_revision, 8);
    lw_lmdb_put_number(out + 16, entry->bytes, 4);
    lw_lmdb_put_number(out + 20, entry_checksum(out, key), CHECKSUM_SIZE);
}

bool lw_lmdb_entry_decode(lw_lmdb_entry *entry, lw_str key, unsigned format, lw_str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    bool is_old = format == LW_LMDB_FORMAT_OLD;
    if (bytes.len != LW_LMDB_ENTRY_SIZE - (is_old ? CHECKSUM_SIZE : 0))
        return false;
    entry->revision = lw_lmdb_get_number(in, 8);
    entry->create_revision = lw_lmdb_get_number(in + 8, 8);
    entry->bytes = (uint32_t)lw_lmdb_get_number(in + 16, 4);
    if (!is_old && lw_lmdb_get_number(in + 20, CHECKSUM_SIZE) != entry_checksum(in, key))
        return false;
    return entry->revision > 0 && entry->create_revision <= entry->revision;
}

void lw_lmdb_state_encode(const lw_lmdb_state *state, unsigned char *out)
{
    const lw_store_marks *marks = &state->marks;
    lw_lmdb_put_number(out, marks->current, 8);
    lw_lmdb_put_number(out + 8, marks->compacted, 8);
    lw_lmdb_put_number(out + 16, marks->swept, 8);
    lw_lmdb_put_number(out + 24, marks->weight, 8);
    lw_lmdb_put_number(out + 32, marks->compacted_weight, 8);
    lw_lmdb_put_number(out + 40, marks->keys, 8);
    lw_lmdb_put_number(out + 48, state->txn_id, 8);
    lw_lmdb_put_number(out + 56, lw_crc32c(0, out, LW_LMDB_STATE_SIZE - CHECKSUM_SIZE),
                       CHECKSUM_SIZE);
}

bool lw_lmdb_state_decode(lw_lmdb_state *state, unsigned format, lw_str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    bool is_old = format == LW_LMDB_FORMAT_OLD;
    lw_store_marks *marks = &state->marks;
    if (bytes.len != (is_old ? MARKS_SIZE : LW_LMDB_STATE_SIZE))
        return false;
    if (!is_old && lw_lmdb_get_number(in + 56, CHECKSUM_SIZE) !=
                       lw_crc32c(0, in, LW_LMDB_STATE_SIZE - CHECKSUM_SIZE))
        return false;
    marks->current = lw_lmdb_get_number(in, 8);
    marks->compacted = lw_lmdb_get_number(in + 8, 8);
    marks->swept = lw_lmdb_get_number(in + 16, 8);
    marks->weight = lw_lmdb_get_number(in + 24, 8);
    marks->compacted_weight = lw_lmdb_get_number(in + 32, 8);
    marks->keys = is_old ? 0 : lw_lmdb_get_number(in + 40, 8);
    state->txn_id = is_old ? 0 : lw_lmdb_get_number(in + 48, 8);
    return marks->swept <= marks->compacted && marks->compacted <= marks->current &&
           marks->compacted_weight <= marks->weight;
}
