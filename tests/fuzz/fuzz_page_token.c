/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_page_token.c -- a continue token, as received and before encoding: an accepted token stays
 * within its list and is written again as an equivalent one. */
#include <stdlib.h>
#include <string.h>

#include "api/media/page_token.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "fuzz/fuzz.h"

static void check_start(lw_str start)
{
    lw_str part;
    bool has_more = true;
    if (start.len == 0 || start.ptr[0] == '/')
        abort();
    while (has_more) {
        has_more = lw_str_cut(start, '/', &part, &start);
        if (part.len == 0 || lw_str_equal(part, LW_STR("..")))
            abort();
    }
}

static void check_again(const lw_page_token *token)
{
    lw_buf text;
    lw_page_token again;
    lw_buf_init(&text, 8 * LW_PAGE_TOKEN_MAX);
    lw_page_token_write(&text, token->revision, lw_buf_view(&token->start));
    /* Escapes may make it longer than the limit. */
    if (text.st == LW_OK && text.len <= LW_PAGE_TOKEN_MAX) {
        if (lw_page_token_read(&again, lw_buf_view(&text), NULL) != LW_OK ||
            again.revision != token->revision ||
            !lw_str_equal(lw_buf_view(&again.start), lw_buf_view(&token->start)))
            abort();
        lw_page_token_done(&again);
    }
    lw_buf_done(&text);
}

static void check(lw_str text)
{
    lw_page_token token;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_page_token_read(&token, text, &err);
    if (st == LW_OK) {
        if (token.revision == 0)
            abort();
        check_start(lw_buf_view(&token.start));
        check_again(&token);
    } else if (st != LW_ERR_INVALID || strncmp(err.message, "continue key is not valid", 25) != 0) {
        abort();
    }
    lw_page_token_done(&token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str input = lw_str_make((const char *)data, size);
    lw_buf text;
    check(input);
    lw_buf_init(&text, 4 << 20);
    lw_base64url_encode(&text, input);
    if (text.st == LW_OK)
        check(lw_buf_view(&text));
    lw_buf_done(&text);
    return 0;
}
