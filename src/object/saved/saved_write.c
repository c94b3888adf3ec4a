/* SPDX-License-Identifier: Apache-2.0 */
/* saved_write.c -- writes objects as they are in memory.
 *
 * What was written is found by its address: packers, types, origins, and the objects that others
 * may be packed with, each with its number.  They live as long as the writer, because the objects
 * do. */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "object/compact/compact_internal.h"
#include "object/saved/saved.h"
#include "object/saved/saved_format.h"

enum {
    KNOWN_MAX = 1 << 28,
};

/* Something that was written. */
typedef struct known {
    const void *address;
    uint32_t number;
    bool is_hidden;
} known;

struct lw_saved_writer {
    lw_map known;
    uint32_t packers, types, origins, bases; /* how many were written */
};

static uint64_t address_hash(const void *key, lw_hash_seed seed)
{
    return lw_hash_bytes(seed, key, sizeof(const void *));
}

static bool has_address(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return memcmp(&((const known *)entry)->address, key, sizeof(const void *)) == 0;
}

lw_status lw_saved_writer_new(lw_saved_writer **out)
{
    static const lw_map_type by_address = { address_hash, has_address, 0 };
    lw_saved_writer *writer = lw_alloc_zero(1, sizeof(*writer));
    if (!writer)
        return LW_ERR_NOMEM;
    writer->types = 1; /* JSON */
    lw_map_init(&writer->known, &by_address, lw_hash_seed_random(), KNOWN_MAX);
    *out = writer;
    return LW_OK;
}

void lw_saved_writer_free(lw_saved_writer *writer)
{
    if (!writer)
        return;
    lw_map_cursor at = lw_map_begin(&writer->known);
    for (known *entry; (entry = lw_map_next(&writer->known, &at));)
        lw_free(entry);
    lw_map_done(&writer->known);
    lw_free(writer);
}

static known *find(const lw_saved_writer *writer, const void *address)
{
    return lw_map_get(&writer->known, &address);
}

static lw_status remember(lw_saved_writer *writer, const void *address, uint32_t number,
                          bool is_hidden)
{
    void *present = NULL;
    known *entry = lw_alloc(sizeof(*entry));
    if (!entry)
        return LW_ERR_NOMEM;
    *entry = (known){ address, number, is_hidden };
    lw_status st = lw_map_add(&writer->known, &address, entry, &present);
    if (st < 0)
        lw_free(entry);
    return st;
}

static void put_words(lw_buf *out, const uint32_t *words, size_t count)
{
    char bytes[SAVED_WORDS * SAVED_WORD];
    for (size_t i = 0; i < count; i++)
        saved_set(bytes + i * SAVED_WORD, words[i]);
    lw_buf_append(out, bytes, count * SAVED_WORD);
}

static void put_head(lw_buf *out, saved_tag tag, size_t len)
{
    const uint32_t words[] = { tag, (uint32_t)len };
    put_words(out, words, 2);
}

/* What an object is unpacked with. */

/* LW_ERR_UNSUPPORTED: there are too many. */
static lw_status put_packer(lw_saved_writer *writer, lw_compact *packer, uint32_t *number,
                            lw_buf *out)
{
    const known *entry = find(writer, packer);
    if (entry) {
        *number = entry->number;
        return LW_OK;
    }
    if (writer->packers == LW_SAVED_PACKERS_MAX)
        return LW_ERR_UNSUPPORTED;
    uint32_t len = atomic_load_explicit(&packer->dictionary_len, memory_order_acquire);
    put_head(out, SAVED_DICTIONARY, len);
    lw_buf_append(out, packer->dictionary.bytes, len);
    *number = writer->packers++;
    return remember(writer, packer, *number, false);
}

