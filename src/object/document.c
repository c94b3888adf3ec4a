/* SPDX-License-Identifier: Apache-2.0 */
/* document.c -- the editable document of the public API: a tree, and pointers into it.
 *
 * All returned values are in the memory of the tree.  The remembered failure is that of the tree,
 * or one of a pointer or text that the tree does not know. */
#include <listwatch/document.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"
#include "json/node.h"
#include "json/path.h"
#include "json/text.h"
#include "json/tree.h"

enum {
    SEGMENT_MAX = 64 * 1024, /* bytes of one segment of a pointer */
    POINTER_SIZE = 256,      /* bytes of a pointer that a message shows */
    BODY_MAX = 1 << 30,      /* bytes of the JSON of an object */
};

struct lw_document {
    lw_tree *tree;
    lw_status st;              /* the first failure of a pointer or a text */
    char failed[POINTER_SIZE]; /* the pointer that it concerns, as much of it as fits */
};

static lw_status document_wrap(lw_document **out, lw_tree *tree, lw_error *err)
{
    lw_document *doc = lw_alloc_zero(1, sizeof(*doc));
    if (!doc) {
        lw_tree_free(tree);
        return lw_error_nomem(err);
    }
    doc->tree = tree;
    *out = doc;
    return LW_OK;
}

lw_status lw_document_new(lw_document **out, lw_error *err)
{
    return lw_document_from_json(out, "{}", 2, err);
}

lw_status lw_document_from_json(lw_document **out, const char *json, size_t len, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_str_make(json, len), 0, err);
    return st < 0 ? st : document_wrap(out, tree, err);
}

/* JSON that has to be made is not kept with the object. */
static lw_status document_from_body(lw_document **out, const lw_object *obj, lw_error *err)
{
    lw_buf json;
    if (!obj->is_message)
        return lw_document_from_json(out, lw_object_json(obj).ptr, lw_object_json(obj).len, err);
    lw_buf_init(&json, BODY_MAX);
    lw_status st = lw_object__append_json(obj, &json);
    st = st < 0 ? lw_object__error(err, st) : lw_document_from_json(out, json.data, json.len, err);
    lw_buf_done(&json);
    return st;
}

lw_status lw_document_from_object(lw_document **out, const lw_object *obj, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = document_from_body(&doc, obj, err);
    if (st < 0)
        return st;
    /* Items of a typed list do not have them. */
    if (!lw_document_find(doc, NULL, "/apiVersion") && lw_object_api_version(obj)[0] != '\0')
        (void)lw_document_set_string(doc, NULL, "/apiVersion", lw_object_api_version(obj));
    if (!lw_document_find(doc, NULL, "/kind") && lw_object_kind(obj)[0] != '\0')
        (void)lw_document_set_string(doc, NULL, "/kind", lw_object_kind(obj));
    *out = doc;
    return LW_OK;
}

void lw_document_free(lw_document *doc)
{
    if (!doc)
        return;
    lw_tree_free(doc->tree);
    lw_free(doc);
}

lw_status lw_document_status(const lw_document *doc)
{
    return doc->st < 0 ? doc->st : lw_tree_status(doc->tree);
}

static void document_fail(lw_document *doc, lw_status st, lw_str pointer)
{
    if (doc->st < 0)
        return;
    doc->st = st;
    lw_error_copy_text(doc->failed, sizeof(doc->failed), pointer.ptr, pointer.len);
}

/* Returns the member or element with the escaped |segment|, or NULL.  Failures are in |*st|. */
static lw_node *step(const lw_node *at, lw_str segment, lw_status *st)
{
    size_t index;
    if (lw_node_is(at, LW_JSON_ARRAY))
        return lw_json_path_index(segment, &index) ? lw_node_at(at, index) : NULL;
    if (!lw_node_is(at, LW_JSON_OBJECT))
        return NULL;
    if (!memchr(segment.ptr ? segment.ptr : "", '~', segment.len))
        return lw_node_get(at, segment);
    lw_buf key;
    lw_buf_init(&key, SEGMENT_MAX);
    lw_json_path_append_decoded(&key, segment);
    lw_node *found = key.st == LW_OK ? lw_node_get(at, lw_buf_view(&key)) : NULL;
    *st = key.st;
    lw_buf_done(&key);
    return found;
}

lw_value *lw_document_find(const lw_document *doc, const lw_value *from, const char *pointer)
{
    lw_str rest = lw_str_of(pointer), segment;
    const lw_node *at = from ? from : lw_tree_root(doc->tree);
    lw_status st = lw_json_path_check(rest);
    while (st == LW_OK && at && lw_json_path_next(&rest, &segment))
        at = step(at, segment, &st);
    return st == LW_OK ? (lw_node *)(uintptr_t)at : NULL;
}

