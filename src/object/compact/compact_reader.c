/* SPDX-License-Identifier: Apache-2.0 */
/* compact_reader.c -- a slot of one thread.  It has a reference to the origin whose sibling is in
 * it, so that no other origin gets the same address meanwhile. */
#include "object/compact/compact_reader.h"

#include "base/alloc.h"
#include "object/compact/compact_internal.h"

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

lw_status lw_compact_read(lw_compact_reader *reader, const lw_object *obj, lw_str *json)
{
    if (!lw_compact__has_marks(obj)) {
        *json = lw_object_json(obj);
        return LW_OK;
    }
    lw_compact_origin *origin = lw_compact__origin_of(obj);
    if (reader->origin != origin) {
        lw_compact__origin_unref(reader->origin);
        reader->origin = lw_compact__origin_ref(origin);
    }
    return lw_compact__fill(&reader->slot, obj, json);
}
