/* SPDX-License-Identifier: Apache-2.0 */
/* field.c -- typed access to the fields of kubeconfig, and the messages for wrong types. */
#include "kubeconfig/field.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "kubeconfig/secret.h"

lw_status lw_field_fail(const lw_kube_entry *entry, const char *field, lw_error *err,
                        const char *problem)
{
    return lw_error_set(err, LW_ERR_INVALID, "%s: %s \"%.*s\": %s %s", entry->file->path,
                        entry->what, LW_STR_ARG(entry->name), field, problem);
}

/* Gets the value of |field| if it has the |type|; NULL if it is absent. */
static lw_status field_node(const lw_kube_entry *entry, const lw_node *in, const char *field,
                            lw_json_type type, const lw_node **out, lw_error *err)
{
    static const char *const wanted[] = {
        [LW_JSON_BOOL] = "must be true or false", [LW_JSON_NUMBER] = "must be a number",
        [LW_JSON_STRING] = "must be a string",    [LW_JSON_ARRAY] = "must be a list",
        [LW_JSON_OBJECT] = "must be an object",
    };
    const lw_node *node = lw_node_get(in, lw_str_of(field));
    if (lw_node_type(node) == LW_JSON_NULL) {
        *out = NULL;
        return LW_OK;
    }
    if (!lw_node_is(node, type))
        return lw_field_fail(entry, field, err, wanted[type]);
    *out = node;
    return LW_OK;
}

lw_status lw_field_array(const lw_kube_entry *entry, const lw_node *in, const char *field,
                         const lw_node **out, lw_error *err)
{
    return field_node(entry, in, field, LW_JSON_ARRAY, out, err);
}

lw_status lw_field_object(const lw_kube_entry *entry, const lw_node *in, const char *field,
                          const lw_node **out, lw_error *err)
{
    return field_node(entry, in, field, LW_JSON_OBJECT, out, err);
}

lw_status lw_field_bool(const lw_kube_entry *entry, const lw_node *in, const char *field, bool *out,
                        lw_error *err)
{
    const lw_node *node = NULL;
    lw_status st = field_node(entry, in, field, LW_JSON_BOOL, &node, err);
    if (st == LW_OK)
        *out = lw_node_bool(node);
    return st;
}

lw_status lw_field_view(const lw_kube_entry *entry, const lw_node *in, const char *field,
                        lw_str *out, lw_error *err)
{
    const lw_node *node = NULL;
    lw_status st = field_node(entry, in, field, LW_JSON_STRING, &node, err);
    if (st < 0)
        return st;
    lw_str text = lw_node_text(node);
    /* All values become C strings: a NUL would truncate them. */
    if (text.len > 0 && memchr(text.ptr, '\0', text.len))
        return lw_field_fail(entry, field, err, "contains a NUL byte");
    *out = text;
    return LW_OK;
}

lw_status lw_field_text(const lw_kube_entry *entry, const lw_node *in, const char *field,
                        char **out, lw_error *err)
{
    lw_str text = { 0 };
    lw_status st = lw_field_view(entry, in, field, &text, err);
    if (st < 0)
        return st;
    char *copy = NULL;
    if (text.len > 0) {
        copy = lw_str_dup(text);
        if (!copy)
            return lw_error_nomem(err);
    }
    *out = copy;
    return LW_OK;
}

lw_status lw_field_file_path(const lw_kube_entry *entry, const lw_node *in, const char *field,
                             char **out, lw_error *err)
{
    lw_str text = { 0 };
    lw_status st = lw_field_view(entry, in, field, &text, err);
    if (st < 0 || text.len == 0 || text.ptr[0] == '/')
        return st < 0 ? st : lw_field_text(entry, in, field, out, err);
    if (lw_str_starts_with(text, LW_STR("./")))
        text = lw_str_skip(text, 2);
    lw_buf path;
    lw_buf_init(&path, LW_TREE_LIMIT);
    lw_buf_append_text(&path, entry->file->dir);
    lw_buf_append_char(&path, '/');
    lw_buf_append_str(&path, text);
    char *joined = lw_buf_take_text(&path);
    lw_buf_done(&path);
    if (!joined)
        return lw_error_nomem(err);
    *out = joined;
    return LW_OK;
}

lw_status lw_field_secret(const lw_kube_entry *entry, const lw_node *in, const char *field,
                          lw_buf *out, lw_error *err)
{
    lw_str text = { 0 };
    lw_status st = lw_field_view(entry, in, field, &text, err);
    if (st < 0)
        return st;
    lw_secret_append(out, text);
    if (out->st == LW_ERR_LIMIT)
        return lw_field_fail(entry, field, err, "is too long");
    return out->st < 0 ? lw_error_nomem(err) : LW_OK;
}

bool lw_pem_is_there(lw_str pem)
{
    static const char begin[] = "-----BEGIN ";
    return pem.len > 0 && memmem(pem.ptr, pem.len, begin, sizeof(begin) - 1);
}

/* Copies |text| without the line breaks that editors put into long base64. */
static void append_unbroken(lw_buf *out, lw_str text)
{
    if (lw_secret_reserve(out, text.len) < 0)
        return;
    for (size_t i = 0; i < text.len; i++) {
        if (!lw_char_is_blank(text.ptr[i]))
            out->data[out->len++] = text.ptr[i];
    }
}

static lw_status pem_decode(const lw_kube_entry *entry, const char *field, lw_str text, lw_buf *out,
                            lw_error *err)
{
    lw_buf plain;
    lw_buf_init(&plain, LW_TREE_LIMIT);
    append_unbroken(&plain, text);
    /* Reserve first: decoding must not grow the buffer and leave a copy in freed memory. */
    bool is_room = plain.st == LW_OK && lw_secret_reserve(out, text.len) == LW_OK;
    bool is_good = is_room && lw_base64_decode(out, lw_buf_view(&plain));
    lw_secret_done(&plain);
    if (out->st == LW_ERR_LIMIT)
        return lw_field_fail(entry, field, err, "is too long");
    if (!is_room || out->st < 0)
        return lw_error_nomem(err);
    if (!is_good)
        return lw_field_fail(entry, field, err, "is not valid base64");
    if (!lw_pem_is_there(lw_buf_view(out)))
        return lw_field_fail(entry, field, err, "must contain PEM data (\"-----BEGIN ...\")");
    return LW_OK;
}

lw_status lw_field_pem(const lw_kube_entry *entry, const lw_node *in, const char *field,
                       lw_buf *out, lw_error *err)
{
    lw_str text = { 0 };
    lw_status st = lw_field_view(entry, in, field, &text, err);
    return st < 0 || text.len == 0 ? st : pem_decode(entry, field, text, out, err);
}

lw_status lw_field_strings(const lw_kube_entry *entry, const lw_node *in, const char *field,
                           lw_strings *out, lw_error *err)
{
    const lw_node *array = NULL;
    lw_status st = lw_field_array(entry, in, field, &array, err);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(array); i++) {
        const lw_node *item = lw_node_at(array, i);
        lw_str text = lw_node_text(item);
        if (!lw_node_is(item, LW_JSON_STRING))
            return lw_field_fail(entry, field, err, "must be a list of strings");
        if (text.len > 0 && memchr(text.ptr, '\0', text.len))
            return lw_field_fail(entry, field, err, "contains a NUL byte");
        st = lw_strings_add(out, text);
        if (st == LW_ERR_LIMIT)
            return lw_field_fail(entry, field, err, "has too many entries");
        if (st < 0)
            return lw_error_nomem(err);
    }
    return st;
}
