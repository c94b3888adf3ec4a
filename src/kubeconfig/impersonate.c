/* SPDX-License-Identifier: Apache-2.0 */
/* impersonate.c -- builds the Impersonate-* headers.
 * Invariant: no value contains a line break or another control character. */
#include "kubeconfig/user.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/field.h"

enum {
    HEADER_LIMIT = 64 * 1024, /* bytes of one header */
};

/* Returns true if |text| may be a header value: visible ASCII, spaces and bytes above ASCII (RFC
 * 9110, 5.5). */
static bool is_value(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < ' ' || c == 0x7f)
            return false;
    }
    return true;
}

/* The characters of a token (RFC 9110, 5.6.2) except '%', which is the escape character. */
static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || lw_char_is_digit(c) ||
           (c != '\0' && strchr("!#$&'*+-.^_`|~", c));
}

static void append_escaped(lw_buf *out, lw_str key)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        if (is_name_char(key.ptr[i])) {
            lw_buf_append_char(out, key.ptr[i]);
        } else {
            lw_buf_append_char(out, '%');
            lw_buf_append_char(out, digits[c >> 4]);
            lw_buf_append_char(out, digits[c & 15]);
        }
    }
}

/* Adds "<name><escaped key>: <value>". */
static lw_status add_header(lw_strings *headers, const char *name, lw_str key, lw_str value)
{
    if (!is_value(value))
        return LW_ERR_INVALID;
    lw_buf line;
    lw_buf_init(&line, HEADER_LIMIT);
    lw_buf_append_text(&line, name);
    append_escaped(&line, key);
    lw_buf_append_text(&line, ": ");
    lw_buf_append_str(&line, value);
    lw_status st = line.st;
    if (st == LW_OK)
        st = lw_strings_add_take(headers, lw_buf_take_text(&line));
    lw_buf_done(&line);
    return st;
}

/* As add_header for a field, with its error message. */
static lw_status add_field(lw_strings *headers, const char *name, lw_str key, lw_str value,
                           const lw_kube_entry *entry, const char *field, lw_error *err)
{
    lw_status st = add_header(headers, name, key, value);
    if (st == LW_ERR_INVALID)
        return lw_field_fail(entry, field, err, "contains a control character");
    if (st == LW_ERR_LIMIT)
        return lw_field_fail(entry, field, err, "is too long");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status add_groups(lw_strings *headers, const lw_kube_entry *entry, const lw_node *groups,
                            lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(groups); i++) {
        const lw_node *group = lw_node_at(groups, i);
        if (!lw_node_is(group, LW_JSON_STRING))
            return lw_field_fail(entry, "as-groups", err, "must be a list of strings");
        st = add_field(headers, "Impersonate-Group", LW_STR(""), lw_node_text(group), entry,
                       "as-groups", err);
    }
    return st;
}

static lw_status add_extra(lw_strings *headers, const lw_kube_entry *entry, lw_str key,
                           const lw_node *values, lw_error *err)
{
    static const char wanted[] = "must be an object whose values are lists of strings";
    if (!lw_node_is(values, LW_JSON_ARRAY) || key.len == 0)
        return lw_field_fail(entry, "as-user-extra", err, wanted);
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(values); i++) {
        const lw_node *value = lw_node_at(values, i);
        if (!lw_node_is(value, LW_JSON_STRING))
            return lw_field_fail(entry, "as-user-extra", err, wanted);
        st = add_field(headers, "Impersonate-Extra-", key, lw_node_text(value), entry,
                       "as-user-extra", err);
    }
    return st;
}

lw_status lw_impersonate_read(lw_strings *headers, const lw_kube_entry *entry, lw_error *err)
{
    lw_str user = { 0 };
    lw_str uid = { 0 };
    const lw_node *groups = NULL;
    const lw_node *extra = NULL;
    lw_status st = lw_field_view(entry, entry->body, "as", &user, err);
    if (st == LW_OK)
        st = lw_field_view(entry, entry->body, "as-uid", &uid, err);
    if (st == LW_OK)
        st = lw_field_array(entry, entry->body, "as-groups", &groups, err);
    if (st == LW_OK)
        st = lw_field_object(entry, entry->body, "as-user-extra", &extra, err);
    if (st < 0)
        return st;
    if (user.len == 0 && (uid.len > 0 || lw_node_count(groups) > 0 || lw_node_count(extra) > 0))
        return lw_field_fail(entry, "as", err,
                             "must be set if as-uid, as-groups or as-user-extra is set");
    if (user.len > 0)
        st = add_field(headers, "Impersonate-User", LW_STR(""), user, entry, "as", err);
    if (st == LW_OK && uid.len > 0)
        st = add_field(headers, "Impersonate-Uid", LW_STR(""), uid, entry, "as-uid", err);
    if (st == LW_OK)
        st = add_groups(headers, entry, groups, err);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(extra); i++)
        st = add_extra(headers, entry, lw_node_key_at(extra, i), lw_node_at(extra, i), err);
    return st;
}

lw_status lw_impersonate_user(lw_strings *headers, const lw_config_options *options, lw_error *err)
{
    const char *const *groups = options->impersonate_groups;
    lw_status st =
        add_header(headers, "Impersonate-User", LW_STR(""), lw_str_of(options->impersonate));
    for (; st == LW_OK && groups && *groups; groups++)
        st = add_header(headers, "Impersonate-Group", LW_STR(""), lw_str_of(*groups));
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return st < 0 ? lw_error_set(err, LW_ERR_INVALID,
                                 "options: the user or a group to impersonate contains a control "
                                 "character or is too long")
                  : LW_OK;
}
