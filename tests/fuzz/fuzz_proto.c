/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_proto.c -- any bytes as protobuf: as an envelope, and as messages of pods and of
 * CustomResourceDefinitions, which are recursive.  The result of reading is valid JSON; it can be
 * written as protobuf, and then round-trips unchanged. */
#include <stdlib.h>

#include "base/str.h"
#include "schema/proto/proto.h"
#include "json/scan.h"

enum {
    OUT_MAX = 1 << 20,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Appends the result of a round trip of |json|. */
static void go_round(const lw_type *type, const lw_proto_document *head, lw_str json, lw_buf *back)
{
    lw_buf bytes;
    lw_buf_init(&bytes, 4 * OUT_MAX);
    must(lw_proto_write(type, json, &bytes, NULL) == LW_OK);
    must(lw_proto_read(type, head, lw_buf_view(&bytes), back, NULL) == LW_OK);
    lw_buf_done(&bytes);
}

/* The first round trip replaces bytes that are not UTF-8. */
static void check_comes_back(const lw_type *type, const lw_proto_document *head, lw_str json)
{
    lw_buf first, second;
    lw_buf_init(&first, 4 * OUT_MAX);
    lw_buf_init(&second, 4 * OUT_MAX);
    go_round(type, head, json, &first);
    go_round(type, head, lw_buf_view(&first), &second);
    must(lw_str_equal(lw_buf_view(&first), lw_buf_view(&second)));
    lw_buf_done(&first);
    lw_buf_done(&second);
}

static void check_message(const lw_type *type, const lw_proto_document *head, lw_str message)
{
    lw_buf json;
    lw_buf_init(&json, OUT_MAX);
    if (lw_proto_read(type, head, message, &json, NULL) == LW_OK) {
        lw_status st = lw_json_validate(lw_buf_view(&json), LW_SCAN_DEPTH_MAX, NULL);
        must(st == LW_OK || st == LW_ERR_LIMIT); /* nested JSON may be deep too */
        if (st == LW_OK)
            check_comes_back(type, head, lw_buf_view(&json));
    }
    lw_buf_done(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str bytes = lw_str_make((const char *)data, size);
    lw_proto_document document;
    if (lw_proto_open(bytes, &document, NULL) == LW_OK) {
        const lw_type *type = lw_proto_type(document.api_version, document.kind);
        if (type)
            check_message(type, &document, document.message);
        return 0;
    }
    check_message(lw_proto_type(LW_STR("v1"), LW_STR("Pod")), NULL, bytes);
    check_message(lw_proto_type(LW_STR("apiextensions.k8s.io/v1"),
                                LW_STR("CustomResourceDefinition")),
                  NULL, bytes);
    return 0;
}
