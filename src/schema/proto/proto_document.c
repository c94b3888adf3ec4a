/* SPDX-License-Identifier: Apache-2.0 */
/* proto_document.c -- encodes a JSON document of any kind, in an envelope. */
#include "schema/proto/proto.h"

#include "base/error.h"
#include "base/str.h"
#include "schema/proto/proto_wire.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    NAME_MAX_BYTES = 1024, /* limit of the decoded kind and apiVersion */
};

/* Finds the kind and apiVersion of |json|, decoded into |text|. */
static void find_names(lw_str json, lw_buf *text, lw_proto_document *names)
{
    lw_json_cursor at = lw_json_cursor_on(json);
    lw_str raw_key;
    if (lw_json_cursor_type(&at) != LW_JSON_OBJECT)
        return;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_member(&at, &raw_key)) {
        bool is_kind = lw_str_equal(raw_key, LW_STR("kind"));
        bool is_wanted = is_kind || lw_str_equal(raw_key, LW_STR("apiVersion"));
        if (!is_wanted || lw_json_cursor_type(&at) != LW_JSON_STRING) {
            (void)lw_json_cursor_skip(&at);
            continue;
        }
        size_t before = text->len;
        lw_json_append_unescaped(text, lw_json_cursor_string(&at));
        *(is_kind ? &names->kind : &names->api_version) = lw_str_skip(lw_buf_view(text), before);
        if (names->kind.len > 0 && names->api_version.len > 0)
            return;
    }
}

lw_status lw_proto_write_document(lw_str json, lw_buf *out, lw_error *err)
{
    char room[NAME_MAX_BYTES];
    lw_buf text = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    lw_proto_document names = { .kind = LW_STR("") };
    find_names(json, &text, &names);
    /* The discovery documents of the core group have no apiVersion. */
    lw_str version = names.api_version.len > 0 ? names.api_version : LW_STR("v1");
    const lw_type *type = text.st == LW_OK ? lw_proto_type(version, names.kind) : NULL;
    if (!type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED,
                            "%.*s in %.*s has no protobuf encoding: use application/json",
                            LW_STR_ARG(names.kind), LW_STR_ARG(names.api_version));
    lw_proto_envelope_begin(out, names.api_version, names.kind, 0);
    /* The length was written as one byte; lw_proto_end makes room for more. */
    size_t begun = out->len;
    lw_status st = lw_proto_write(type, json, out, err);
    if (st < 0)
        return st;
    lw_proto_end(out, begun);
    lw_proto_envelope_end(out);
    return out->st < 0
               ? lw_error_set(
                     err, out->st,
                     "cannot write the protobuf message: out of memory or over the size limit")
               : LW_OK;
}
