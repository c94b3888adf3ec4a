/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_h1_reply.c -- HTTP/1.1 replies of another server: the first byte selects how the rest is
 * split, the second whether it answers HEAD.  The parser gives the same result for all splits, and
 * reports no more bytes than it was given. */
#include <stdlib.h>

#include "support/h1_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* No reply reports more body than there were bytes, and HEAD none at all. */
static void check_lengths(lw_str input, bool answers_head)
{
    lw_h1_parser parser;
    lw_h1_head head;
    lw_h1_event event = LW_H1_END;
    size_t total = 0, len = input.len;
    lw_h1_parser_init_reply(&parser);
    parser.answers_head = answers_head;
    while (event != LW_H1_MORE && event != LW_H1_REFUSED && event != LW_H1_NO_MEMORY) {
        lw_str body = { NULL, 0 };
        event = lw_h1_parser_next(&parser, &input, &head, &body);
        total += body.len;
        must(event != LW_H1_HEAD || (head.status >= 100 && head.status <= 599));
        must(event != LW_H1_HEAD || head.header_count <= LW_HTTP_HEADERS_MAX);
    }
    must(total <= len && (total == 0 || !answers_head));
    lw_h1_parser_done(&parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t step = data[0] ? data[0] : 1;
    bool answers_head = data[1] == 'H';
    lw_str input = lw_str_make((const char *)data + 2, size - 2);
    lw_buf whole, cut;
    lw_buf_init(&whole, H1_TRANSCRIPT_MAX);
    lw_buf_init(&cut, H1_TRANSCRIPT_MAX);
    h1_transcript_replies(&whole, input, answers_head, input.len, 0);
    h1_transcript_replies(&cut, input, answers_head, step, step);
    must(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    lw_buf_done(&whole);
    lw_buf_done(&cut);
    check_lengths(input, answers_head);
    return 0;
}