static lw_status put_type(lw_saved_writer *writer, const lw_object *obj, const void *type,
                          uint32_t *number, lw_buf *out)
{
    const known *entry = type ? find(writer, type) : NULL;
    *number = entry ? entry->number : 0;
    if (!type || entry)
        return LW_OK;
    lw_str version = lw_object__field(obj, LW_OBJECT_API_VERSION);
    lw_str kind = lw_object__field(obj, LW_OBJECT_KIND);
    const uint32_t words[] = { (uint32_t)version.len };
    put_head(out, SAVED_TYPE, SAVED_WORD + version.len + kind.len);
    put_words(out, words, 1);
    lw_buf_append_str(out, version);
    lw_buf_append_str(out, kind);
    *number = writer->types++;
    return remember(writer, type, *number, false);
}

static lw_status put_base(lw_saved_writer *writer, const lw_object *obj, saved_tag tag,
                          lw_buf *out);

static lw_status put_origin(lw_saved_writer *writer, const lw_object *obj, uint32_t *number,
                            lw_buf *out)
{
    const lw_compact_origin *origin = (const lw_compact_origin *)(const void *)obj->origin;
    const lw_object *sibling = origin->base.sibling;
    const known *entry = find(writer, origin);
    uint32_t words[SAVED_ORIGIN_WORDS] = { 0 };
    if (entry) {
        *number = entry->number;
        return LW_OK;
    }
    lw_status st = put_packer(writer, origin->compact, &words[0], out);
    if (st == LW_OK && sibling && !find(writer, sibling))
        st = put_base(writer, sibling, SAVED_HIDDEN, out);
    if (st == LW_OK)
        st = put_type(writer, obj, origin->base.message_type, &words[2], out);
    if (st < 0)
        return st;
    words[1] = sibling ? find(writer, sibling)->number + 1 : 0;
    put_head(out, SAVED_ORIGIN, sizeof(words));
    put_words(out, words, SAVED_ORIGIN_WORDS);
    *number = writer->origins++;
    return remember(writer, origin, *number, false);
}

/* Objects. */

/* Returns where the texts of |obj| end, with its own labels. */
static uint32_t texts_end(const lw_object *obj)
{
    uint32_t end = obj->text_at[LW_OBJECT_FIELD_COUNT];
    for (uint32_t i = 0; i < obj->label_count; i++) {
        uint32_t label_end = obj->labels[i].value_at + obj->labels[i].value_len + 1;
        end = label_end > end ? label_end : end;
    }
    return end;
}

static uint32_t flags_of(const lw_object *obj)
{
    return obj->splice | (obj->is_stale ? SAVED_IS_STALE : 0U) |
           (obj->is_message ? SAVED_IS_MESSAGE : 0U) | (obj->is_packed ? SAVED_IS_PACKED : 0U) |
           (obj->shares_labels ? SAVED_SHARES_LABELS : 0U) | (obj->is_typed ? SAVED_IS_TYPED : 0U);
}

static void get_marks(const lw_object *obj, uint32_t marks[SAVED_MARKS])
{
    lw_compact_marks packed = { 0 };
    if (lw_compact__has_marks(obj)) {
        memcpy(&packed, (const char *)obj + lw_compact__labels_end(obj), sizeof(packed));
        marks[0] = packed.metadata_at;
        marks[1] = packed.spec_at;
        marks[2] = packed.splice_at;
        marks[3] = packed.splice_cut;
    } else if (!obj->is_message) {
        marks[0] = obj->metadata_at;
        marks[1] = obj->spec_at;
        marks[2] = obj->splice_at;
        marks[3] = obj->splice_cut;
    }
}

static void put_labels(const lw_object *obj, lw_buf *out)
{
    uint32_t texts = obj->text_at[0];
    for (uint32_t i = 0; i < obj->label_count; i++) {
        const lw_object_label_entry *label = &obj->labels[i];
        const uint32_t words[SAVED_LABEL_WORDS] = { label->key_at - texts, label->value_at - texts,
                                                    label->value_len };
        put_words(out, words, SAVED_LABEL_WORDS);
    }
}

