/* SPDX-License-Identifier: Apache-2.0 */
/* object_message.c -- makes objects whose body is a message, and reads them.
 *
 * Numbers and booleans are read where they are; strings are copied once, because programs get them
 * terminated.  Everything else becomes JSON first: only the value that was asked for, or the whole
 * object where the message does not contain the value. */
#include "object/object_message.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/object_body.h"
#include "object/object_kept.h"
#include "object/object_spare.h"
#include "json/path.h"
#include "json/text.h"

static const size_t json_limit = (size_t)1 << 31; /* bytes of the JSON of one object */

/* Making. */

static uint64_t head_size(const lw_message_parts *parts)
{
    uint64_t size = LW_OBJECT_HEAD + parts->label_count * sizeof(lw_object_label_entry);
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++)
        size += parts->fields[i].len + 1;
    for (size_t i = 0; i < parts->label_count; i++)
        size += parts->labels[i].key.len + 1 + parts->labels[i].value.len + 1;
    return size;
}

/* Copies |text| into the block at |*at|, terminates it, and moves |*at| past it. */
static void put_text(lw_object *obj, uint32_t *at, lw_str text)
{
    char *dst = (char *)obj + *at;
    if (text.len > 0)
        memcpy(dst, text.ptr, text.len);
    dst[text.len] = '\0';
    *at += (uint32_t)text.len + 1;
}

static void put_head(lw_object *obj, const lw_message_parts *parts)
{
    uint32_t at = (uint32_t)(LW_OBJECT_HEAD + parts->label_count * sizeof(obj->labels[0]));
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++) {
        obj->text_at[i] = at;
        put_text(obj, &at, parts->fields[i]);
    }
    obj->text_at[LW_OBJECT_FIELD_COUNT] = at;
    for (size_t i = 0; i < parts->label_count; i++) {
        obj->labels[i].key_at = at;
        put_text(obj, &at, parts->labels[i].key);
        obj->labels[i].value_at = at;
        put_text(obj, &at, parts->labels[i].value);
        obj->labels[i].value_len = (uint32_t)parts->labels[i].value.len;
    }
    obj->label_count = (uint32_t)parts->label_count & LW_OBJECT_LABELS_MAX;
    lw_object__sort_labels(obj);
}

lw_status lw_object__from_message(const lw_message_parts *parts, lw_object **out)
{
    uint64_t body_at = head_size(parts), len = 0;
    for (size_t i = 0; i < LW_MESSAGE_PIECES_MAX; i++)
        len += parts->pieces[i].len;
    if (len >= LW_MESSAGE_MAX || body_at >= LW_MESSAGE_MAX ||
        parts->label_count > LW_OBJECT_LABELS_MAX)
        return LW_ERR_LIMIT;
    lw_object *obj = lw_object__spare_alloc(parts->spare, (size_t)(body_at + len));
    if (!obj)
        return LW_ERR_NOMEM;
    lw_ref_init(&obj->refs);
    atomic_init(&obj->strings, NULL);
    obj->json_at = (uint32_t)body_at;
    obj->json_len = (uint32_t)len;
    obj->message_ops = parts->ops;
    obj->message_type = parts->type;
    obj->splice = LW_SPLICE_VALUE;
    obj->is_stale = false;
    obj->is_message = true;
    obj->is_packed = false;
    obj->shares_labels = false;
    obj->is_typed = parts->is_typed;
    obj->checked = LW_OBJECT_UNCHECKED;
    put_head(obj, parts);
    obj->revision = 0;
    (void)lw_str_to_uint64(parts->fields[LW_OBJECT_RESOURCE_VERSION], &obj->revision);
    char *dst = (char *)obj + body_at;
    for (size_t i = 0; i < LW_MESSAGE_PIECES_MAX; i++) {
        if (parts->pieces[i].len > 0)
            memcpy(dst, parts->pieces[i].ptr, parts->pieces[i].len);
        dst += parts->pieces[i].len;
    }
    *out = obj;
    return LW_OK;
}

/* The whole JSON. */

static lw_status append_json(const lw_object *obj, const lw_body *body, lw_buf *out)
{
    lw_str kind = obj->is_typed ? lw_object__field(obj, LW_OBJECT_KIND) : LW_STR("");
    return body->ops->json(body->type, lw_object__field(obj, LW_OBJECT_API_VERSION), kind,
                           body->message, out);
}

lw_status lw_object__message_append_json(const lw_object *obj, lw_buf *out)
{
    lw_body body;
    lw_status st = lw_body_open(obj, &body);
    if (st < 0)
        return st;
    st = append_json(obj, &body, out);
    lw_body_close(obj, &body);
    return st;
}

