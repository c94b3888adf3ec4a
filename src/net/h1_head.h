/* SPDX-License-Identifier: Apache-2.0 */
/* h1_head.h -- parses complete request lines and header lines; stateless. */
#ifndef LW_NET_H1_HEAD_H
#define LW_NET_H1_HEAD_H

#include "net/h1_parse.h"

/* Why a request is refused; status 0: it is not. */
typedef struct lw_h1_verdict {
    int status;
    const char *reason;
} lw_h1_verdict;

/* Parses |line|, without CRLF and control characters, into method, path, query and version. */
lw_h1_verdict lw_h1_read_request_line(lw_str line, lw_h1_head *head);

/* Parses the header lines |lines|, each with its CRLF, into the rest of |head|. */
lw_h1_verdict lw_h1_read_fields(lw_str lines, lw_h1_head *head);

/* tchar (RFC 9110, 5.6.2). */
bool lw_h1_is_token_char(char c);

#endif
