/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_token_table.c -- a token file of any bytes: each token that is read can be looked up. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "server/authn/token_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_token_table *table = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_str text = lw_str_make((const char *)data, size);
    lw_status st = lw_token_table_parse(&table, text, &err);
    if (st < 0) {
        if (table || err.message[0] == '\0')
            abort(); /* a rejected file gives no table, and has a reason */
        return 0;
    }
    if (lw_token_table_find(table, lw_str_make("", 0)))
        abort(); /* an empty token would authenticate everyone */
    /* Any word of the text: if it is a token, it has a user. */
    for (size_t start = 0, end = 0; end <= size && end < 256; end++) {
        if (end < size && data[end] != ',' && data[end] != '\n')
            continue;
        const lw_authn_token *token =
            lw_token_table_find(table, lw_str_make(text.ptr + start, end - start));
        if (token && (token->user.len == 0 || token->token.len == 0))
            abort();
        start = end + 1;
    }
    lw_token_table_free(table);
    return 0;
}