static lw_status whole_json(const lw_object *obj, const lw_body *body, lw_str *out)
{
    lw_buf json;
    if (lw_object__find_text(obj, LW_KEPT_WHOLE_JSON, out))
        return LW_OK;
    lw_buf_init(&json, json_limit);
    lw_status st = append_json(obj, body, &json);
    if (st == LW_OK)
        st = lw_object__keep_text(obj, LW_KEPT_WHOLE_JSON, lw_buf_view(&json), out);
    lw_buf_done(&json);
    return st;
}

lw_str lw_object__message_json(const lw_object *obj)
{
    lw_str json = LW_STR("");
    lw_body body;
    if (lw_object__find_text(obj, LW_KEPT_WHOLE_JSON, &json) || lw_body_open(obj, &body) < 0)
        return json;
    if (whole_json(obj, &body, &json) < 0)
        json = LW_STR("");
    lw_body_close(obj, &body);
    return json;
}

/* Finds |pointer| in the whole JSON. */
static lw_status raw_in_json(const lw_object *obj, const lw_body *body, lw_str pointer, lw_str *out)
{
    lw_str json;
    lw_status st = whole_json(obj, body, &json);
    return st < 0 ? st : lw_json_path_find(json, pointer, out);
}

/* Values. */

/* Sets |*value| to kind or apiVersion, which are not in the message. */
static bool find_type(const lw_object *obj, lw_str pointer, lw_message_value *value)
{
    bool is_kind = lw_str_equal(pointer, LW_STR("/kind"));
    if (!obj->is_typed || (!is_kind && !lw_str_equal(pointer, LW_STR("/apiVersion"))))
        return false;
    *value = (lw_message_value){
        .form = LW_MESSAGE_STRING,
        .text = lw_object__field(obj, is_kind ? LW_OBJECT_KIND : LW_OBJECT_API_VERSION),
    };
    return true;
}

/* LW_ERR_UNSUPPORTED: search the JSON.  A string without a position is terminated. */
static lw_status find(const lw_object *obj, const lw_body *body, lw_str pointer,
                      lw_message_value *value)
{
    if (lw_json_path_check(pointer) < 0)
        return LW_ERR_INVALID;
    if (find_type(obj, pointer, value))
        return LW_OK;
    return body->ops->find(body->type, body->message, pointer, '/', value);
}

/* Makes the JSON of |value|, which |out| then contains. */
static lw_status write_value(const lw_body *body, const lw_message_value *value, lw_buf *out)
{
    lw_buf_init(out, json_limit);
    return body->ops->write(value, out);
}

static lw_status raw_of(const lw_object *obj, const lw_body *body, lw_str pointer, lw_str *out)
{
    lw_message_value value;
    lw_buf json;
    lw_status st = find(obj, body, pointer, &value);
    if (st == LW_ERR_UNSUPPORTED || (st == LW_OK && value.at == 0))
        return raw_in_json(obj, body, pointer, out);
    if (st < 0 || lw_object__find_text(obj, LW_KEPT_JSON_OF(value.at), out))
        return st;
    st = write_value(body, &value, &json);
    if (st == LW_OK)
        st = lw_object__keep_text(obj, LW_KEPT_JSON_OF(value.at), lw_buf_view(&json), out);
    lw_buf_done(&json);
    return st;
}

lw_status lw_object__message_raw(const lw_object *obj, lw_str pointer, lw_str *out)
{
    lw_body body;
    lw_status st = lw_body_open(obj, &body);
    if (st < 0)
        return st;
    st = raw_of(obj, &body, pointer, out);
    lw_body_close(obj, &body);
    return st;
}

/* Decodes |json| into its own buffer.  LW_ERR_INVALID: it is not a string.  LW_ERR_NOMEM. */
static lw_status decode_string(lw_buf *json, lw_str *out)
{
    if (json->len < 2 || json->data[0] != '"')
        return LW_ERR_INVALID;
    lw_status st = lw_buf_reserve(json, json->len); /* decoding never grows a text */
    if (st < 0)
        return st;
    char *dst = json->data + json->len;
    *out = lw_str_make(dst, lw_json_unescape(dst, lw_str_make(json->data + 1, json->len - 2)));
    return LW_OK;
}

/* A string that has another form in the message: a time, a quantity, bytes. */
static lw_status made_string(const lw_object *obj, const lw_body *body,
                             const lw_message_value *value, lw_str *out)
{
    lw_buf json;
    lw_str text;
    if (lw_object__find_text(obj, value->at, out))
        return LW_OK;
    lw_status st = write_value(body, value, &json);
    if (st == LW_OK)
        st = decode_string(&json, &text);
    if (st == LW_OK)
        st = lw_object__keep_text(obj, value->at, text, out);
    lw_buf_done(&json);
    return st;
}

