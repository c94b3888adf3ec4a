/* SPDX-License-Identifier: Apache-2.0 */
/* request.c -- targets, media types and bodies of requests. */
#include "client/request.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "json/text.h"
#include "json/writer.h"

const char lw_accept_json[] = "application/json";
const char lw_accept_protobuf[] = "application/vnd.kubernetes.protobuf,application/json";
const char lw_accept_protobuf_watch[] =
    "application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch,"
    "application/json";
const char lw_accept_any[] = "*/*";
const char lw_accept_metadata[] =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const char lw_accept_metadata_list[] =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const char lw_accept_discovery[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

static bool stands_for_itself(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || lw_char_is_digit(c) || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

/* RFC 3986 2.1; a space is %20, which every server accepts. */
static void append_escaped(lw_buf *buf, lw_str value)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        char escaped[3] = { '%', digits[c >> 4], digits[c & 15] };
        if (stands_for_itself(value.ptr[i]))
            lw_buf_append_char(buf, value.ptr[i]);
        else
            lw_buf_append(buf, escaped, sizeof(escaped));
    }
}

void lw_request_append_query(lw_buf *buf, bool *has_query, const char *name, lw_str value)
{
    if (value.len == 0)
        return;
    lw_buf_append_char(buf, *has_query ? '&' : '?');
    *has_query = true;
    lw_buf_append_text(buf, name);
    lw_buf_append_char(buf, '=');
    append_escaped(buf, value);
}

static void append_text(lw_buf *buf, bool *has_query, const char *name, const char *value)
{
    lw_request_append_query(buf, has_query, name, lw_str_of(value));
}

static void append_number(lw_buf *buf, bool *has_query, const char *name, int64_t value)
{
    char text[24];
    if (value <= 0)
        return;
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    append_text(buf, has_query, name, text);
}

static void append_flag(lw_buf *buf, bool *has_query, const char *name, bool value)
{
    append_text(buf, has_query, name, value ? "true" : "");
}

lw_status lw_request_target_status(const lw_buf *buf, lw_error *err)
{
    if (buf->st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT,
                            "the path and query of the request are longer than %d bytes",
                            LW_REQUEST_TARGET_MAX);
    return buf->st < 0 ? lw_error_nomem(err) : LW_OK;
}

lw_status lw_request_append_path(lw_buf *buf, const lw_api_path *path, lw_error *err)
{
    if (lw_api_path_append(buf, path) == LW_ERR_INVALID)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "cannot make a request path from version \"%.*s\", resource \"%.*s\", namespace "
            "\"%.*s\", name \"%.*s\": a part is missing, or is \".\" or \"..\"",
            LW_STR_ARG(path->gvr.version), LW_STR_ARG(path->gvr.resource), LW_STR_ARG(path->ns),
            LW_STR_ARG(path->name));
    return lw_request_target_status(buf, err);
}

static lw_status append_collection(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                   lw_error *err)
{
    lw_api_path path = { .gvr = gvr, .ns = lw_str_of(options->ns) };
    return lw_request_append_path(buf, &path, err);
}

lw_status lw_request_append_list(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                 lw_error *err)
{
    bool has_query = false;
    lw_status st = append_collection(buf, gvr, options, err);
    if (st < 0)
        return st;
    append_text(buf, &has_query, "continue", options->continue_token);
    append_text(buf, &has_query, "fieldSelector", options->field_selector);
    append_text(buf, &has_query, "labelSelector", options->label_selector);
    append_number(buf, &has_query, "limit", options->limit);
    append_text(buf, &has_query, "resourceVersion", options->resource_version);
    append_text(buf, &has_query, "resourceVersionMatch", options->resource_version_match);
    return lw_request_target_status(buf, err);
}

