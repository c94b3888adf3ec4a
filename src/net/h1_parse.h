/* SPDX-License-Identifier: Apache-2.0 */
/* h1_parse.h -- a strict parser of HTTP/1.1 requests (RFC 9112): bytes in; heads, bodies and ends
 * out, the same however the bytes are cut.
 *
 * Where RFC 9112 lets a server be lenient, this one is not: what two readers could understand in
 * two ways is refused, and after a refusal nothing more is read. */
#ifndef LW_NET_H1_PARSE_H
#define LW_NET_H1_PARSE_H

#include "base/buf.h"
#include "net/http.h"

typedef enum lw_h1_event {
    LW_H1_MORE,      /* all bytes are taken, the next ones are wanted */
    LW_H1_HEAD,      /* a head is whole */
    LW_H1_BODY,      /* a piece of the body, without the chunks' framing */
    LW_H1_END,       /* the request is whole */
    LW_H1_REFUSED,   /* answer with refusal_status and close; for ever */
    LW_H1_NO_MEMORY, /* close; for ever */
} lw_h1_event;

/* What the head says.  Views are of the bytes as they came, and die with the next call. */
typedef struct lw_h1_head {
    lw_str method, path, query;
    unsigned version_minor; /* 0 or 1 */
    lw_http_header headers[LW_HTTP_HEADERS_MAX];
    size_t header_count;
    lw_str bytes;            /* request line and header lines: what the views point into */
    uint64_t content_length; /* 0 when is_chunked */
    bool is_chunked;
    bool keeps_alive;
    bool expects_continue;
    bool asks_for_websocket;
} lw_h1_head;

typedef struct lw_h1_parser {
    int stage;
    lw_buf head;     /* a head, or a line of chunking, of which only a part has come */
    size_t head_len; /* bytes of the head so far, here and in the input */
    size_t line_len; /* of the line at hand, without its end */
    size_t request_line_len;
    uint64_t body_left; /* of the body or the chunk */
    size_t framing_len; /* bytes of chunk extensions and trailers so far */
    bool saw_cr;
    bool saw_blank; /* one empty line before the request line is forgiven */
    bool is_chunked;
    bool is_extension;   /* the chunk's size is over */
    unsigned digits;     /* of the chunk's size */
    int refusal_status;  /* 400, 414, 417, 431, 501 or 505 */
    const char *refusal; /* why, for the reply */
} lw_h1_parser;

void lw_h1_parser_init(lw_h1_parser *parser);
void lw_h1_parser_done(lw_h1_parser *parser);

/* Takes bytes off |*input| up to the next event.  |head| is written at LW_H1_HEAD, |body| at
 * LW_H1_BODY (a view of the input). */
lw_h1_event lw_h1_parser_next(lw_h1_parser *parser, lw_str *input, lw_h1_head *head, lw_str *body);

/* True between requests: not one byte of the next has come. */
bool lw_h1_parser_is_idle(const lw_h1_parser *parser);

/* True when |value| is a list (#token) with |token| (lower case) in it, in whatever case. */
bool lw_h1_list_has(lw_str value, lw_str token);

#endif
