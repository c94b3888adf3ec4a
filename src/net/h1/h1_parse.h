/* SPDX-License-Identifier: Apache-2.0 */
/* h1_parse.h -- a strict parser of HTTP/1.1 requests or replies (RFC 9112): bytes in; headers,
 * bodies and ends out, independent of how the bytes are split.
 *
 * Where RFC 9112 allows a recipient to be lenient, this parser is strict: ambiguous input is
 * refused, and after a refusal nothing more is read. */
#ifndef LW_NET_H1_H1_PARSE_H
#define LW_NET_H1_H1_PARSE_H

#include "base/buf.h"
#include "net/http.h"

typedef enum lw_h1_event {
    LW_H1_MORE,      /* all bytes are consumed, more are needed */
    LW_H1_HEAD,      /* the headers are complete */
    LW_H1_BODY,      /* a piece of the body, without chunk framing */
    LW_H1_END,       /* the message is complete */
    LW_H1_REFUSED,   /* malformed: a server replies with refusal_status; close; final */
    LW_H1_NO_MEMORY, /* close; final */
} lw_h1_event;

/* The parsed headers.  Views point to the original bytes and are valid until the next call. */
typedef struct lw_h1_head {
    lw_str method, path, query; /* of a request */
    int status;                 /* of a reply, 100 to 599; 0: a request */
    unsigned version_minor;     /* 0 or 1 */
    lw_http_header headers[LW_HTTP_HEADERS_MAX];
    size_t header_count;
    lw_str bytes;            /* first line and header lines: the views point into it */
    uint64_t content_length; /* 0 if is_chunked */
    bool is_chunked;
    bool runs_to_end; /* the body of a reply: it ends with the connection */
    bool keeps_alive;
    bool expects_continue;
    bool asks_for_websocket;
} lw_h1_head;

typedef struct lw_h1_parser {
    int stage;
    lw_buf head;           /* partly received headers, or a partly received chunk line */
    size_t head_len;       /* bytes of the headers so far, here and in the input */
    size_t line_len;       /* length of the current line, without its end */
    size_t first_line_len; /* request line or status line with its CRLF; 0: not complete */
    uint64_t body_left;    /* remaining bytes of the body or the chunk */
    size_t framing_len;    /* bytes of chunk extensions and trailers so far */
    bool saw_cr;
    bool saw_blank;      /* one empty line before the request line is allowed */
    bool is_reply;       /* parses replies */
    bool answers_head;   /* the next reply is for HEAD: no body follows; set by the owner */
    bool is_extension;   /* the chunk's size has ended */
    unsigned digits;     /* number of digits of the chunk's size */
    int refusal_status;  /* 400, 414, 417, 431, 501 or 505 */
    const char *refusal; /* the reason */
} lw_h1_parser;

/* Initialise a parser of requests, and of replies.  An informational reply (1xx) is a message like
 * any other; after the head of a 101, the owner must not pass any more bytes. */
void lw_h1_parser_init(lw_h1_parser *parser);
void lw_h1_parser_init_reply(lw_h1_parser *parser);
void lw_h1_parser_done(lw_h1_parser *parser);

/* Consumes |*input| up to the next event.  |head| is set at LW_H1_HEAD, |body| at LW_H1_BODY (a
 * view of the input). */
lw_h1_event lw_h1_parser_next(lw_h1_parser *parser, lw_str *input, lw_h1_head *head, lw_str *body);

/* The server has closed the connection.  LW_H1_END: its reply ended there; LW_H1_REFUSED: it is
 * truncated. */
lw_h1_event lw_h1_parser_finish(lw_h1_parser *parser);

/* True between messages: no byte of the next one has arrived. */
bool lw_h1_parser_is_idle(const lw_h1_parser *parser);

/* True if |value| is a list (#token) that contains |token| (lower case), ignoring case. */
bool lw_h1_list_has(lw_str value, lw_str token);

#endif