lw_status lw_request_append_watch(lw_buf *buf, lw_gvr gvr, const lw_list_options *options,
                                  lw_error *err)
{
    bool has_query = false;
    lw_status st = append_collection(buf, gvr, options, err);
    if (st < 0)
        return st;
    append_flag(buf, &has_query, "allowWatchBookmarks", options->allows_bookmarks);
    append_text(buf, &has_query, "fieldSelector", options->field_selector);
    append_text(buf, &has_query, "labelSelector", options->label_selector);
    append_text(buf, &has_query, "resourceVersion", options->resource_version);
    append_text(buf, &has_query, "resourceVersionMatch", options->resource_version_match);
    append_flag(buf, &has_query, "sendInitialEvents", options->sends_initial_events);
    append_number(buf, &has_query, "timeoutSeconds", options->timeout_s);
    append_flag(buf, &has_query, "watch", true);
    return lw_request_target_status(buf, err);
}

static void write_preconditions(lw_json_writer *w, const lw_delete_options *options)
{
    lw_str uid = lw_str_of(options->uid);
    lw_str rv = lw_str_of(options->resource_version);
    if (uid.len == 0 && rv.len == 0)
        return;
    lw_json_write_key(w, LW_STR("preconditions"));
    lw_json_write_object_begin(w);
    if (rv.len > 0)
        lw_json_write_member_string(w, "resourceVersion", rv);
    if (uid.len > 0)
        lw_json_write_member_string(w, "uid", uid);
    lw_json_write_object_end(w);
}

void lw_request_append_delete_options(lw_buf *buf, const lw_delete_options *options)
{
    lw_json_writer w;
    lw_str propagation = lw_str_of(options->propagation);
    if (options->grace_period_s < 0 && propagation.len == 0 && lw_str_of(options->uid).len == 0 &&
        lw_str_of(options->resource_version).len == 0)
        return;
    lw_json_writer_init(&w, buf, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("DeleteOptions"));
    lw_json_write_member_string(&w, "apiVersion", LW_STR("v1"));
    if (options->grace_period_s >= 0)
        lw_json_write_member_int(&w, "gracePeriodSeconds", options->grace_period_s);
    write_preconditions(&w, options);
    if (propagation.len > 0)
        lw_json_write_member_string(&w, "propagationPolicy", propagation);
    lw_json_write_object_end(&w);
}

/* Appends the member at |pointer| with |value| if |obj| does not have it. */
static void append_missing(lw_buf *buf, const lw_object *obj, const char *pointer,
                           const char *value)
{
    lw_str there;
    if (value[0] == '\0' || lw_object_raw(obj, pointer, &there) != LW_ERR_NOT_FOUND)
        return;
    lw_json_append_quoted(buf, lw_str_of(pointer + 1));
    lw_buf_append_char(buf, ':');
    lw_json_append_quoted(buf, lw_str_of(value));
    lw_buf_append_char(buf, ',');
}

void lw_request_append_object(lw_buf *buf, const lw_object *obj)
{
    lw_str json = lw_str_trim(lw_object_json(obj));
    lw_str rest = lw_str_trim(lw_str_skip(json, 1));
    if (json.len == 0 && buf->st == LW_OK) /* it could not be made */
        buf->st = LW_ERR_NOMEM;
    if (rest.len > 0 && rest.ptr[0] == '}') { /* an empty object: a comma would be wrong */
        lw_buf_append_str(buf, json);
        return;
    }
    lw_buf_append_char(buf, '{');
    append_missing(buf, obj, "/apiVersion", lw_object_api_version(obj));
    append_missing(buf, obj, "/kind", lw_object_kind(obj));
    lw_buf_append_str(buf, rest);
}

const char *lw_patch_content_type(lw_patch_type type)
{
    switch (type) {
    case LW_PATCH_MERGE: return "application/merge-patch+json";
    case LW_PATCH_JSON: return "application/json-patch+json";
    case LW_PATCH_STRATEGIC: return "application/strategic-merge-patch+json";
    }
    return NULL;
}
