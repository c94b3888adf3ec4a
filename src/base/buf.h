/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h -- growing bytes with a cap, and a memory of the first failure.
 *
 * Append freely and look at buf->st once: after a failure every further append does nothing, so
 * what is in the buffer is always a whole prefix of what was appended. */
#ifndef LW_BASE_BUF_H
#define LW_BASE_BUF_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/bytes.h"

typedef struct lw_buf {
    char *data;   /* |len| bytes; not NUL-terminated */
    size_t len;   /* bytes in use */
    size_t cap;   /* bytes there is room for */
    size_t limit; /* |len| never exceeds this */
    lw_status st; /* LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT: the first failure */
} lw_buf;

/* An empty buffer that may hold |limit| (< SIZE_MAX) bytes; allocates nothing. */
void lw_buf_init(lw_buf *buf, size_t limit);

/* Frees the bytes.  The buffer may be used again, as after lw_buf_init. */
void lw_buf_done(lw_buf *buf);

/* Empties the buffer and forgets a failure; keeps the memory. */
void lw_buf_reset(lw_buf *buf);

/* The same as lw_buf_reserve when the room there is will not do. */
lw_status lw_buf_grow(lw_buf *buf, size_t more);

/* Makes room for |more| further bytes.  Returns buf->st. */
static inline lw_status lw_buf_reserve(lw_buf *buf, size_t more)
{
    return buf->st == LW_OK && more <= buf->cap - buf->len ? LW_OK : lw_buf_grow(buf, more);
}

static inline void lw_buf_append_char(lw_buf *buf, char c)
{
    if (lw_buf_reserve(buf, 1) == LW_OK)
        buf->data[buf->len++] = c;
}

void lw_buf_append(lw_buf *buf, const void *bytes, size_t len);
void lw_buf_append_str(lw_buf *buf, lw_str s);
void lw_buf_append_text(lw_buf *buf, const char *text);
void lw_buf_append_uint(lw_buf *buf, uint64_t value);
void lw_buf_printf(lw_buf *buf, const char *format, ...) LW_PRINTF(2, 3);

/* Cuts the buffer back to |len| bytes, which must not be more than it has. */
void lw_buf_truncate(lw_buf *buf, size_t len);

/* The bytes as a view; dies with the next append. */
lw_str lw_buf_view(const lw_buf *buf);

/* Hands the bytes over as a NUL-terminated string to lw_free and leaves the buffer empty.
 * NULL when the buffer has failed, or is empty and there is no memory for the terminator. */
LW_MUST_CHECK char *lw_buf_take_text(lw_buf *buf);

/* The bytes of |buf|, which is left done, as a piece to send; an empty one of an empty buffer. */
lw_bytes lw_buf_take_bytes(lw_buf *buf);

#endif
