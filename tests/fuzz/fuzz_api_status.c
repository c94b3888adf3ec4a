/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_api_status.c -- any reply of a server decodes to a failure with a message of one line, and a
 * Status that was read and written reads to the same text. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "object/api_errors.h"

static void check_error(lw_str body, int http_status)
{
    lw_error err = LW_ERROR_INIT;
    lw_str retry_after = body.len > 8 ? lw_str_make(body.ptr, 8) : body;
    lw_status st = lw_api_error_decode(body, http_status, retry_after, &err);
    if (st >= 0 || st == LW_ERR_NOMEM || err.code != st || err.message[0] == '\0')
        abort();
    for (const char *c = err.message; *c; c++) {
        if ((unsigned char)*c < 0x20)
            abort();
    }
    if (lw_api_error_decode(body, http_status, retry_after, NULL) != st)
        abort();
}

/* Writes the Status in |json| to |buf|; false: it is not a Status. */
static bool rewrite(lw_str json, lw_buf *buf)
{
    lw_tree *tree = NULL;
    lw_api_status status;
    if (lw_tree_parse(&tree, json, 0, NULL) < 0)
        return false;
    lw_json_writer w;
    lw_json_writer_init(&w, buf, LW_JSON_COMPACT);
    bool is_status = lw_api_status_from_tree(&status, lw_tree_root(tree)) == LW_OK;
    if (is_status && lw_api_status_write(&status, &w) != LW_OK)
        abort();
    lw_api_status_done(&status);
    lw_tree_free(tree);
    return is_status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int codes[] = { 0, 200, 302, 400, 404, 409, 410, 429, 500, 504 };
    lw_str body = lw_str_make((const char *)data, size);
    check_error(body, codes[size % (sizeof(codes) / sizeof(codes[0]))]);
    lw_buf first, second;
    lw_buf_init(&first, 64 << 20);
    lw_buf_init(&second, 64 << 20);
    if (rewrite(body, &first)) {
        if (!rewrite(lw_buf_view(&first), &second) ||
            !lw_str_equal(lw_buf_view(&first), lw_buf_view(&second)))
            abort();
    }
    lw_buf_done(&first);
    lw_buf_done(&second);
    return 0;
}
