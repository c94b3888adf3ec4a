/* SPDX-License-Identifier: Apache-2.0 */
/* compact_reader.c -- a slot of one thread.  It has a reference to the origin whose sibling is in
 * it, so that no other origin gets the same address meanwhile. */
#include "object/compact/compact_reader.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/compact/compact_internal.h"

enum {
    SKIPPED_MAX = 256, /* more bytes are not skipped in place */
};

struct lw_compact_reader {
    lw_compact_slot slot; /* nobody else sees it: its mutex is not used */
    lw_compact_origin *origin;
};

lw_compact_reader *lw_compact_reader_new(void)
{
    return lw_alloc_zero(1, sizeof(lw_compact_reader));
}

void lw_compact_reader_free(lw_compact_reader *reader)
{
    if (!reader)
        return;
    lw_compact__origin_unref(reader->origin);
    lw_free(reader->slot.bytes);
    lw_free(reader);
}

static void hold_origin(lw_compact_reader *reader, lw_compact_origin *origin)
{
    if (reader->origin == origin)
        return;
    lw_compact__origin_unref(reader->origin);
    reader->origin = lw_compact__origin_ref(origin);
}

lw_status lw_compact_read(lw_compact_reader *reader, const lw_object *obj, lw_str *json)
{
    if (!lw_compact__has_marks(obj)) {
        *json = lw_object_json(obj);
        return LW_OK;
    }
    hold_origin(reader, lw_compact__origin_of(obj));
    return lw_compact__fill(&reader->slot, obj, json);
}

static lw_status append_read(lw_compact_reader *reader, const lw_object *obj, lw_str begin,
                             size_t skipped, lw_buf *out, bool *is_appended)
{
    lw_str json;
    lw_status st = lw_compact_read(reader, obj, &json);
    if (st < 0)
        return st;
    *is_appended = lw_str_starts_with(json, begin);
    if (*is_appended)
        lw_buf_append_str(out, lw_str_skip(json, skipped));
    return out->st;
}

/* Unpacks the body to where the bytes that are skipped take the place of the last ones of |out|,
 * which are put back. */
static lw_status append_unpacked(lw_compact_reader *reader, const lw_object *obj, lw_str begin,
                                 size_t skipped, lw_buf *out, bool *is_appended)
{
    char last[SKIPPED_MAX];
    if (lw_buf_reserve(out, obj->open_len + LW_PACK_SLACK) < 0)
        return out->st;
    char *body = out->data + out->len - skipped;
    memcpy(last, body, skipped);
    lw_status st = lw_compact__fill_at(&reader->slot, obj, body);
    *is_appended = st == LW_OK && lw_str_starts_with(lw_str_make(body, obj->open_len), begin);
    memcpy(body, last, skipped);
    if (*is_appended)
        out->len += obj->open_len - skipped;
    return st;
}

lw_status lw_compact_append(lw_compact_reader *reader, const lw_object *obj, lw_str begin,
                            size_t skipped, lw_buf *out, bool *is_appended)
{
    assert(skipped <= begin.len);
    *is_appended = false;
    if (!lw_compact__has_marks(obj) || out->len < skipped || skipped > SKIPPED_MAX)
        return append_read(reader, obj, begin, skipped, out, is_appended);
    hold_origin(reader, lw_compact__origin_of(obj));
    return append_unpacked(reader, obj, begin, skipped, out, is_appended);
}
