/* SPDX-License-Identifier: Apache-2.0 */
/* saved_read.c -- makes objects from their records: one allocation and two copies for each. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/compact/compact_internal.h"
#include "object/saved/saved.h"
#include "object/saved/saved_format.h"

enum {
    TYPES_MAX = 64,
    FIRST = 64, /* size of the first table */
};

/* How messages of a type are read. */
typedef struct message_type {
    const lw_message_ops *ops;
    const void *type;
} message_type;

typedef struct reader {
    const lw_saved_sink *sink;
    lw_compact *packers[LW_SAVED_PACKERS_MAX];
    size_t uses[LW_SAVED_PACKERS_MAX]; /* origins */
    message_type types[TYPES_MAX];
    lw_compact_origin **origins; /* references */
    lw_object **bases;           /* likewise */
    size_t packer_count, type_count, origin_count, base_count;
    size_t origin_room, base_room;
    lw_error *err;
} reader;

static lw_status malformed(const reader *r, const char *how)
{
    return lw_error_set(r->err, LW_ERR_INVALID, "it is malformed: %s", how);
}

/* Makes space for one more pointer in a table. */
static lw_status reserve(const reader *r, void **table, size_t count, size_t *room)
{
    if (count < *room)
        return LW_OK;
    size_t wanted = *room > 0 ? 2 * *room : FIRST;
    void *grown = lw_realloc_array(*table, wanted, sizeof(void *));
    if (!grown)
        return lw_error_nomem(r->err);
    *table = grown;
    *room = wanted;
    return LW_OK;
}

static uint32_t word(lw_str record, size_t index)
{
    return saved_get(record.ptr + index * SAVED_WORD);
}

/* What objects are unpacked with. */

static lw_status read_dictionary(reader *r, lw_str record)
{
    lw_compact *packer = NULL;
    if (r->packer_count == LW_SAVED_PACKERS_MAX || record.len > LW_PACK_DICTIONARY_MAX)
        return malformed(r, "a dictionary");
    if (lw_compact_new(&packer, &r->sink->compact) < 0)
        return lw_error_nomem(r->err);
    lw_compact__set_dictionary(packer, record);
    r->packers[r->packer_count++] = packer;
    return LW_OK;
}

static lw_status read_type(reader *r, lw_str record)
{
    message_type *type = &r->types[r->type_count];
    if (r->type_count == TYPES_MAX || record.len < SAVED_WORD ||
        word(record, 0) > record.len - SAVED_WORD)
        return malformed(r, "a type");
    lw_str names = lw_str_skip(record, SAVED_WORD);
    lw_str version = lw_str_make(names.ptr, word(record, 0));
    lw_str kind = lw_str_skip(names, version.len);
    if (!r->sink->find_message || !r->sink->find_message(version, kind, &type->ops, &type->type))
        return lw_error_set(r->err, LW_ERR_INVALID,
                            "it has protobuf of kind %.*s, which is not known",
                            (int)(kind.len < 128 ? kind.len : 128), kind.ptr);
    r->type_count++;
    return LW_OK;
}

/* Returns true if objects can be packed with |sibling| by the same packer. */
static bool is_base(const lw_object *sibling, const lw_compact *packer, const message_type *type)
{
    const lw_compact_origin *origin = (const lw_compact_origin *)(const void *)sibling->origin;
    return origin->compact == packer && !origin->base.sibling &&
           origin->base.message_ops == type->ops && origin->base.message_type == type->type;
}

static lw_status read_origin(reader *r, lw_str record)
{
    if (record.len != SAVED_ORIGIN_WORDS * SAVED_WORD || word(record, 0) >= r->packer_count ||
        word(record, 1) > r->base_count || word(record, 2) >= r->type_count)
        return malformed(r, "an origin");
    lw_compact *packer = r->packers[word(record, 0)];
    lw_object *sibling = word(record, 1) > 0 ? r->bases[word(record, 1) - 1] : NULL;
    const message_type *type = &r->types[word(record, 2)];
    if (sibling && !is_base(sibling, packer, type))
        return malformed(r, "the sibling of an origin");
    lw_status st = reserve(r, (void **)&r->origins, r->origin_count, &r->origin_room);
    if (st < 0)
        return st;
    lw_compact_origin *origin = lw_compact__origin_new(packer, type->ops, type->type, sibling);
    if (!origin)
        return lw_error_nomem(r->err);
    r->origins[r->origin_count++] = origin;
    r->uses[word(record, 0)]++;
    return LW_OK;
}

