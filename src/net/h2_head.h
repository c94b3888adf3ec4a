/* SPDX-License-Identifier: Apache-2.0 */
/* h2_head.h -- collects the fields of a header block, then makes a request of them, or a reply. */
#ifndef LW_NET_H2_HEAD_H
#define LW_NET_H2_HEAD_H

#include "base/buf.h"
#include "net/http.h"

enum {
    LW_H2_PSEUDO_MAX = 4, /* :method, :scheme, :authority, :path */
    LW_H2_FIELDS_MAX = LW_HTTP_HEADERS_MAX + LW_H2_PSEUDO_MAX,
    LW_H2_FIELD_OVERHEAD = 32, /* bytes a field counts beyond its own (RFC 9113, 6.5.2) */
};

typedef struct lw_h2_head {
    lw_buf text; /* names and values, one after the other */
    struct {
        uint32_t at; /* of the name in |text|; the value follows it */
        uint32_t name_len, value_len;
    } fields[LW_H2_FIELDS_MAX];
    size_t count;
    size_t bytes; /* as RFC 9113 counts them */
    bool is_too_large;
} lw_h2_head;

/* Empty; also to be used again. */
void lw_h2_head_init(lw_h2_head *head);
void lw_h2_head_done(lw_h2_head *head);

/* Forgets the fields, and memory beyond what most heads need. */
void lw_h2_head_reset(lw_h2_head *head);

/* Adds a field.  Beyond LW_HTTP_HEADERS_MAX or LW_HTTP_HEAD_MAX |is_too_large| is set and no more
 * is kept; without memory head->text.st. */
void lw_h2_head_add(lw_h2_head *head, lw_str name, lw_str value);

/* The bytes lw_h2_head_place needs: the fields as a request has them, and their text. */
size_t lw_h2_head_size(const lw_h2_head *head);

/* Copies the fields to |memory| (aligned as malloc aligns) and describes them in |request|.  False
 * when it is no request this server can answer: CONNECT, or no path. */
bool lw_h2_head_place(const lw_h2_head *head, void *memory, lw_http_request *request);

/* Points |out| at the fields as they came, pseudo-header fields too; head->count of them, which is
 * LW_H2_FIELDS_MAX at most.  They die with the next head. */
void lw_h2_head_fields(const lw_h2_head *head, lw_http_header *out);

#endif
