/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_object.c -- converts a key of etcd to an object.
 *
 * Name and namespace come from the part of the key after the directory of the prefix, the "rest":
 *
 *     a              name a
 *     a/b/c          namespace a/b, name c
 *     a/b/           namespace a, name b/        a '/' at the end is part of the name
 *     (empty), //    name /, ///                 a rest of only '/' gets one more
 *     /a, /x/a       namespaces / and /x/        a rest that begins with '/' keeps all of them
 *     not UTF-8      name binary/BASE64URL       also if it contains a NUL byte
 *
 * Invariant: two keys never have the same namespace and name.  A name has a '/' only at its end,
 * except after "binary"; a namespace begins with '/' only if it also ends with one.
 *
 * For the value, see <listwatch/etcd.h>.  A JSON object whose metadata is invalid (e.g. labels that
 * are not strings) is treated like any other JSON.  Objects are made only with the functions of
 * <listwatch/object.h>: the code that unrefs them may be linked to another copy of the library. */
#include "informer/etcd/listwatch_etcd_object.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "json/cursor.h"
#include "json/scan.h"
#include "json/text.h"

enum {
    ODD_NAME_MAX = 64 << 20,
};

/* Names. */

lw_str lw_etcd_object_directory(lw_str prefix)
{
    while (prefix.len > 0 && prefix.ptr[prefix.len - 1] != '/')
        prefix.len--;
    return prefix;
}

static bool is_text(lw_str s)
{
    return lw_utf8_is_valid(s) && (s.len == 0 || !memchr(s.ptr, '\0', s.len));
}

/* Returns namespace and name of |rest|; |odd| is the buffer for a generated name. */
static lw_key name_of(lw_str rest, lw_buf *odd)
{
    lw_key key = { .ns = { NULL, 0 }, .name = rest };
    if (!is_text(rest)) {
        lw_buf_append_text(odd, "binary/");
        lw_base64url_encode(odd, rest);
        key.name = lw_buf_view(odd);
        return key;
    }
    size_t end = rest.len; /* end of the part before the last run of '/' */
    while (end > 0 && rest.ptr[end - 1] == '/')
        end--;
    if (end == 0) {
        lw_buf_append_char(odd, '/');
        lw_buf_append_str(odd, rest);
        key.name = lw_buf_view(odd);
        return key;
    }
    size_t begin = lw_etcd_object_directory(lw_str_make(rest.ptr, end)).len;
    key.name = lw_str_skip(rest, begin);
    key.ns = lw_str_make(rest.ptr, begin);
    if (begin > 0 && rest.ptr[0] != '/')
        key.ns.len--;
    return key;
}

/* Values. */

typedef enum value_form {
    VALUE_OBJECT, /* with metadata */
    VALUE_JSON,
    VALUE_TEXT,
    VALUE_BINARY,
} value_form;

/* Finds the member |name| of a valid JSON object; the last one if there are several.  Returns false
 * if there is none. */
static bool find_member(lw_str json, const char *name, lw_json_cursor *value)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_str key;
    bool is_found = false;
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &key)) {
        if (lw_json_text_equal(key, lw_str_of(name))) {
            *value = c;
            is_found = true;
        }
        (void)lw_json_cursor_skip(&c);
    }
    return is_found;
}

static bool has_metadata(lw_str json)
{
    lw_json_cursor c = lw_json_cursor_on(json), metadata;
    return lw_json_cursor_type(&c) == LW_JSON_OBJECT && find_member(json, "metadata", &metadata) &&
           lw_json_cursor_type(&metadata) == LW_JSON_OBJECT;
}

static lw_status form_of(lw_str value, value_form *form)
{
    /* One level less than an object may have, because the value may be put under "value". */
    lw_status st = lw_json_validate(value, LW_SCAN_DEPTH - 1, NULL);
    if (st == LW_ERR_NOMEM)
        return st;
    if (st == LW_OK)
        *form = has_metadata(value) ? VALUE_OBJECT : VALUE_JSON;
    else
        *form = is_text(value) ? VALUE_TEXT : VALUE_BINARY;
    return LW_OK;
}

/* Writing. */

