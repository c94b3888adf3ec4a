/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c -- capped buffer with a sticky error.
 * Invariant: a non-NULL data has cap + 1 bytes, the last one for a terminator. */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum {
    FIRST_CAPACITY = 64,
};

void lw_buf_init(lw_buf *buf, size_t limit)
{
    assert(limit < SIZE_MAX);
    *buf = (lw_buf){ .limit = limit };
}

void lw_buf_done(lw_buf *buf)
{
    lw_free(buf->data);
    lw_buf_init(buf, buf->limit);
}

void lw_buf_reset(lw_buf *buf)
{
    buf->len = 0;
    buf->st = LW_OK;
}

/* The next capacity that holds |need|: half as much again, for few copies and little slack. */
static size_t buf_grown(const lw_buf *buf, size_t need)
{
    size_t cap = buf->cap ? buf->cap : FIRST_CAPACITY;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap + cap / 2;
    return cap > buf->limit ? buf->limit : cap;
}

lw_status lw_buf_grow(lw_buf *buf, size_t more)
{
    if (buf->st < 0)
        return buf->st;
    if (more > buf->limit - buf->len)
        return buf->st = LW_ERR_LIMIT;
    size_t cap = buf_grown(buf, buf->len + more);
    char *data = lw_realloc_array(buf->data, cap + 1, 1);
    if (!data)
        return buf->st = LW_ERR_NOMEM;
    buf->data = data;
    buf->cap = cap;
    return LW_OK;
}

void lw_buf_append(lw_buf *buf, const void *bytes, size_t len)
{
    if (len == 0 || lw_buf_reserve(buf, len) < 0)
        return;
    memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
}

void lw_buf_append_str(lw_buf *buf, lw_str s)
{
    lw_buf_append(buf, s.ptr, s.len);
}

void lw_buf_append_text(lw_buf *buf, const char *text)
{
    lw_buf_append(buf, text, strlen(text));
}

void lw_buf_append_uint(lw_buf *buf, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    lw_buf_append(buf, digits + at, sizeof(digits) - at);
}

void lw_buf_printf(lw_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int wanted = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(wanted >= 0);
    if (lw_buf_reserve(buf, (size_t)wanted) < 0 || wanted == 0)
        return;
    va_start(args, format);
    (void)vsnprintf(buf->data + buf->len, (size_t)wanted + 1, format, args);
    va_end(args);
    buf->len += (size_t)wanted;
}

void lw_buf_truncate(lw_buf *buf, size_t len)
{
    assert(len <= buf->len);
    buf->len = len;
}

lw_str lw_buf_view(const lw_buf *buf)
{
    return lw_str_make(buf->data, buf->len);
}

char *lw_buf_take_text(lw_buf *buf)
{
    if (buf->st < 0)
        return NULL;
    char *text = buf->data ? buf->data : lw_alloc(1);
    if (!text)
        return NULL;
    text[buf->len] = '\0';
    lw_buf_init(buf, buf->limit);
    return text;
}

lw_bytes lw_buf_take_bytes(lw_buf *buf)
{
    lw_bytes bytes = { buf->data, buf->len, lw_free, buf->data };
    if (buf->len == 0) {
        lw_buf_done(buf);
        return lw_bytes_static((lw_str){ "", 0 });
    }
    buf->data = NULL;
    buf->cap = 0;
    lw_buf_done(buf);
    return bytes;
}
