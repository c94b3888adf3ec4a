/* SPDX-License-Identifier: Apache-2.0 */
/* object.c -- reads the metadata in the body of a request.  JSON is not parsed to a tree: the
 * metadata of an update may have kilobytes of managedFields. */
#include "server/audit/object.h"

#include "base/str.h"
#include "server/audit/body.h"
#include "json/cursor.h"
#include "json/fields.h"
#include "json/path.h"
#include "json/scan.h"
#include "json/text.h"

/* Returns the member of |object| for |raw_key|; NULL: it is of no interest. */
static lw_str *member_of(lw_audit_object *object, lw_str raw_key)
{
    if (lw_json_text_equal(raw_key, LW_STR("name")))
        return &object->name;
    if (lw_json_text_equal(raw_key, LW_STR("namespace")))
        return &object->ns;
    if (lw_json_text_equal(raw_key, LW_STR("uid")))
        return &object->uid;
    if (lw_json_text_equal(raw_key, LW_STR("resourceVersion")))
        return &object->resource_version;
    return NULL;
}

/* Decodes |*text|, a part of |metadata|, if it is escaped.  All texts fit into the room that the
 * first of them reserves, so the buffer does not move. */
static void decode(lw_audit_object *object, lw_str *text, lw_str metadata)
{
    size_t start = object->decoded.len;
    (void)lw_buf_reserve(&object->decoded, metadata.len - start);
    lw_json_append_unescaped(&object->decoded, *text);
    *text = lw_str_skip(lw_buf_view(&object->decoded), start);
}

static void read_json(lw_audit_object *object, lw_str json, bool is_valid)
{
    lw_str metadata, key;
    if ((!is_valid && lw_json_validate(json, LW_TREE_DEPTH, NULL) < 0) ||
        lw_json_path_find(json, LW_STR("/metadata"), &metadata) < 0)
        return;
    lw_json_cursor c = lw_json_cursor_on(metadata);
    if (lw_json_cursor_type(&c) != LW_JSON_OBJECT)
        return;
    lw_buf_init(&object->decoded, LW_HTTP_BODY_MAX);
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &key)) {
        bool is_escaped = false;
        lw_str *text = member_of(object, key);
        if (!text || lw_json_cursor_type(&c) != LW_JSON_STRING) {
            (void)lw_json_cursor_skip(&c);
            continue;
        }
        *text = lw_json_cursor_text(&c, &is_escaped);
        if (is_escaped)
            decode(object, text, metadata);
    }
    object->is_known = object->decoded.st == LW_OK;
}

static void read_tree(lw_audit_object *object, const lw_node *metadata)
{
    object->is_known = metadata != NULL;
    object->ns = lw_fields_text(metadata, "namespace");
    object->name = lw_fields_text(metadata, "name");
    object->uid = lw_fields_text(metadata, "uid");
    object->resource_version = lw_fields_text(metadata, "resourceVersion");
}

void lw_audit_object_read(lw_audit_object *object, const lw_http_request *request, bool is_valid)
{
    lw_audit_body body;
    if (request->body.len == 0)
        return;
    lw_audit_body_init(&body);
    lw_audit_body_of_request(&body, request);
    if (!body.is_document)
        return;
    if (body.format == LW_MEDIA_JSON)
        read_json(object, request->body, is_valid);
    else if (lw_audit_body_parse(&body, request->body, &object->tree) == LW_OK)
        read_tree(object, lw_node_get(lw_tree_root(object->tree), LW_STR("metadata")));
}

void lw_audit_object_done(lw_audit_object *object)
{
    lw_tree_free(object->tree);
    lw_buf_done(&object->decoded);
}