/* Objects. */

/* The parts of a record. */
typedef struct parts {
    uint32_t words[SAVED_WORDS];
    const char *labels; /* their words */
    lw_str texts, body;
    lw_compact_origin *origin; /* borrowed; NULL: it is not packed */
} parts;

static bool has_flag(const parts *p, saved_flag flag)
{
    return (p->words[SAVED_FLAGS] & flag) != 0;
}

static bool is_packed_json(const parts *p)
{
    return p->origin && p->origin->base.message_ops == &lw_compact__json_ops;
}

static bool has_marks(const parts *p)
{
    return !has_flag(p, SAVED_IS_MESSAGE) || is_packed_json(p);
}

static bool split(lw_str record, parts *p)
{
    if (record.len < sizeof(p->words))
        return false;
    for (size_t i = 0; i < SAVED_WORDS; i++)
        p->words[i] = word(record, i);
    lw_str rest = lw_str_skip(record, sizeof(p->words));
    uint64_t labels = (uint64_t)p->words[SAVED_LABELS] * SAVED_LABEL_WORDS * SAVED_WORD;
    uint64_t texts = p->words[SAVED_TEXT_LEN], body = p->words[SAVED_BODY_LEN];
    if (p->words[SAVED_LABELS] > LW_OBJECT_LABELS_MAX || labels + texts + body != rest.len)
        return false;
    p->labels = rest.ptr;
    p->texts = lw_str_make(rest.ptr + labels, texts);
    p->body = lw_str_make(rest.ptr + labels + texts, body);
    return true;
}

/* Each text ends with a NUL, and so do keys and values of labels. */
static bool has_good_texts(const parts *p)
{
    size_t from = 0, end = 0;
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++, from = end) {
        end = p->words[SAVED_TEXT_END + i];
        if (end <= from || end > p->texts.len || p->texts.ptr[end - 1] != '\0')
            return false;
    }
    lw_str labels = lw_str_make(p->labels, 0);
    for (size_t i = 0; i < p->words[SAVED_LABELS]; i++) {
        uint32_t key = word(labels, 3 * i), value = word(labels, 3 * i + 1);
        uint64_t stop = (uint64_t)value + word(labels, 3 * i + 2);
        if (key < end || value <= key || stop >= p->texts.len || p->texts.ptr[value - 1] != '\0' ||
            p->texts.ptr[stop] != '\0')
            return false;
    }
    return true;
}

static bool has_good_marks(const parts *p)
{
    const uint32_t *marks = &p->words[SAVED_MARK];
    uint64_t len = p->words[SAVED_OPEN_LEN];
    return marks[0] <= len && marks[1] <= len && (uint64_t)marks[2] + marks[3] <= len;
}

/* Checks how the body of |p| is read, and finds its origin. */
static bool has_good_body(const reader *r, parts *p)
{
    uint32_t from = p->words[SAVED_FROM], open_len = p->words[SAVED_OPEN_LEN];
    if (p->words[SAVED_FLAGS] >= SAVED_FLAGS_END ||
        (p->words[SAVED_FLAGS] & SAVED_SPLICE) > LW_SPLICE_ONLY_METADATA)
        return false;
    if (has_flag(p, SAVED_IS_PACKED)) {
        if (!has_flag(p, SAVED_IS_MESSAGE) || from >= r->origin_count ||
            open_len > LW_PACK_BODY_MAX)
            return false;
        p->origin = r->origins[from];
        if (has_flag(p, SAVED_SHARES_LABELS) &&
            (!p->origin->base.sibling || p->words[SAVED_LABELS] > 0))
            return false;
    } else if (open_len != p->body.len || has_flag(p, SAVED_SHARES_LABELS) ||
               open_len >= LW_MESSAGE_MAX ||
               (has_flag(p, SAVED_IS_MESSAGE) ? from == 0 || from >= r->type_count : from != 0)) {
        return false;
    }
    return !has_marks(p) || has_good_marks(p);
}