const char *lw_document_string(lw_document *doc, const lw_value *from, const char *pointer,
                               const char *fallback)
{
    const lw_node *found = lw_document_find(doc, from, pointer);
    if (!lw_node_is(found, LW_JSON_STRING))
        return fallback;
    lw_str text = lw_node_text(found);
    char *copy = lw_tree__alloc(doc->tree, text.len + 1, 1);
    if (!copy)
        return fallback;
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

int64_t lw_document_int(const lw_document *doc, const lw_value *from, const char *pointer,
                        int64_t fallback)
{
    int64_t value;
    return lw_node_int64(lw_document_find(doc, from, pointer), &value) ? value : fallback;
}

bool lw_document_bool(const lw_document *doc, const lw_value *from, const char *pointer,
                      bool fallback)
{
    const lw_node *found = lw_document_find(doc, from, pointer);
    return lw_node_is(found, LW_JSON_BOOL) ? lw_node_bool(found) : fallback;
}

size_t lw_document_count(const lw_value *value)
{
    return lw_node_count(value);
}

lw_value *lw_document_item(const lw_value *value, size_t index)
{
    return index < lw_node_count(value) ? lw_node_at(value, index) : NULL;
}

lw_str lw_document_key(const lw_value *value, size_t index)
{
    bool is_member = lw_node_is(value, LW_JSON_OBJECT) && index < lw_node_count(value);
    return is_member ? lw_node_key_at(value, index) : LW_STR("");
}

bool lw_document_equal(const lw_value *a, const lw_value *b)
{
    return lw_node_equal(a, b);
}

/* Puts |value| into |at| at the escaped |segment|. */
static lw_status place(lw_tree *tree, lw_node *at, lw_str segment, lw_node *value)
{
    size_t index = lw_node_count(at);
    if (lw_node_is(at, LW_JSON_ARRAY)) {
        bool is_last = lw_str_equal(segment, LW_STR("-"));
        if (!is_last && (!lw_json_path_index(segment, &index) || index > lw_node_count(at)))
            return LW_ERR_INVALID;
        if (index < lw_node_count(at))
            lw_node_set_at(at, index, value);
        else
            lw_node_append(tree, at, value);
        return LW_OK;
    }
    if (!lw_node_is(at, LW_JSON_OBJECT))
        return LW_ERR_INVALID;
    lw_buf key;
    lw_buf_init(&key, SEGMENT_MAX);
    lw_json_path_append_decoded(&key, segment);
    lw_status st = key.st;
    if (st == LW_OK)
        lw_node_put(tree, at, lw_buf_view(&key), value);
    lw_buf_done(&key);
    return st;
}

/* Moves to the container at |segment|; makes it if there is none (or null). */
static lw_status make_step(lw_tree *tree, lw_node **at, lw_str segment, lw_str rest)
{
    lw_status st = LW_OK;
    lw_node *next = step(*at, segment, &st);
    if (st == LW_OK && (!next || lw_node_is(next, LW_JSON_NULL))) {
        bool is_array =
            lw_str_equal(rest, LW_STR("/-")) || (rest.len > 2 && memcmp(rest.ptr, "/-/", 3) == 0);
        next = is_array ? lw_tree_array(tree) : lw_tree_object(tree);
        st = next ? place(tree, *at, segment, next) : LW_OK;
    }
    *at = next;
    return st;
}

/* Puts |value|, a detached node of the tree, at |pointer|. */
static lw_value *document_set(lw_document *doc, lw_value *from, const char *pointer, lw_node *value)
{
    lw_str rest = lw_str_of(pointer), segment;
    lw_node *at = from ? from : lw_tree_root(doc->tree);
    if (lw_document_status(doc) < 0 || !value)
        return NULL;
    lw_status st = rest.len == 0 && from ? LW_ERR_INVALID : lw_json_path_check(rest);
    if (st == LW_OK && rest.len == 0) {
        lw_tree_set_root(doc->tree, value);
        return value;
    }
    while (st == LW_OK && at && lw_json_path_next(&rest, &segment)) {
        if (rest.len == 0)
            st = place(doc->tree, at, segment, value);
        else
            st = make_step(doc->tree, &at, segment, rest);
    }
    if (st < 0)
        document_fail(doc, st, lw_str_of(pointer));
    return lw_document_status(doc) < 0 ? NULL : value;
}

lw_value *lw_document_set_string(lw_document *doc, lw_value *from, const char *pointer,
                                 const char *text)
{
    return document_set(doc, from, pointer, lw_tree_string(doc->tree, lw_str_of(text)));
}

lw_value *lw_document_set_int(lw_document *doc, lw_value *from, const char *pointer, int64_t value)
{
    return document_set(doc, from, pointer, lw_tree_int(doc->tree, value));
}

lw_value *lw_document_set_bool(lw_document *doc, lw_value *from, const char *pointer, bool value)
{
    return document_set(doc, from, pointer, lw_tree_bool(doc->tree, value));
}

lw_value *lw_document_set_null(lw_document *doc, lw_value *from, const char *pointer)
{
    return document_set(doc, from, pointer, lw_tree_null(doc->tree));
}

lw_value *lw_document_set_object(lw_document *doc, lw_value *from, const char *pointer)
{
    return document_set(doc, from, pointer, lw_tree_object(doc->tree));
}

lw_value *lw_document_set_array(lw_document *doc, lw_value *from, const char *pointer)
{
    return document_set(doc, from, pointer, lw_tree_array(doc->tree));
}

lw_value *lw_document_set_copy(lw_document *doc, lw_value *from, const char *pointer,
                               const lw_value *value)
{
    return value ? document_set(doc, from, pointer, lw_tree_copy(doc->tree, value)) : NULL;
}

lw_value *lw_document_set_json(lw_document *doc, lw_value *from, const char *pointer, lw_str json)
{
    lw_node *value = NULL;
    lw_status st = lw_tree_parse_node(doc->tree, json, &value, NULL);
    if (st < 0)
        document_fail(doc, st, lw_str_of(pointer));
    return document_set(doc, from, pointer, value);
}

lw_value *lw_document_put(lw_document *doc, lw_value *object, lw_str key, const lw_value *value)
{
    if (lw_document_status(doc) < 0 || !object)
        return NULL;
    if (!lw_node_is(object, LW_JSON_OBJECT)) {
        document_fail(doc, LW_ERR_INVALID, key);
        return NULL;
    }
    lw_node *copy = value ? lw_tree_copy(doc->tree, value) : lw_tree_null(doc->tree);
    lw_node_put(doc->tree, object, key, copy);
    return lw_document_status(doc) < 0 ? NULL : copy;
}

bool lw_document_remove(lw_document *doc, lw_value *from, const char *pointer)
{
    lw_str rest = lw_str_of(pointer), segment = LW_STR("");
    lw_node *at = from ? from : lw_tree_root(doc->tree), *parent = NULL;
    lw_status st = lw_json_path_check(rest);
    while (st == LW_OK && at && lw_json_path_next(&rest, &segment)) {
        parent = at;
        at = step(at, segment, &st);
    }
    if (st < 0)
        document_fail(doc, st, lw_str_of(pointer));
    if (st < 0 || !at || !parent || lw_document_status(doc) < 0)
        return false;
    for (size_t i = 0; i < lw_node_count(parent); i++) {
        if (lw_node_at(parent, i) != at)
            continue;
        if (lw_node_is(parent, LW_JSON_ARRAY))
            lw_node_remove_at(parent, i);
        else
            (void)lw_node_remove(parent, lw_node_key_at(parent, i));
        return true;
    }
    return false;
}

/* Sets |err| to the failure |st| of the document, or of writing it, and returns |st|. */
static lw_status document_report(const lw_document *doc, lw_status st, lw_error *err)
{
    switch (st) {
    case LW_ERR_NOMEM: return lw_error_nomem(err);
    case LW_ERR_LIMIT:
        return lw_error_set(err, st, "the document is too large or nested too deeply");
    case LW_ERR_SYNTAX:
        return lw_error_set(err, st, "the JSON text that was set at \"%s\" is malformed",
                            doc->failed);
    default:
        return lw_error_set(err, st,
                            "\"%s\" is not a valid JSON Pointer, or a value on its path is neither "
                            "an object nor an array",
                            doc->failed);
    }
}

lw_status lw_document_json(lw_document *doc, const lw_value *from, lw_str *out, lw_error *err)
{
    lw_json_writer w;
    lw_buf text;
    lw_status st = lw_document_status(doc);
    if (st < 0)
        return document_report(doc, st, err);
    lw_buf_init(&text, LW_TREE_LIMIT);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(from ? from : lw_tree_root(doc->tree), &w);
    st = lw_json_writer_status(&w);
    char *copy = st == LW_OK ? lw_tree__alloc(doc->tree, text.len + 1, 1) : NULL;
    if (copy) {
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
        *out = lw_str_make(copy, text.len);
    } else if (st == LW_OK) {
        st = lw_tree_status(doc->tree);
    }
    lw_buf_done(&text);
    return st < 0 ? document_report(doc, st, err) : LW_OK;
}

lw_status lw_document_to_object(lw_document *doc, lw_object **out, lw_error *err)
{
    lw_str json;
    lw_status st = lw_document_json(doc, NULL, &json, err);
    return st < 0 ? st : lw_object_from_json(out, json.ptr, json.len, err);
}