static void append_member(lw_buf *out, const char *name, lw_str text)
{
    lw_buf_append_char(out, ',');
    lw_json_append_quoted(out, lw_str_of(name));
    lw_buf_append_char(out, ':');
    lw_json_append_quoted(out, text);
}

/* Appends name, namespace and resourceVersion, without a brace: etcd is authoritative for them. */
static void append_identity(lw_buf *out, lw_key key, uint64_t revision)
{
    lw_buf_append_text(out, "\"name\":");
    lw_json_append_quoted(out, key.name);
    if (key.ns.len > 0)
        append_member(out, "namespace", key.ns);
    lw_buf_printf(out, ",\"resourceVersion\":\"%llu\"", (unsigned long long)revision);
}

static bool is_identity(lw_str raw_key)
{
    return lw_json_text_equal(raw_key, LW_STR("name")) ||
           lw_json_text_equal(raw_key, LW_STR("namespace")) ||
           lw_json_text_equal(raw_key, LW_STR("resourceVersion"));
}

static void append_raw_member(lw_buf *out, lw_str raw_key, lw_str value)
{
    lw_buf_append_text(out, ",\"");
    lw_buf_append_str(out, raw_key);
    lw_buf_append_text(out, "\":");
    lw_buf_append_str(out, value);
}

/* Appends the metadata at |c| with the identity replaced. */
static void append_metadata(lw_buf *out, lw_json_cursor c, lw_key key, uint64_t revision)
{
    lw_str name;
    lw_buf_append_text(out, "{\"metadata\":{");
    append_identity(out, key, revision);
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &name)) {
        lw_str value = lw_json_cursor_skip(&c);
        if (!is_identity(name))
            append_raw_member(out, name, value);
    }
    lw_buf_append_char(out, '}');
}

static bool is_kept(lw_str raw_key, bool is_metadata_only)
{
    if (lw_json_text_equal(raw_key, LW_STR("metadata")))
        return false; /* already written */
    return !is_metadata_only || lw_json_text_equal(raw_key, LW_STR("apiVersion")) ||
           lw_json_text_equal(raw_key, LW_STR("kind"));
}

static void write_object(lw_buf *out, lw_str json, lw_key key, uint64_t revision,
                         bool is_metadata_only)
{
    lw_json_cursor c = lw_json_cursor_on(json), metadata = c;
    lw_str name;
    (void)find_member(json, "metadata", &metadata);
    append_metadata(out, metadata, key, revision);
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &name)) {
        lw_str value = lw_json_cursor_skip(&c);
        if (is_kept(name, is_metadata_only))
            append_raw_member(out, name, value);
    }
    lw_buf_append_char(out, '}');
}

/* Appends an Entry, without its last brace.  |kv| NULL: only the key is known. */
static void write_entry_head(lw_buf *out, const lw_etcd_kv *kv, lw_key key, uint64_t revision)
{
    lw_buf_append_text(out, "{\"apiVersion\":\"" LW_ETCD_OBJECT_API_VERSION
                            "\",\"kind\":\"" LW_ETCD_OBJECT_KIND "\",\"metadata\":{");
    append_identity(out, key, revision);
    if (kv) /* A key that was deleted and created again is another object. */
        lw_buf_printf(out, ",\"uid\":\"%llu\",\"generation\":%llu",
                      (unsigned long long)kv->create_revision, (unsigned long long)kv->version);
    lw_buf_append_char(out, '}');
}

static void write_entry_value(lw_buf *out, lw_str value, value_form form)
{
    switch (form) {
    case VALUE_OBJECT:
    case VALUE_JSON: append_raw_member(out, LW_STR("value"), value); break;
    case VALUE_TEXT: append_member(out, "data", value); break;
    case VALUE_BINARY:
        lw_buf_append_text(out, ",\"binaryData\":\"");
        lw_base64_encode(out, value);
        lw_buf_append_char(out, '"');
        break;
    }
}

/* Objects. */

static lw_status read_object(lw_object **out, const lw_etcd_object_form *form, const lw_buf *json,
                             lw_error *err)
{
    lw_read_options read = form->read;
    if (read.max_object_size == 0)
        read.max_object_size = LW_ETCD_OBJECT_MAX;
    if (json->st < 0)
        return json->st;
    return lw_object_from_json_with(out, json->data, json->len, &read, err);
}