static void put_labels(lw_object *obj, const parts *p, uint32_t texts_at)
{
    lw_str words = lw_str_make(p->labels, 0);
    for (uint32_t i = 0; i < obj->label_count; i++)
        obj->labels[i] =
            (lw_object_label_entry){ word(words, 3 * i) + texts_at,
                                     word(words, 3 * i + 1) + texts_at, word(words, 3 * i + 2) };
}

/* Sets what depends on the kind of the body.  Returns where the body begins. */
static uint32_t put_kind(lw_object *obj, const parts *p, const reader *r, uint32_t at)
{
    const uint32_t *marks = &p->words[SAVED_MARK];
    if (p->origin) {
        obj->origin = &lw_compact__origin_ref(p->origin)->base;
        obj->open_len = p->words[SAVED_OPEN_LEN];
        atomic_init(&obj->opened, 0);
    } else if (obj->is_message) {
        obj->message_ops = r->types[p->words[SAVED_FROM]].ops;
        obj->message_type = r->types[p->words[SAVED_FROM]].type;
    } else {
        obj->metadata_at = marks[0];
        obj->spec_at = marks[1];
        obj->splice_at = marks[2];
        obj->splice_cut = marks[3];
    }
    if (!is_packed_json(p))
        return at;
    const lw_compact_marks packed = { (uint16_t)marks[0], (uint16_t)marks[1], (uint16_t)marks[2],
                                      (uint16_t)marks[3] };
    memcpy((char *)obj + at, &packed, sizeof(packed));
    return at + (uint32_t)sizeof(packed);
}

/* Makes the object of |p|, which was checked.  NULL: out of memory. */
static lw_object *make_object(const reader *r, const parts *p)
{
    uint32_t texts_at =
        (uint32_t)(LW_OBJECT_HEAD + p->words[SAVED_LABELS] * sizeof(lw_object_label_entry));
    lw_object *obj = lw_alloc(texts_at + p->texts.len + sizeof(lw_compact_marks) + p->body.len + 1);
    if (!obj)
        return NULL;
    lw_ref_init(&obj->refs);
    atomic_init(&obj->strings, NULL);
    obj->revision = p->words[SAVED_REVISION] | (uint64_t)p->words[SAVED_REVISION_HIGH] << 32;
    obj->splice = p->words[SAVED_FLAGS] & SAVED_SPLICE;
    obj->is_stale = has_flag(p, SAVED_IS_STALE);
    obj->is_message = has_flag(p, SAVED_IS_MESSAGE);
    obj->is_packed = has_flag(p, SAVED_IS_PACKED);
    obj->shares_labels = has_flag(p, SAVED_SHARES_LABELS);
    obj->is_typed = has_flag(p, SAVED_IS_TYPED);
    obj->checked = LW_OBJECT_UNCHECKED;
    obj->label_count = p->words[SAVED_LABELS] & LW_OBJECT_LABELS_MAX;
    obj->text_at[0] = texts_at;
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++)
        obj->text_at[i + 1] = texts_at + p->words[SAVED_TEXT_END + i];
    put_labels(obj, p, texts_at);
    memcpy((char *)obj + texts_at, p->texts.ptr, p->texts.len);
    obj->json_at = put_kind(obj, p, r, texts_at + (uint32_t)p->texts.len);
    obj->json_len = (uint32_t)p->body.len;
    memcpy((char *)obj + obj->json_at, p->body.ptr, p->body.len);
    ((char *)obj)[obj->json_at + obj->json_len] = '\0';
    return obj;
}

