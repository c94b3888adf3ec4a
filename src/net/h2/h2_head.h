/* SPDX-License-Identifier: Apache-2.0 */
/* h2_head.h -- collects the fields of a header block and converts them to a request or a reply. */
#ifndef LW_NET_H2_H2_HEAD_H
#define LW_NET_H2_H2_HEAD_H

#include "base/buf.h"
#include "net/http.h"

enum {
    LW_H2_PSEUDO_MAX = 4, /* :method, :scheme, :authority, :path */
    LW_H2_FIELDS_MAX = LW_HTTP_HEADERS_MAX + LW_H2_PSEUDO_MAX,
    LW_H2_FIELD_OVERHEAD = 32, /* bytes added to the size of each field (RFC 9113, 6.5.2) */
};

typedef struct lw_h2_head {
    lw_buf text; /* names and values, one after the other */
    struct {
        uint32_t at; /* position of the name in |text|; the value follows it */
        uint32_t name_len, value_len;
    } fields[LW_H2_FIELDS_MAX];
    size_t count;
    size_t bytes; /* size as RFC 9113 counts it */
    bool is_too_large;
} lw_h2_head;

/* Initializes an empty header block. */
void lw_h2_head_init(lw_h2_head *head);
void lw_h2_head_done(lw_h2_head *head);

/* Removes the fields, and memory beyond what most header blocks need. */
void lw_h2_head_reset(lw_h2_head *head);

/* Adds a field.  Beyond LW_HTTP_HEADERS_MAX or LW_HTTP_HEAD_MAX it sets |is_too_large| and keeps no
 * more; if memory runs out, it sets head->text.st. */
void lw_h2_head_add(lw_h2_head *head, lw_str name, lw_str value);

/* Returns the bytes that lw_h2_head_place needs: the fields of the request and their text. */
size_t lw_h2_head_size(const lw_h2_head *head);

/* Copies the fields to |memory| (aligned like malloc) and sets |request|.  False: not a request
 * that this server can answer: CONNECT, or no path. */
bool lw_h2_head_place(const lw_h2_head *head, void *memory, lw_http_request *request);

/* Points |out| to the original fields, including pseudo-header fields; there are head->count of
 * them, at most LW_H2_FIELDS_MAX.  Valid until the next header block. */
void lw_h2_head_fields(const lw_h2_head *head, lw_http_header *out);

#endif
