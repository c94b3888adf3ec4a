/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_proto_similar.c -- JSON documents, one per line, encoded one after the other: what resembles
 * a document before is encoded as the bytes, or rejected with the error, of the plain encoder. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_similar.h"
#include "json/scan.h"

enum {
    OUT_MAX = 1 << 20,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(lw_proto_similar *similar, lw_str json)
{
    lw_buf expected, bytes;
    lw_error why = LW_ERROR_INIT, err = LW_ERROR_INIT;
    lw_buf_init(&expected, OUT_MAX);
    lw_buf_init(&bytes, OUT_MAX);
    lw_status plain = lw_proto_write_document(json, &expected, &why);
    must(lw_proto_write_similar(similar, json, &bytes, &err) == plain);
    must(strcmp(err.message, why.message) == 0);
    must(plain < 0 || lw_str_equal(lw_buf_view(&expected), lw_buf_view(&bytes)));
    lw_buf_done(&expected);
    lw_buf_done(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str rest = lw_str_make((const char *)data, size), line;
    lw_proto_similar *similar = NULL;
    must(lw_proto_similar_new(&similar) == LW_OK);
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        if (lw_json_validate(line, LW_SCAN_DEPTH_MAX, NULL) == LW_OK)
            check(similar, line);
    }
    lw_proto_similar_free(similar);
    return 0;
}
