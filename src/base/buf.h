/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h -- lw_buf, a growing buffer with a limit that remembers its first failure, and lw_bytes,
 * finished bytes with an owner.
 *
 * Append freely and check buf->st once: after a failure all further appends do nothing, so the
 * content is always a complete prefix of what was appended. */
#ifndef LW_BASE_BUF_H
#define LW_BASE_BUF_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

/* Immutable bytes with an owner, passed on instead of copied.  The receiver of an lw_bytes releases
 * it once, when it does not need the bytes any more; until then they do not change.  So the JSON of
 * one object can be in a thousand send queues at the same time. */
typedef struct lw_bytes {
    const char *ptr;
    size_t len;
    void (*release)(void *owner); /* NULL: the bytes are static; may be called by any thread */
    void *owner;
} lw_bytes;

/* Makes static bytes from literals and constants. */
static inline lw_bytes lw_bytes_static(lw_str s)
{
    lw_bytes bytes = { s.ptr, s.len, NULL, NULL };
    return bytes;
}

/* Releases the bytes. */
static inline void lw_bytes_release(lw_bytes bytes)
{
    if (bytes.release)
        bytes.release(bytes.owner);
}

typedef struct lw_buf {
    char *data;   /* |len| bytes; not NUL-terminated */
    size_t len;   /* bytes in use */
    size_t cap;   /* capacity in bytes */
    size_t limit; /* |len| never exceeds this */
    lw_status st; /* LW_OK, LW_ERR_NOMEM or LW_ERR_LIMIT: the first failure */
} lw_buf;

/* Initialises an empty buffer for at most |limit| (< SIZE_MAX) bytes; does not allocate. */
void lw_buf_init(lw_buf *buf, size_t limit);

/* Frees the bytes.  The buffer may be used again, as after lw_buf_init. */
void lw_buf_done(lw_buf *buf);

/* Empties the buffer and resets a failure; keeps the memory. */
void lw_buf_reset(lw_buf *buf);

/* The part of lw_buf_reserve that reallocates. */
lw_status lw_buf_grow(lw_buf *buf, size_t more);

/* Reserves space for |more| bytes.  Returns buf->st. */
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

/* Truncates the buffer to |len| bytes, which must not be more than it has. */
void lw_buf_truncate(lw_buf *buf, size_t len);

/* Returns a view of the bytes; valid until the next append. */
lw_str lw_buf_view(const lw_buf *buf);

/* Returns the bytes as a NUL-terminated string, which the caller frees with lw_free, and empties
 * the buffer.  NULL if the buffer has failed, or is empty and memory runs out. */
LW_MUST_CHECK char *lw_buf_take_text(lw_buf *buf);

/* Returns the bytes of |buf| as an lw_bytes and leaves |buf| done; empty for an empty buffer. */
lw_bytes lw_buf_take_bytes(lw_buf *buf);

#endif
