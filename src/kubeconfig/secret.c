/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c -- buffers whose memory is wiped before it is freed. */
#include "kubeconfig/secret.h"

#include <string.h>

#include "base/alloc.h"

enum {
    FIRST_CAPACITY = 64,
};

void lw_secret_done(lw_buf *buf)
{
    if (buf->data)
        explicit_bzero(buf->data, buf->cap + 1);
    lw_buf_done(buf);
}

lw_status lw_secret_reserve(lw_buf *buf, size_t more)
{
    if (buf->st < 0)
        return buf->st;
    if (more > buf->limit - buf->len)
        return buf->st = LW_ERR_LIMIT;
    if (more <= buf->cap - buf->len)
        return LW_OK;
    size_t need = buf->len + more;
    size_t cap = buf->cap > buf->limit / 2 ? buf->limit : buf->cap * 2;
    if (cap < FIRST_CAPACITY)
        cap = FIRST_CAPACITY;
    if (cap < need)
        cap = need;
    lw_buf grown;
    lw_buf_init(&grown, buf->limit);
    grown.data = lw_alloc(cap + 1); /* one more for a terminator, like lw_buf */
    if (!grown.data)
        return buf->st = LW_ERR_NOMEM;
    grown.cap = cap;
    grown.len = buf->len;
    if (buf->len > 0)
        memcpy(grown.data, buf->data, buf->len);
    lw_secret_done(buf);
    *buf = grown;
    return LW_OK;
}

void lw_secret_append(lw_buf *buf, lw_str bytes)
{
    if (bytes.len == 0 || lw_secret_reserve(buf, bytes.len) < 0)
        return;
    memcpy(buf->data + buf->len, bytes.ptr, bytes.len);
    buf->len += bytes.len;
}

lw_status lw_secret_set(lw_buf *buf, lw_str bytes)
{
    lw_buf fresh;
    lw_buf_init(&fresh, buf->limit);
    lw_secret_append(&fresh, bytes);
    lw_status st = fresh.st;
    if (st == LW_OK)
        lw_secret_move(buf, &fresh);
    lw_secret_done(&fresh);
    return st;
}

void lw_secret_move(lw_buf *to, lw_buf *from)
{
    lw_secret_done(to);
    *to = *from;
    lw_buf_init(from, to->limit);
}