static lw_status make_entry(lw_object **out, const lw_etcd_object_form *form, const lw_etcd_kv *kv,
                            value_form value, lw_key key, uint64_t revision, lw_buf *scratch,
                            lw_error *err)
{
    lw_buf_reset(scratch);
    write_entry_head(scratch, kv, key, revision);
    if (!form->is_metadata_only)
        write_entry_value(scratch, kv->value, value);
    lw_buf_append_char(scratch, '}');
    return read_object(out, form, scratch, err);
}

static lw_status make(lw_object **out, const lw_etcd_object_form *form, const lw_etcd_kv *kv,
                      lw_key key, uint64_t revision, lw_buf *scratch, lw_error *err)
{
    value_form value;
    lw_status st = form_of(kv->value, &value);
    if (st < 0)
        return st;
    if (value == VALUE_OBJECT) {
        lw_buf_reset(scratch);
        write_object(scratch, kv->value, key, revision, form->is_metadata_only);
        st = read_object(out, form, scratch, err);
        if (st != LW_ERR_INVALID)
            return st;
    }
    return make_entry(out, form, kv, value, key, revision, scratch, err);
}

static lw_status make_gone(lw_object **out, const lw_etcd_object_form *form, lw_key key,
                           uint64_t revision, lw_buf *scratch, lw_error *err)
{
    lw_buf_reset(scratch);
    write_entry_head(scratch, NULL, key, revision);
    lw_buf_append_char(scratch, '}');
    return read_object(out, form, scratch, err);
}

/* Names the key in the error. */
static lw_status refuse(lw_error *err, lw_status st, lw_str key, const lw_error *why)
{
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return lw_error_set(err, st, "cannot convert the key \"%.*s\" to an object: %s",
                        LW_STR_ARG(key), why->message[0] ? why->message : lw_status_name(st));
}

/* |kv| NULL: the key was deleted and its previous value is unknown. */
static lw_status make_of_key(lw_object **out, const lw_etcd_object_form *form, lw_str key,
                             const lw_etcd_kv *kv, uint64_t revision, lw_buf *scratch,
                             lw_error *err)
{
    lw_buf odd;
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(&odd, ODD_NAME_MAX);
    lw_key name = name_of(lw_str_skip(key, form->directory.len), &odd);
    lw_status st = odd.st;
    if (st == LW_OK && kv)
        st = make(out, form, kv, name, revision, scratch, &why);
    else if (st == LW_OK)
        st = make_gone(out, form, name, revision, scratch, &why);
    lw_buf_done(&odd);
    return st < 0 ? refuse(err, st, key, &why) : LW_OK;
}

lw_status lw_etcd_object_make(lw_object **out, const lw_etcd_object_form *form,
                              const lw_etcd_kv *kv, uint64_t revision, lw_buf *scratch,
                              lw_error *err)
{
    return make_of_key(out, form, kv->key, kv, revision, scratch, err);
}

lw_status lw_etcd_object_make_gone(lw_object **out, const lw_etcd_object_form *form, lw_str key,
                                   uint64_t revision, lw_buf *scratch, lw_error *err)
{
    return make_of_key(out, form, key, NULL, revision, scratch, err);
}

lw_status lw_etcd_object_make_bookmark(lw_object **out, uint64_t revision,
                                       bool is_initial_events_end, lw_error *err)
{
    lw_buf json;
    lw_buf_init(&json, 512);
    lw_buf_append_text(&json, "{\"apiVersion\":\"" LW_ETCD_OBJECT_API_VERSION
                              "\",\"kind\":\"" LW_ETCD_OBJECT_KIND "\",\"metadata\":{");
    lw_buf_printf(&json, "\"resourceVersion\":\"%llu\"", (unsigned long long)revision);
    if (is_initial_events_end)
        lw_buf_append_text(&json, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
    lw_buf_append_text(&json, "}}");
    lw_status st = json.st;
    if (st == LW_OK)
        st = lw_object_from_json(out, json.data, json.len, err);
    else
        (void)lw_error_nomem(err);
    lw_buf_done(&json);
    return st;
}