static lw_status string_in_json(const lw_object *obj, const lw_body *body, lw_str pointer,
                                lw_str *out)
{
    lw_str value;
    lw_status st = raw_in_json(obj, body, pointer, &value);
    if (st < 0)
        return st;
    return value.ptr[0] == '"' ? lw_object__decode(obj, value, out) : LW_ERR_INVALID;
}

/* Gets a string, which may be a part of the body unless |keeps|. */
static lw_status string_of(const lw_object *obj, const lw_body *body, lw_str pointer, bool keeps,
                           lw_str *out)
{
    lw_message_value value;
    lw_status st = find(obj, body, pointer, &value);
    bool is_string = st == LW_OK && value.form == LW_MESSAGE_STRING;
    bool is_other = st == LW_OK && value.form == LW_MESSAGE_OTHER;
    if (is_string && (value.at == 0 || !keeps))
        *out = value.text;
    else if (is_string)
        st = lw_object__keep_text(obj, value.at, value.text, out);
    else if (st == LW_ERR_UNSUPPORTED || (is_other && value.at == 0))
        st = string_in_json(obj, body, pointer, out);
    else if (is_other)
        st = made_string(obj, body, &value, out);
    else if (st == LW_OK)
        st = LW_ERR_INVALID;
    return st;
}

lw_status lw_object__message_string(const lw_object *obj, lw_str pointer, lw_str *out)
{
    lw_body body;
    lw_status st = lw_body_open(obj, &body);
    if (st < 0)
        return st;
    st = string_of(obj, &body, pointer, true, out);
    lw_body_close(obj, &body);
    return st;
}

enum {
    SHORT_TEXT = 256,
};

/* A short text of a packed body is copied, because |use| is called after the body was closed. */
lw_status lw_object__message_use(const lw_object *obj, lw_str pointer,
                                 void (*use)(void *arg, lw_str text), void *arg)
{
    char room[SHORT_TEXT];
    lw_str text;
    lw_body body;
    lw_status st = lw_body_open(obj, &body);
    if (st < 0)
        return st;
    st = string_of(obj, &body, pointer, false, &text);
    if (st == LW_OK && body.held && text.len <= sizeof(room)) {
        memcpy(room, text.ptr, text.len);
        text.ptr = room;
    } else if (st == LW_OK && body.held) {
        st = string_of(obj, &body, pointer, true, &text);
    }
    lw_body_close(obj, &body);
    if (st == LW_OK)
        use(arg, text);
    return st;
}

/* Gets the JSON text of a value that is not a number or bool in the message, but may be one in
 * JSON. |room| may have it. */
static lw_status other_text(const lw_object *obj, const lw_body *body, lw_str pointer,
                            lw_status found, const lw_message_value *value, lw_buf *room,
                            lw_str *out)
{
    if (found == LW_ERR_UNSUPPORTED)
        return raw_in_json(obj, body, pointer, out);
    if (found < 0 || value->form != LW_MESSAGE_OTHER)
        return LW_ERR_NOT_FOUND;
    lw_status st = body->ops->write(value, room);
    *out = lw_buf_view(room);
    return st;
}

int64_t lw_object__message_int(const lw_object *obj, lw_str pointer, int64_t fallback)
{
    lw_message_value value;
    lw_body body;
    lw_buf room;
    lw_str text;
    if (lw_body_open(obj, &body) < 0)
        return fallback;
    lw_status st = find(obj, &body, pointer, &value);
    if (st == LW_OK && value.form == LW_MESSAGE_INT) {
        lw_body_close(obj, &body);
        return value.number;
    }
    lw_buf_init(&room, json_limit);
    if (other_text(obj, &body, pointer, st, &value, &room, &text) == LW_OK)
        fallback = lw_object__int_or(text, fallback);
    lw_buf_done(&room);
    lw_body_close(obj, &body);
    return fallback;
}

bool lw_object__message_bool(const lw_object *obj, lw_str pointer, bool fallback)
{
    lw_message_value value;
    lw_body body;
    lw_buf room;
    lw_str text;
    if (lw_body_open(obj, &body) < 0)
        return fallback;
    lw_status st = find(obj, &body, pointer, &value);
    if (st == LW_OK && value.form == LW_MESSAGE_BOOL) {
        lw_body_close(obj, &body);
        return value.number != 0;
    }
    lw_buf_init(&room, json_limit);
    if (other_text(obj, &body, pointer, st, &value, &room, &text) == LW_OK)
        fallback = lw_object__bool_or(text, fallback);
    lw_buf_done(&room);
    lw_body_close(obj, &body);
    return fallback;
}

