/* SPDX-License-Identifier: Apache-2.0 */
/* hook_path.c -- cleans the path of a webhook's URL. */
#include "server/webhook/hook_path.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* Removes the last part of the |len| bytes at |text|; the length without it. */
static size_t drop_part(const char *text, size_t len)
{
    while (len > 0 && text[--len] != '/')
        ;
    return len;
}

char *lw_hook_path_clean(lw_str path)
{
    char *clean = lw_alloc(path.len + 2);
    size_t len = 0;
    lw_str part, rest, query;
    if (!clean)
        return NULL;
    (void)lw_str_cut(path, '?', &rest, &query);
    lw_str tail = lw_str_skip(path, rest.len);
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '/', &part, &rest);
        if (lw_str_equal(part, LW_STR(".."))) {
            len = drop_part(clean, len);
        } else if (part.len > 0 && !lw_str_equal(part, LW_STR("."))) {
            clean[len++] = '/';
            memcpy(clean + len, part.ptr, part.len);
            len += part.len;
        }
    }
    if (len == 0)
        clean[len++] = '/';
    if (tail.len > 0)
        memcpy(clean + len, tail.ptr, tail.len);
    clean[len + tail.len] = '\0';
    return clean;
}
