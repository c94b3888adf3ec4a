/* SPDX-License-Identifier: Apache-2.0 */
/* body.c -- converts bodies to JSON. */
#include "server/audit/body.h"

#include <string.h>

#include "api/media/gzip.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "json/cbor/cbor.h"
#include "json/fields.h"
#include "json/scan.h"
#include "json/yaml/yaml.h"

enum {
    JSON_MAX = 32 * 1024 * 1024, /* that a body may become */
};

void lw_audit_body_init(lw_audit_body *body)
{
    *body = (lw_audit_body){ .format = LW_MEDIA_JSON };
    lw_buf_init(&body->bytes, LW_AUDIT_BODY_MAX);
}

void lw_audit_body_done(lw_audit_body *body)
{
    lw_buf_done(&body->bytes);
}

void lw_audit_body_of_request(lw_audit_body *body, const lw_http_request *request)
{
    body->is_document = true;
    switch (lw_media_body_type(request)) {
    case LW_BODY_JSON:
    case LW_BODY_JSON_PATCH:
    case LW_BODY_MERGE_PATCH:
    case LW_BODY_STRATEGIC_PATCH: body->format = LW_MEDIA_JSON; break;
    case LW_BODY_YAML:
    case LW_BODY_APPLY_PATCH: body->format = LW_MEDIA_YAML; break;
    case LW_BODY_PROTOBUF: body->format = LW_MEDIA_PROTOBUF; break;
    case LW_BODY_CBOR:
    case LW_BODY_APPLY_PATCH_CBOR: body->format = LW_MEDIA_CBOR; break;
    case LW_BODY_UNKNOWN: body->is_document = false; break;
    }
}

void lw_audit_body_of_reply(lw_audit_body *body, const lw_http_reply *reply)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        const lw_http_header *h = &reply->headers[i];
        if (lw_http_name_is(h->name, LW_STR("content-encoding"))) {
            body->is_gzip = lw_str_equal(h->value, LW_STR("gzip"));
        } else if (lw_http_name_is(h->name, LW_STR("content-type"))) {
            body->is_document = true;
            if (lw_str_starts_with(h->value, LW_STR("application/json")))
                body->format = LW_MEDIA_JSON;
            else if (lw_str_starts_with(h->value, LW_STR("application/yaml")))
                body->format = LW_MEDIA_YAML;
            else if (lw_str_starts_with(h->value, LW_STR("application/vnd.kubernetes.protobuf")))
                body->format = LW_MEDIA_PROTOBUF;
            else if (lw_str_equal(h->value, LW_STR("application/cbor")))
                body->format = LW_MEDIA_CBOR;
            else
                body->is_document = false;
        }
    }
}

bool lw_audit_body_is_shown(const lw_audit_body *body)
{
    return body->is_document && body->bytes.len > 0 && body->bytes.st == LW_OK;
}

static lw_status parse_yaml(lw_str bytes, lw_tree **out)
{
    lw_yaml_reader *reader = NULL;
    lw_status st = lw_yaml_reader_new(&reader, bytes);
    if (st == LW_OK)
        st = lw_yaml_reader_next(reader, JSON_MAX, out, NULL);
    lw_yaml_reader_free(reader);
    return st == LW_OK && !*out ? LW_ERR_SYNTAX : st;
}

static lw_status read_protobuf(lw_str bytes, lw_buf *json)
{
    lw_proto_document document;
    lw_status st = lw_proto_open(bytes, &document, NULL);
    const lw_type *type = st == LW_OK ? lw_proto_type(document.api_version, document.kind) : NULL;
    if (st < 0 || !type)
        return LW_ERR_SYNTAX;
    return lw_proto_read(type, &document, document.message, json, NULL);
}

lw_status lw_audit_body_parse(const lw_audit_body *body, lw_str bytes, lw_tree **out)
{
    lw_buf json;
    if (body->format == LW_MEDIA_YAML)
        return parse_yaml(bytes, out);
    if (body->format == LW_MEDIA_JSON)
        return lw_tree_parse(out, bytes, JSON_MAX, NULL);
    if (body->format == LW_MEDIA_CBOR)
        return lw_cbor_read(out, bytes, JSON_MAX, NULL, NULL);
    lw_buf_init(&json, JSON_MAX);
    lw_status st = read_protobuf(bytes, &json);
    if (st == LW_OK)
        st = lw_tree_parse(out, lw_buf_view(&json), JSON_MAX, NULL);
    lw_buf_done(&json);
    return st;
}

static void omit(lw_node *object)
{
    lw_fields_remove(lw_node_get(object, LW_STR("metadata")), "managedFields");
}

/* Also of the items of a list and the rows of a table. */
static void omit_managed_fields(lw_node *root)
{
    const lw_node *items = lw_node_get(root, LW_STR("items"));
    const lw_node *rows = lw_node_get(root, LW_STR("rows"));
    if (!lw_node_is(root, LW_JSON_OBJECT))
        return;
    omit(root);
    for (size_t i = 0; lw_node_is(items, LW_JSON_ARRAY) && i < lw_node_count(items); i++)
        omit(lw_node_at(items, i));
    for (size_t i = 0; lw_node_is(rows, LW_JSON_ARRAY) && i < lw_node_count(rows); i++)
        omit(lw_node_get(lw_node_at(rows, i), LW_STR("object")));
}

static lw_status write_tree(const lw_audit_body *body, lw_str bytes, bool omits, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    lw_status st = lw_audit_body_parse(body, bytes, &tree);
    if (st < 0)
        return st;
    if (omits)
        omit_managed_fields(lw_tree_root(tree));
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_tree_free(tree);
    return lw_json_writer_status(&w);
}

static lw_status write_bytes(const lw_audit_body *body, lw_str bytes, bool omits, lw_buf *out)
{
    if (body->format == LW_MEDIA_CBOR)
        return write_tree(body, bytes, omits, out);
    bytes = lw_str_trim(bytes);
    bool is_line =
        bytes.len > 0 && !memchr(bytes.ptr, '\n', bytes.len) && !memchr(bytes.ptr, '\r', bytes.len);
    if (body->format == LW_MEDIA_PROTOBUF && !omits)
        return read_protobuf(bytes, out);
    if (omits || body->format != LW_MEDIA_JSON || !is_line)
        return write_tree(body, bytes, omits, out);
    lw_status st = lw_json_validate(bytes, LW_TREE_DEPTH, NULL);
    if (st == LW_OK)
        lw_buf_append_str(out, bytes);
    return st == LW_OK ? out->st : st;
}

lw_status lw_audit_body_write(const lw_audit_body *body, bool omits_managed_fields, lw_buf *out)
{
    lw_buf expanded;
    size_t before = out->len;
    lw_str bytes = lw_buf_view(&body->bytes);
    lw_status st = LW_OK;
    lw_buf_init(&expanded, JSON_MAX);
    if (body->is_gzip) {
        st = lw_gzip_expand(bytes, &expanded);
        bytes = lw_buf_view(&expanded);
    }
    if (st == LW_OK)
        st = write_bytes(body, bytes, omits_managed_fields, out);
    lw_buf_done(&expanded);
    if (st < 0) {
        out->st = LW_OK;
        lw_buf_truncate(out, before);
    }
    return st;
}