const char *lw_object__message_annotation(const lw_object *obj, lw_str key)
{
    lw_buf pointer;
    lw_str text;
    lw_buf_init(&pointer, json_limit);
    lw_buf_append_text(&pointer, "/metadata/annotations/");
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] == '~' || key.ptr[i] == '/')
            lw_buf_append_text(&pointer, key.ptr[i] == '~' ? "~0" : "~1");
        else
            lw_buf_append_char(&pointer, key.ptr[i]);
    }
    bool is_found = pointer.st == LW_OK &&
                    lw_object__message_string(obj, lw_buf_view(&pointer), &text) == LW_OK;
    lw_buf_done(&pointer);
    return is_found ? text.ptr : NULL;
}

/* Field selectors. */

/* Gets the text that is compared.  |room| is for a text that has to be made. */
static lw_status field_text(const lw_object *obj, const lw_body *body, lw_str field, lw_buf *room,
                            lw_str *out)
{
    lw_message_value value;
    bool is_kind = lw_str_equal(field, LW_STR("kind"));
    if (obj->is_typed && (is_kind || lw_str_equal(field, LW_STR("apiVersion")))) {
        *out = lw_object__field(obj, is_kind ? LW_OBJECT_KIND : LW_OBJECT_API_VERSION);
        return LW_OK;
    }
    lw_status st = body->ops->find(body->type, body->message, field, '.', &value);
    *out = LW_STR("");
    if (st == LW_ERR_NOT_FOUND)
        return LW_OK;
    if (st < 0)
        return st;
    if (value.form == LW_MESSAGE_STRING || value.form == LW_MESSAGE_NULL || value.field) {
        *out = value.form == LW_MESSAGE_STRING ? value.text : LW_STR("");
        return LW_OK;
    }
    st = body->ops->write(&value, room);
    if (st < 0)
        return st;
    st = decode_string(room, out);
    if (st != LW_ERR_INVALID)
        return st;
    if (room->len > 0 && !strchr("{[n", room->data[0]))
        *out = lw_buf_view(room);
    return LW_OK;
}

lw_status lw_object__message_field_equals(const lw_object *obj, lw_str field, lw_str expected)
{
    lw_body body;
    lw_buf room;
    lw_str text;
    lw_status st = lw_body_open(obj, &body);
    if (st < 0)
        return st;
    lw_buf_init(&room, json_limit);
    st = field_text(obj, &body, field, &room, &text);
    if (st == LW_OK && !lw_str_equal(text, expected))
        st = LW_ERR_NOT_FOUND;
    lw_buf_done(&room);
    lw_body_close(obj, &body);
    return st;
}

/* A copy with another resourceVersion has JSON. */

typedef struct json_copy {
    const lw_object *of;
    lw_object *made;
} json_copy;

static lw_status take_copy(const lw_scan_item *item, void *arg, lw_error *err)
{
    json_copy *copy = arg;
    (void)err;
    return lw_object__from_list_item(item, lw_object__field(copy->of, LW_OBJECT_API_VERSION),
                                     lw_object__field(copy->of, LW_OBJECT_KIND), NULL, &copy->made);
}

static lw_status copy_as_json(const lw_object *obj, lw_object **out)
{
    static const char *const nothing[] = { NULL };
    json_copy copy = { .of = obj };
    lw_scan_options how = { .shape = LW_SCAN_OBJECT,
                            .trusts_input = true,
                            .max_item = (size_t)1 << 30,
                            .drop = nothing,
                            .on_item = take_copy,
                            .arg = &copy };
    lw_scan *scan = NULL;
    lw_buf json;
    lw_buf_init(&json, json_limit);
    lw_status st = lw_object__message_append_json(obj, &json);
    if (st == LW_OK)
        st = lw_scan_new(&scan, &how, NULL);
    if (st == LW_OK)
        st = lw_scan_feed(scan, json.data, json.len, NULL);
    if (st == LW_OK)
        st = lw_scan_finish(scan, NULL);
    lw_scan_free(scan);
    lw_buf_done(&json);
    if (st < 0)
        lw_object_unref(copy.made);
    else
        *out = copy.made;
    return st;
}

lw_status lw_object__message_with_revision(lw_object **out, const lw_object *obj, uint64_t rv)
{
    lw_object *json = NULL;
    lw_status st = copy_as_json(obj, &json);
    if (st == LW_OK)
        st = lw_object_with_revision(out, json, rv);
    lw_object_unref(json);
    return st;
}
