/* SPDX-License-Identifier: Apache-2.0 */
/* format.c -- encodes and decodes the data in the file. */
#include "store/lmdb/format.h"

#include <assert.h>

enum {
    FLAG_DELETE = 1,

    AT_FLAGS = 0, /* followed by one byte that is 0 */
    AT_KEY_LEN = 2,
    AT_CREATE = 4,
    AT_PREVIOUS = 12,
    AT_WEIGHT = 20,
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

void lw_lmdb_record_encode(const lw_lmdb_record *record, unsigned char *out)
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
}

bool lw_lmdb_record_decode(lw_lmdb_record *record, lw_str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    if (bytes.len < LW_LMDB_HEAD_SIZE || in[AT_FLAGS] > FLAG_DELETE || in[AT_FLAGS + 1] != 0)
        return false;
    size_t key_len = (size_t)lw_lmdb_get_number(in + AT_KEY_LEN, 2);
    if (key_len == 0 || key_len > LW_STORE_KEY_MAX || key_len > bytes.len - LW_LMDB_HEAD_SIZE)
        return false;
    record->is_delete = in[AT_FLAGS] == FLAG_DELETE;
    record->create_revision = lw_lmdb_get_number(in + AT_CREATE, 8);
    record->previous = lw_lmdb_get_number(in + AT_PREVIOUS, 8);
    record->weight = lw_lmdb_get_number(in + AT_WEIGHT, 8);
    record->key = lw_str_make(bytes.ptr + LW_LMDB_HEAD_SIZE, key_len);
    record->value = lw_str_make(bytes.ptr + LW_LMDB_HEAD_SIZE + key_len,
                                bytes.len - LW_LMDB_HEAD_SIZE - key_len);
    return true;
}

void lw_lmdb_entry_encode(const lw_lmdb_entry *entry, unsigned char *out)
{
    lw_lmdb_put_number(out, entry->revision, 8);
    lw_lmdb_put_number(out + 8, entry->create_revision, 8);
    lw_lmdb_put_number(out + 16, entry->bytes, 4);
}

bool lw_lmdb_entry_decode(lw_lmdb_entry *entry, lw_str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    if (bytes.len != LW_LMDB_ENTRY_SIZE)
        return false;
    entry->revision = lw_lmdb_get_number(in, 8);
    entry->create_revision = lw_lmdb_get_number(in + 8, 8);
    entry->bytes = (uint32_t)lw_lmdb_get_number(in + 16, 4);
    return entry->revision > 0 && entry->create_revision <= entry->revision;
}

void lw_lmdb_state_encode(const lw_store_marks *marks, unsigned char *out)
{
    lw_lmdb_put_number(out, marks->current, 8);
    lw_lmdb_put_number(out + 8, marks->compacted, 8);
    lw_lmdb_put_number(out + 16, marks->swept, 8);
    lw_lmdb_put_number(out + 24, marks->weight, 8);
    lw_lmdb_put_number(out + 32, marks->compacted_weight, 8);
}

bool lw_lmdb_state_decode(lw_store_marks *marks, lw_str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    if (bytes.len != LW_LMDB_STATE_SIZE)
        return false;
    marks->current = lw_lmdb_get_number(in, 8);
    marks->compacted = lw_lmdb_get_number(in + 8, 8);
    marks->swept = lw_lmdb_get_number(in + 16, 8);
    marks->weight = lw_lmdb_get_number(in + 24, 8);
    marks->compacted_weight = lw_lmdb_get_number(in + 32, 8);
    return marks->swept <= marks->compacted && marks->compacted <= marks->current &&
           marks->compacted_weight <= marks->weight;
}
