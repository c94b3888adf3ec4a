/* SPDX-License-Identifier: Apache-2.0 */
/* text.c -- a text that grows. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SIZE = 256,
};

static bool make_room(text_buf *t, size_t len)
{
    if (t->st == LW_OK && (len >= TEXT_MAX || t->len >= TEXT_MAX - len))
        t->st = LW_ERR_LIMIT;
    if (t->st < 0 || t->len + len < t->size)
        return t->st == LW_OK;
    size_t size = t->size ? t->size : FIRST_SIZE;
    while (size <= t->len + len)
        size *= 2;
    char *grown = realloc(t->at, size);
    if (!grown) {
        t->st = LW_ERR_NOMEM;
        return false;
    }
    t->at = grown;
    t->size = size;
    return true;
}

void text_add_bytes(text_buf *t, const char *bytes, size_t len)
{
    if (!make_room(t, len))
        return;
    if (len > 0)
        memcpy(t->at + t->len, bytes, len);
    t->len += len;
    t->at[t->len] = '\0';
}

void text_add(text_buf *t, const char *more)
{
    text_add_bytes(t, more, strlen(more));
}

/* RFC 3986, section 2.3: the characters that need no escape. */
static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~", c));
}

void text_add_escaped(text_buf *t, const char *value)
{
    for (; *value; value++) {
        char escaped[sizeof("%00")];
        (void)snprintf(escaped, sizeof(escaped), "%%%02X", (unsigned)(unsigned char)*value);
        text_add(t, is_unreserved(*value) ? (const char[]){ *value, '\0' } : escaped);
    }
}

lw_status text_status(const text_buf *t)
{
    return t->st;
}

const char *text_of(const text_buf *t)
{
    return t->at && t->st == LW_OK ? t->at : "";
}

void text_done(text_buf *t)
{
    free(t->at);
    *t = (text_buf){ 0 };
}
