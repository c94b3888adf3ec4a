/* SPDX-License-Identifier: Apache-2.0 */
/* message_list.c -- reads a list in protobuf while its bytes arrive.
 *
 *   "k8s\0"  { 1: { apiVersion, kind }, 2: list, 3: encoding, 4: content type }
 *                                          list = { 1: ListMeta, 2: item, 2: item, ... }
 *
 *   MAGIC ─▶ ENVELOPE ─tag of the list─▶ LIST ─its last byte─▶ ENVELOPE
 *
 * Only the envelope and the list are entered; every other field is one piece. */
#include "schema/message/message.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/message/message_cut.h"
#include "schema/message/message_maker.h"
#include "schema/proto/proto_wire.h"

enum {
    MAGIC_SIZE = 4,
    NAMES_MAX = 64 * 1024,   /* bytes of names, versions and tokens */
    SMALL_MAX = 1024 * 1024, /* bytes of a field that is not an item */
    TYPE_META = 1,
    MESSAGE = 2, /* field numbers of the envelope */
    METADATA = 1,
    ITEMS = 2, /* ... and of the list */
    RESOURCE_VERSION = 2,
    CONTINUE = 3,
    REMAINING = 4, /* ... and of its metadata */
};

typedef enum list_state {
    STATE_MAGIC,
    STATE_ENVELOPE,
    STATE_LIST,
} list_state;

struct lw_message_list {
    lw_message_cut cut;
    lw_message_maker maker;
    lw_object_fn on_object;
    void *arg;
    list_state state;
    uint64_t left; /* bytes of the list that are still to come */
    bool has_list;
    lw_buf api_version; /* of the list; terminated like the following */
    lw_buf kind;
    lw_buf resource_version, continue_token;
    lw_proto_document item; /* the names of the items */
    const lw_type *item_type;
    lw_list_metadata metadata;
};

lw_status lw_message_list_new(lw_message_list **out, const lw_list_reader_options *options,
                              lw_error *err)
{
    lw_message_list *list = lw_alloc_zero(1, sizeof(*list));
    if (!list)
        return lw_error_nomem(err);
    lw_message_maker_init(&list->maker, &options->read);
    lw_message_cut_init(&list->cut, lw_message_maker_wire_max(&list->maker) + SMALL_MAX);
    lw_buf *const names[] = { &list->api_version, &list->kind, &list->resource_version,
                              &list->continue_token };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        lw_buf_init(names[i], NAMES_MAX);
    list->on_object = options->on_object;
    list->arg = options->arg;
    list->metadata = (lw_list_metadata){ "", "", "", "", -1 };
    *out = list;
    return LW_OK;
}

void lw_message_list_free(lw_message_list *list)
{
    if (!list)
        return;
    lw_message_cut_done(&list->cut);
    lw_message_maker_done(&list->maker);
    lw_buf_done(&list->api_version);
    lw_buf_done(&list->kind);
    lw_buf_done(&list->resource_version);
    lw_buf_done(&list->continue_token);
    lw_free(list);
}

static lw_status malformed(lw_error *err, const char *why)
{
    return lw_error_set(err, LW_ERR_SYNTAX, "the list is not valid protobuf: %s", why);
}

/* Reads the tag and the length of a field; |*head| is 0 if they are not complete. */
static lw_status read_head(lw_str bytes, uint64_t *tag, uint64_t *len, size_t *head, lw_error *err)
{
    lw_proto_reader from = { bytes, NULL };
    *head = 0;
    *len = 0;
    if (!lw_proto_next_varint(&from, tag) || !lw_proto_next_varint(&from, len)) {
        if (bytes.len >= LW_MESSAGE_HEAD_MAX)
            return malformed(err, from.error);
        return LW_OK;
    }
    if ((*tag & 7) != LW_PROTO_BYTES)
        return malformed(err, "proto: wrong wireType");
    *head = bytes.len - from.rest.len;
    return LW_OK;
}

static lw_status read_piece_head(lw_str bytes, size_t *size, void *arg, lw_error *err)
{
    lw_message_list *list = arg;
    uint64_t tag, len;
    size_t head;
    if (list->state == STATE_MAGIC) {
        *size = MAGIC_SIZE;
        return LW_OK;
    }
    lw_status st = read_head(bytes, &tag, &len, &head, err);
    if (st < 0 || head == 0) {
        *size = 0;
        return st;
    }
    bool is_list = list->state == STATE_ENVELOPE && tag >> 3 == MESSAGE;
    bool is_item = list->state == STATE_LIST && tag >> 3 == ITEMS;
    if (list->state == STATE_LIST && (list->left < head || len > list->left - head))
        return malformed(err, "an item is longer than its list");
    if (!is_list && len > (is_item ? lw_message_maker_wire_max(&list->maker) : SMALL_MAX))
        return lw_error_set(err, LW_ERR_LIMIT, "%s of the list is larger than %zu bytes",
                            is_item ? "an item" : "a field",
                            is_item ? list->maker.max_object : (size_t)SMALL_MAX);
    *size = is_list ? head : head + (size_t)len;
    return LW_OK;
}

