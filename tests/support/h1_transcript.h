/* SPDX-License-Identifier: Apache-2.0 */
/* h1_transcript.h -- the events of the HTTP/1.1 parser as text.  An input must give the same text
 * however it is split. */
#ifndef LW_TESTS_SUPPORT_H1_TRANSCRIPT_H
#define LW_TESTS_SUPPORT_H1_TRANSCRIPT_H

#include "base/str.h"
#include "net/h1/h1_parse.h"

enum {
    H1_TRANSCRIPT_MAX = 1 << 24,
};

static inline void h1_transcript_head(lw_buf *out, const lw_h1_head *head)
{
    if (head->status != 0)
        lw_buf_printf(out, "%d 1.%u", head->status, head->version_minor);
    else
        lw_buf_printf(out, "%.*s %.*s ? %.*s 1.%u", LW_STR_ARG(head->method),
                      LW_STR_ARG(head->path), LW_STR_ARG(head->query), head->version_minor);
    for (size_t i = 0; i < head->header_count; i++)
        lw_buf_printf(out, " (%.*s=%.*s)", LW_STR_ARG(head->headers[i].name),
                      LW_STR_ARG(head->headers[i].value));
    if (head->is_chunked)
        lw_buf_append_text(out, " chunked");
    if (head->content_length > 0)
        lw_buf_printf(out, " length=%llu", (unsigned long long)head->content_length);
    if (head->runs_to_end)
        lw_buf_append_text(out, " to the end");
    if (!head->keeps_alive)
        lw_buf_append_text(out, " close");
    if (head->expects_continue)
        lw_buf_append_text(out, " continue");
    if (head->asks_for_websocket)
        lw_buf_append_text(out, " websocket");
    lw_buf_append_text(out, "\n");
}

/* Appends one event; pieces of a body are joined, because they may be split anywhere. */
static inline void h1_transcript_event(lw_buf *out, const lw_h1_parser *parser, lw_h1_event event,
                                       const lw_h1_head *head, lw_str body)
{
    switch (event) {
    case LW_H1_MORE: break;
    case LW_H1_HEAD: h1_transcript_head(out, head); break;
    case LW_H1_BODY: lw_buf_append_str(out, body); break;
    case LW_H1_END: lw_buf_append_text(out, "\nend\n"); break;
    case LW_H1_REFUSED:
        lw_buf_printf(out, "\nrefused %d %s\n", parser->refusal_status, parser->refusal);
        break;
    case LW_H1_NO_MEMORY: lw_buf_append_text(out, "\nno memory\n"); break;
    }
}

/* Feeds |piece|; false: the parser has failed. */
static inline bool h1_transcript_feed(lw_buf *out, lw_h1_parser *parser, lw_str piece)
{
    lw_h1_head head;
    lw_h1_event event;
    do {
        lw_str body = { NULL, 0 };
        event = lw_h1_parser_next(parser, &piece, &head, &body);
        h1_transcript_event(out, parser, event, &head, body);
        if (event == LW_H1_REFUSED || event == LW_H1_NO_MEMORY)
            return false;
    } while (event != LW_H1_MORE);
    return true;
}

/* Feeds |input|, split at |first| and then every |step| bytes (0: no further); false: the parser
 * has failed. */
static inline bool h1_transcript_split(lw_buf *out, lw_h1_parser *parser, lw_str input,
                                       size_t first, size_t step)
{
    size_t len = first < input.len ? first : input.len;
    do {
        if (!h1_transcript_feed(out, parser, lw_str_make(input.ptr, len)))
            return false;
        input = lw_str_skip(input, len);
        len = step > 0 && step < input.len ? step : input.len;
    } while (input.len > 0);
    return true;
}

/* Writes the transcript of the requests |input|, split in this way. */
static inline void h1_transcript(lw_buf *out, lw_str input, size_t first, size_t step)
{
    lw_h1_parser parser;
    lw_h1_parser_init(&parser);
    (void)h1_transcript_split(out, &parser, input, first, step);
    lw_h1_parser_done(&parser);
}

/* The same for replies, after which the server closes the connection. */
static inline void h1_transcript_replies(lw_buf *out, lw_str input, bool answers_head, size_t first,
                                         size_t step)
{
    lw_h1_parser parser;
    lw_h1_head head = { .status = 0 };
    lw_h1_parser_init_reply(&parser);
    parser.answers_head = answers_head;
    if (h1_transcript_split(out, &parser, input, first, step) && !lw_h1_parser_is_idle(&parser))
        h1_transcript_event(out, &parser, lw_h1_parser_finish(&parser), &head,
                            lw_str_make(NULL, 0));
    lw_h1_parser_done(&parser);
}

#endif
