/* SPDX-License-Identifier: Apache-2.0 */
/* h1_head.h -- parses complete request lines, status lines and header lines, and writes the lines
 * before chunks; stateless. */
#ifndef LW_NET_H1_H1_HEAD_H
#define LW_NET_H1_H1_HEAD_H

#include "net/h1/h1_parse.h"

/* Why a message is refused; status 0: it is not. */
typedef struct lw_h1_verdict {
    int status;
    const char *reason;
} lw_h1_verdict;

/* Parses |line|, without CRLF and control characters, into method, path, query and version. */
lw_h1_verdict lw_h1_read_request_line(lw_str line, lw_h1_head *head);

/* Parses |line|, without CRLF and control characters, into status and version. */
lw_h1_verdict lw_h1_read_status_line(lw_str line, lw_h1_head *head);

/* Parses the header lines |lines|, each with its CRLF, into the rest of |head|, by the rules of a
 * reply if it has a status. */
lw_h1_verdict lw_h1_read_fields(lw_str lines, lw_h1_head *head);

enum {
    LW_H1_CHUNK_SIZE_MAX = 2 * sizeof(size_t) + 2, /* bytes of the line before a chunk */
};

/* Writes the line before a chunk of |len| bytes to |out|, without a NUL; returns its length. */
size_t lw_h1_write_chunk_size(char out[LW_H1_CHUNK_SIZE_MAX], size_t len);

/* tchar and token (RFC 9110, 5.6.2). */
bool lw_h1_is_token_char(char c);
bool lw_h1_is_token(lw_str s);

/* True if |s| is not empty and all of it is visible ASCII: the only characters of a request target.
 * True if |s| has no control character but the tab: a field value (RFC 9110, 5.5). */
bool lw_h1_is_visible(lw_str s);
bool lw_h1_is_field_value(lw_str s);

#endif
