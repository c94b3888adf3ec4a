/* SPDX-License-Identifier: Apache-2.0 */
/* reply_head.h -- parses the head of a response from its lines, and the value of Retry-After. */
#ifndef LW_TRANSPORT_REPLY_HEAD_H
#define LW_TRANSPORT_REPLY_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_REPLY_HEAD_MAX = 128 * 1024, /* bytes of all lines, including trailers */
    LW_REPLY_VALUE_MAX = 256,       /* bytes of a header value; longer ones are dropped */
};

typedef struct lw_reply_value {
    char text[LW_REPLY_VALUE_MAX];
    size_t len;
} lw_reply_value;

typedef struct lw_transport_reply_head {
    int status;       /* 0: none yet */
    bool is_http1;    /* HTTP/1.0 or HTTP/1.1 */
    bool is_complete; /* and final: the following lines are trailers */
    size_t bytes;
    lw_reply_value content_type;
    lw_reply_value retry_after;
} lw_transport_reply_head;

typedef enum lw_head_step {
    LW_HEAD_MORE,
    LW_HEAD_COMPLETE, /* with this line */
    LW_HEAD_INVALID,  /* too long, or not HTTP */
} lw_head_step;

/* Parses one line with its line end.  Interim responses (1xx, RFC 9110 section 15.2) are ignored.
 * |head| must be zeroed before the first line. */
lw_head_step lw_transport_reply_head_take(lw_transport_reply_head *head, lw_str line);

/* Returns true while the headers of the final response are read: not in an interim response, and
 * not in trailers. */
bool lw_transport_reply_head_is_final(const lw_transport_reply_head *head);

lw_str lw_reply_value_view(const lw_reply_value *value);

enum {
    LW_RETRY_AFTER_MAX_S = 24 * 3600, /* upper limit */
};

/* Returns the seconds of |value|, a Retry-After header: a number, or a date (RFC 9110
 * section 10.2.3) relative to |wall_ns|. 0: now, or invalid. */
int lw_retry_after_s(lw_str value, int64_t wall_ns);

#endif
