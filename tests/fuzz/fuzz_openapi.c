/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_openapi.c -- schemas of custom resources as OpenAPI models: for any definition the output is
 * valid JSON in both versions, and protobuf with correct lengths.
 *
 * The input is the schema. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/openapi/openapi_custom.h"
#include "schema/openapi/openapi_proto.h"
#include "json/scan.h"

enum {
    DOCUMENT_MAX = 16 * 1024 * 1024,
    JSON_DEPTH = 600, /* depth of a tree, and what encloses it */
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
};

static uint64_t take_varint(lw_str *rest)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (rest->len == 0)
            abort();
        unsigned char byte = (unsigned char)rest->ptr[0];
        *rest = lw_str_skip(*rest, 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    abort();
}

/* Checks that every field of |message| is complete. */
static void check_message(lw_str message)
{
    while (message.len > 0) {
        uint64_t tag = take_varint(&message);
        uint64_t len = 0;
        if ((tag & 7) == WIRE_VARINT)
            (void)take_varint(&message);
        else if ((tag & 7) == WIRE_FIXED64)
            len = 8;
        else if ((tag & 7) == WIRE_BYTES)
            len = take_varint(&message);
        else
            abort();
        if (len > message.len)
            abort();
        message = lw_str_skip(message, (size_t)len);
    }
}

static void write_document(const lw_kind *kind, lw_openapi_dialect dialect, lw_buf *out)
{
    lw_json_writer w;
    lw_openapi_writer o;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_openapi_writer_init(&o, dialect, &w);
    lw_json_write_object_begin(&w);
    lw_json_write_key(&w, LW_STR("definitions"));
    lw_json_write_object_begin(&w);
    lw_openapi_write_custom(&o, kind);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    lw_openapi_writer_done(&o);
    if (lw_json_writer_status(&w) == LW_OK &&
        lw_json_validate(lw_buf_view(out), JSON_DEPTH, NULL) < 0)
        abort();
}

static void use(const lw_kind *kind)
{
    lw_buf json, proto;
    lw_buf_init(&json, DOCUMENT_MAX);
    lw_buf_init(&proto, DOCUMENT_MAX);
    write_document(kind, LW_OPENAPI_3, &json);
    lw_buf_reset(&json);
    write_document(kind, LW_OPENAPI_2, &json);
    if (json.st == LW_OK && lw_openapi_append_proto(lw_buf_view(&json), &proto) == LW_OK)
        check_message(lw_buf_view(&proto));
    lw_buf_done(&proto);
    lw_buf_done(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_buf json;
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    size_t count;
    lw_buf_init(&json, DOCUMENT_MAX);
    lw_buf_append_text(&json, "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\","
                              "\"names\":{\"plural\":\"a\",\"kind\":\"A\",\"listKind\":\"AList\"},"
                              "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
                              "\"schema\":{\"openAPIV3Schema\":");
    lw_buf_append(&json, data, size);
    lw_buf_append_text(&json, "}}]}}");
    if (json.st == LW_OK && lw_object_from_json(&crd, json.data, json.len, NULL) == LW_OK &&
        lw_definition_new(&definition, crd, NULL) == LW_OK) {
        const lw_custom *versions = lw_definition_served(definition, &count);
        for (size_t i = 0; i < count; i++)
            use(&versions[i].kind);
    }
    lw_definition_unref(definition);
    lw_object_unref(crd);
    lw_buf_done(&json);
    return 0;
}
