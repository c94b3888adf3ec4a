/* SPDX-License-Identifier: Apache-2.0 */
/* strings.c -- a NULL-terminated list of strings. */
#include "kubeconfig/strings.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

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
