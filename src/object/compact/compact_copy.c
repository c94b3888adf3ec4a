/* SPDX-License-Identifier: Apache-2.0 */
/* compact_copy.c -- restores the object that was packed. */
#include <string.h>

#include "base/alloc.h"
#include "object/compact/compact_internal.h"
#include "object/object_kept.h"

bool lw_compact_is_packed(const lw_object *obj)
{
    return obj->is_packed;
}

bool lw_compact__has_marks(const lw_object *obj)
{
    return obj->is_packed && obj->origin->message_ops == &lw_compact__json_ops;
}

uint32_t lw_compact__labels_end(const lw_object *obj)
{
    return obj->json_at - (lw_compact__has_marks(obj) ? (uint32_t)sizeof(lw_compact_marks) : 0);
}

/* Copies the labels of |obj|, whose texts begin at |at| in |copy|.  Returns the end. */
static uint32_t copy_labels(lw_object *copy, const lw_object *obj, uint32_t at)
{
    const lw_object *from = lw_object__labels_of(obj);
    uint32_t texts = from->text_at[LW_OBJECT_FIELD_COUNT];
    uint32_t len = lw_compact__labels_end(from) - texts;
    memcpy((char *)copy + at, (const char *)from + texts, len);
    for (uint32_t i = 0; i < copy->label_count; i++) {
        copy->labels[i] = from->labels[i];
        copy->labels[i].key_at += at - texts; /* modulo 2^32 */
        copy->labels[i].value_at += at - texts;
    }
    return at + len;
}

/* Copies the texts and labels.  Returns the end. */
static uint32_t copy_head(lw_object *copy, const lw_object *obj)
{
    uint32_t at = (uint32_t)(LW_OBJECT_HEAD + copy->label_count * sizeof(lw_object_label_entry));
    uint32_t from = obj->text_at[0], len = obj->text_at[LW_OBJECT_FIELD_COUNT] - from;
    memcpy((char *)copy + at, (const char *)obj + from, len);
    for (size_t i = 0; i <= LW_OBJECT_FIELD_COUNT; i++)
        copy->text_at[i] = obj->text_at[i] + (at - from);
    return copy_labels(copy, obj, at + len);
}

static void copy_members(lw_object *copy, const lw_object *obj)
{
    lw_compact_marks marks;
    memcpy(&marks, (const char *)obj + lw_compact__labels_end(obj), sizeof(marks));
    lw_ref_init(&copy->refs);
    atomic_init(&copy->strings, NULL);
    copy->revision = obj->revision;
    copy->metadata_at = marks.metadata_at;
    copy->spec_at = marks.spec_at;
    copy->splice_at = marks.splice_at;
    copy->splice_cut = marks.splice_cut;
    copy->splice = obj->splice;
    copy->is_stale = obj->is_stale;
    copy->is_message = false;
    copy->is_packed = false;
    copy->shares_labels = false;
    copy->is_typed = obj->is_typed;
    copy->checked = obj->checked;
    copy->label_count = lw_object__labels_of(obj)->label_count;
}

static size_t open_size(const lw_object *obj)
{
    const lw_object *labelled = lw_object__labels_of(obj);
    return LW_OBJECT_HEAD + labelled->label_count * sizeof(lw_object_label_entry) +
           (obj->text_at[LW_OBJECT_FIELD_COUNT] - obj->text_at[0]) +
           (lw_compact__labels_end(labelled) - labelled->text_at[LW_OBJECT_FIELD_COUNT]) +
           obj->open_len + 1;
}

lw_object *lw_compact_open_ref(const lw_object *obj)
{
    lw_body body;
    if (!lw_compact__has_marks(obj))
        return lw_object_ref(obj);
    lw_object *copy = lw_alloc(open_size(obj));
    if (!copy)
        return NULL;
    copy_members(copy, obj);
    copy->json_at = copy_head(copy, obj);
    copy->json_len = obj->open_len;
    if (lw_body_open(obj, &body) < 0) {
        lw_free(copy);
        return NULL;
    }
    memcpy((char *)copy + copy->json_at, body.message.ptr, body.message.len);
    ((char *)copy)[copy->json_at + copy->json_len] = '\0';
    lw_body_close(obj, &body);
    lw_object__keep_packed(copy, obj);
    return copy;
}

lw_status lw_compact_open(lw_object **slot)
{
    if (!(*slot)->is_packed)
        return LW_OK;
    lw_object *opened = lw_compact_open_ref(*slot);
    if (!opened)
        return LW_ERR_NOMEM;
    lw_object_unref(*slot);
    *slot = opened;
    return LW_OK;
}