/* Appends the record of |obj|. */
static void put_record(const lw_object *obj, saved_tag tag, uint32_t from, lw_buf *out)
{
    uint32_t words[SAVED_WORDS] = { 0 }, texts = obj->text_at[0];
    words[SAVED_FLAGS] = flags_of(obj);
    words[SAVED_FROM] = from;
    words[SAVED_LABELS] = obj->label_count;
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++)
        words[SAVED_TEXT_END + i] = obj->text_at[i + 1] - texts;
    words[SAVED_TEXT_LEN] = texts_end(obj) - texts;
    words[SAVED_BODY_LEN] = obj->json_len;
    words[SAVED_OPEN_LEN] = (uint32_t)lw_object__body_len(obj);
    words[SAVED_REVISION] = (uint32_t)obj->revision;
    words[SAVED_REVISION_HIGH] = (uint32_t)(obj->revision >> 32);
    get_marks(obj, &words[SAVED_MARK]);
    size_t labels = (size_t)obj->label_count * SAVED_LABEL_WORDS * SAVED_WORD;
    put_head(out, tag, sizeof(words) + labels + words[SAVED_TEXT_LEN] + obj->json_len);
    put_words(out, words, SAVED_WORDS);
    put_labels(obj, out);
    lw_buf_append(out, (const char *)obj + texts, words[SAVED_TEXT_LEN]);
    lw_buf_append(out, (const char *)obj + obj->json_at, obj->json_len);
}

static lw_status put_base(lw_saved_writer *writer, const lw_object *obj, saved_tag tag, lw_buf *out)
{
    uint32_t origin = 0;
    lw_status st = put_origin(writer, obj, &origin, out);
    if (st < 0)
        return st;
    put_record(obj, tag, origin, out);
    return remember(writer, obj, writer->bases++, tag == SAVED_HIDDEN);
}

static lw_status put_packed(lw_saved_writer *writer, const lw_object *obj, lw_buf *out)
{
    uint32_t origin = 0;
    known *entry = obj->origin->sibling ? NULL : find(writer, obj);
    if (entry && entry->is_hidden) {
        put_head(out, SAVED_SHOWN, SAVED_WORD);
        put_words(out, &entry->number, 1);
        entry->is_hidden = false;
        return LW_OK;
    }
    if (!obj->origin->sibling)
        return put_base(writer, obj, SAVED_BASE, out);
    lw_status st = put_origin(writer, obj, &origin, out);
    if (st == LW_OK)
        put_record(obj, SAVED_OBJECT, origin, out);
    return st;
}

/* Writes |obj|, which a packer too many has packed, as JSON. */
static lw_status put_unpacked(const lw_object *obj, lw_buf *out)
{
    static const lw_read_options everything = { .keeps_managed_fields = true };
    lw_buf json;
    lw_object *opened = NULL;
    lw_buf_init(&json, LW_MESSAGE_MAX);
    lw_status st = lw_object__append_json(obj, &json);
    if (st == LW_OK)
        st = lw_object_from_json_with(&opened, json.data, json.len, &everything, NULL);
    if (st == LW_OK)
        put_record(opened, SAVED_OBJECT, 0, out);
    lw_object_unref(opened);
    lw_buf_done(&json);
    return st;
}

lw_status lw_saved_writer_note(uint32_t note, lw_buf *out)
{
    put_head(out, SAVED_NOTE, SAVED_WORD);
    put_words(out, &note, 1);
    return out->st;
}

lw_status lw_saved_writer_put(lw_saved_writer *writer, const lw_object *obj, lw_buf *out)
{
    uint32_t type = 0;
    lw_status st;
    if (obj->is_packed) {
        st = put_packed(writer, obj, out);
        if (st == LW_ERR_UNSUPPORTED)
            st = put_unpacked(obj, out);
    } else {
        st = put_type(writer, obj, obj->is_message ? obj->message_type : NULL, &type, out);
        if (st == LW_OK)
            put_record(obj, SAVED_OBJECT, type, out);
    }
    return st < 0 ? st : out->st;
}