static lw_status keep_base(reader *r, lw_object *obj)
{
    if (!obj->is_packed || obj->origin->sibling)
        return malformed(r, "the sibling of other objects is not packed without one");
    lw_status st = reserve(r, (void **)&r->bases, r->base_count, &r->base_room);
    if (st == LW_OK)
        r->bases[r->base_count++] = lw_object_ref(obj);
    return st;
}

static lw_status read_object(reader *r, saved_tag tag, lw_str record)
{
    parts p = { .origin = NULL };
    if (!split(record, &p) || !has_good_texts(&p) || !has_good_body(r, &p))
        return malformed(r, "an object");
    lw_object *obj = make_object(r, &p);
    if (!obj)
        return lw_error_nomem(r->err);
    lw_status st = tag == SAVED_OBJECT ? LW_OK : keep_base(r, obj);
    if (st == LW_OK && tag != SAVED_HIDDEN)
        st = r->sink->on_object(obj, r->sink->arg, r->err);
    lw_object_unref(obj);
    return st;
}

static lw_status read_shown(reader *r, lw_str record)
{
    if (record.len != SAVED_WORD || word(record, 0) >= r->base_count)
        return malformed(r, "an object that is hidden");
    return r->sink->on_object(r->bases[word(record, 0)], r->sink->arg, r->err);
}

static lw_status read_note(reader *r, lw_str record)
{
    if (record.len != SAVED_WORD)
        return malformed(r, "a note");
    if (r->sink->on_note)
        r->sink->on_note(word(record, 0), r->sink->arg);
    return LW_OK;
}

static lw_status read_record(reader *r, uint32_t tag, lw_str record)
{
    switch (tag) {
    case SAVED_DICTIONARY: return read_dictionary(r, record);
    case SAVED_TYPE: return read_type(r, record);
    case SAVED_ORIGIN: return read_origin(r, record);
    case SAVED_OBJECT:
    case SAVED_BASE:
    case SAVED_HIDDEN: return read_object(r, (saved_tag)tag, record);
    case SAVED_SHOWN: return read_shown(r, record);
    case SAVED_NOTE: return read_note(r, record);
    default: return malformed(r, "an unknown record");
    }
}

static lw_status read_records(reader *r, lw_str bytes)
{
    const size_t all = bytes.len;
    lw_status st = LW_OK;
    while (st == LW_OK && bytes.len > 0) {
        if (r->sink->read)
            *r->sink->read = all - bytes.len;
        if (bytes.len < SAVED_HEAD || word(bytes, 1) > bytes.len - SAVED_HEAD)
            return malformed(r, "a record ends after the file");
        lw_str record = lw_str_make(bytes.ptr + SAVED_HEAD, word(bytes, 1));
        st = read_record(r, word(bytes, 0), record);
        bytes = lw_str_skip(bytes, SAVED_HEAD + record.len);
    }
    return st;
}

/* Takes the packer with the most uses out of |r|. */
static lw_compact *take_packer(reader *r)
{
    size_t most = 0;
    for (size_t i = 1; i < r->packer_count; i++)
        most = r->uses[i] > r->uses[most] ? i : most;
    lw_compact *packer = r->packers[most];
    r->packers[most] = NULL;
    return packer;
}

static void reader_done(reader *r)
{
    for (size_t i = 0; i < r->origin_count; i++)
        lw_compact__origin_unref(r->origins[i]);
    for (size_t i = 0; i < r->base_count; i++)
        lw_object_unref(r->bases[i]);
    for (size_t i = 0; i < r->packer_count; i++)
        lw_compact_close(r->packers[i]);
    lw_free(r->origins);
    lw_free(r->bases);
}

lw_status lw_saved_read(lw_str bytes, const lw_saved_sink *sink, lw_compact **packer, lw_error *err)
{
    reader r = { .sink = sink, .err = err };
    r.types[r.type_count++] = (message_type){ &lw_compact__json_ops, NULL };
    lw_status st = read_records(&r, bytes);
    if (st == LW_OK)
        *packer = take_packer(&r);
    reader_done(&r);
    return st;
}