static lw_status set_text(lw_buf *out, lw_str text, lw_error *err)
{
    lw_buf_reset(out);
    lw_buf_append_str(out, text);
    lw_buf_append_char(out, '\0');
    if (out->st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "a name in the list is too long");
    return out->st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status read_type_meta(lw_message_list *list, lw_str message, lw_error *err)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    lw_status st = LW_OK;
    while (st == LW_OK && lw_proto_next(&from, &item)) {
        if (item.number > 2)
            continue;
        if (item.wire != LW_PROTO_BYTES)
            return malformed(err, "proto: wrong wireType for field TypeMeta");
        st = set_text(item.number == 1 ? &list->api_version : &list->kind, item.bytes, err);
    }
    return from.error ? malformed(err, from.error) : st;
}

/* The list begins: its type is known from here on. */
static lw_status begin_list(lw_message_list *list, uint64_t len, lw_error *err)
{
    lw_str version = lw_str_of(list->api_version.data), kind = lw_str_of(list->kind.data);
    const lw_str suffix = LW_STR("List");
    if (list->has_list)
        return malformed(err, "there are two lists");
    if (kind.len <= suffix.len || !lw_str_ends_with(kind, suffix))
        return lw_error_set(err, LW_ERR_INVALID,
                            "expected a list, but the document is of kind \"%.*s\"",
                            LW_STR_ARG(kind));
    kind.len -= suffix.len;
    list->item = (lw_proto_document){ .api_version = version, .kind = kind };
    list->item_type = lw_message_type(version, kind);
    if (!list->item_type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED, "objects of kind \"%.*s\" are read as JSON",
                            LW_STR_ARG(kind));
    list->has_list = true;
    list->left = len;
    list->state = len > 0 ? STATE_LIST : STATE_ENVELOPE;
    return LW_OK;
}

static lw_status read_metadata(lw_message_list *list, lw_str message, lw_error *err)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    lw_status st = LW_OK;
    while (st == LW_OK && lw_proto_next(&from, &item)) {
        bool is_text = item.number == RESOURCE_VERSION || item.number == CONTINUE;
        if (is_text && item.wire == LW_PROTO_BYTES)
            st = set_text(item.number == CONTINUE ? &list->continue_token : &list->resource_version,
                          item.bytes, err);
        else if (item.number == REMAINING && item.wire == LW_PROTO_VARINT)
            list->metadata.remaining_item_count = (int64_t)item.value;
        else if (is_text || item.number == REMAINING)
            return malformed(err, "proto: wrong wireType for field ListMeta");
    }
    return from.error ? malformed(err, from.error) : st;
}

static lw_status read_item(lw_message_list *list, lw_str message, lw_error *err)
{
    lw_object *obj = NULL;
    if (!list->on_object)
        return LW_OK;
    list->item.message = message;
    lw_status st = lw_message_make(&list->maker, list->item_type, &list->item, false, &obj, err);
    if (st < 0)
        return st;
    st = list->on_object(obj, list->arg, err);
    lw_object__spare_unref(&list->maker.spare, obj);
    return st;
}

static lw_status read_piece(lw_message_list *list, lw_str piece, lw_error *err)
{
    uint64_t tag, len;
    size_t head;
    if (list->state == STATE_MAGIC) {
        list->state = STATE_ENVELOPE;
        return memcmp(piece.ptr, "k8s", MAGIC_SIZE) == 0
                   ? LW_OK
                   : malformed(err, "it does not begin with \"k8s\"");
    }
    lw_status st = read_head(piece, &tag, &len, &head, err);
    if (st < 0)
        return st;
    lw_str bytes = lw_str_skip(piece, head);
    if (list->state == STATE_ENVELOPE) {
        if (tag >> 3 == TYPE_META)
            return read_type_meta(list, bytes, err);
        return tag >> 3 == MESSAGE ? begin_list(list, len, err) : LW_OK;
    }
    list->left -= piece.len;
    if (list->left == 0)
        list->state = STATE_ENVELOPE;
    if (tag >> 3 == ITEMS)
        return read_item(list, bytes, err);
    return tag >> 3 == METADATA ? read_metadata(list, bytes, err) : LW_OK;
}

lw_status lw_message_list_feed(lw_message_list *list, const char *bytes, size_t len, lw_error *err)
{
    lw_str rest = lw_str_make(bytes, len), piece;
    for (;;) {
        lw_status st = lw_message_cut_next(&list->cut, &rest, read_piece_head, list, &piece, err);
        if (st == LW_OK)
            st = read_piece(list, piece, err);
        else if (st == LW_ERR_NOT_FOUND)
            return LW_OK;
        if (st < 0)
            return st;
    }
}

static const char *text_of(const lw_buf *text)
{
    return text->len > 0 ? text->data : "";
}

lw_status lw_message_list_finish(lw_message_list *list, lw_error *err)
{
    if (list->state != STATE_ENVELOPE || lw_message_cut_is_inside(&list->cut) || !list->has_list)
        return malformed(err, "it is truncated");
    list->metadata.api_version = text_of(&list->api_version);
    list->metadata.kind = text_of(&list->kind);
    list->metadata.resource_version = text_of(&list->resource_version);
    list->metadata.continue_token = text_of(&list->continue_token);
    return LW_OK;
}

const lw_list_metadata *lw_message_list_metadata(const lw_message_list *list)
{
    return &list->metadata;
}
