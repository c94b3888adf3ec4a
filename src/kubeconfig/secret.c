/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c -- buffers and lists of strings whose memory is wiped before it is freed. */
#include "kubeconfig/secret.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

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

void lw_strings_done(lw_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) {
        explicit_bzero(strings->items[i], strlen(strings->items[i]));
        lw_free(strings->items[i]);
    }
    lw_free(strings->items);
    *strings = (lw_strings){ 0 };
}

lw_status lw_strings_add_take(lw_strings *strings, char *text)
{
    if (!text)
        return LW_ERR_NOMEM;
    if (strings->count >= LW_STRINGS_MAX) {
        lw_free(text);
        return LW_ERR_LIMIT;
    }
    char **items = lw_realloc_array(strings->items, strings->count + 2, sizeof(*items));
    if (!items) {
        lw_free(text);
        return LW_ERR_NOMEM;
    }
    items[strings->count++] = text;
    items[strings->count] = NULL;
    strings->items = items;
    return LW_OK;
}

lw_status lw_strings_add(lw_strings *strings, lw_str text)
{
    return lw_strings_add_take(strings, lw_str_dup(text));
}

const char *const *lw_strings_view(const lw_strings *strings)
{
    static const char *const none[] = { NULL };
    return strings->items ? (const char *const *)strings->items : none;
}
