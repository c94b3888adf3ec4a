/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.c -- the order of --sort-by. */
#include "sorter.h"

#include <stdlib.h>
#include <string.h>

#include "jsonpath.h"

typedef struct sort_key {
    char *text; /* NULL: the object has no value */
    size_t index;
} sort_key;

struct sorter {
    jsonpath *path;
    sort_key *keys;
    size_t count, size;
};

lw_status sorter_new(sorter **out, const char *path, lw_error *err)
{
    sorter *s = calloc(1, sizeof(*s));
    lw_status st = s ? jsonpath_parse_relaxed(&s->path, path, err) : LW_ERR_NOMEM;
    if (st < 0) {
        sorter_free(s);
        return st;
    }
    *out = s;
    return LW_OK;
}

void sorter_free(sorter *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        free(s->keys[i].text);
    free(s->keys);
    jsonpath_free(s->path);
    free(s);
}

static lw_status take_first(lw_document *doc, const lw_value *value, void *arg)
{
    sort_key *key = arg;
    const char *text = key->text ? NULL : jsonpath_text(doc, value);
    if (key->text)
        return LW_OK;
    key->text = text ? strdup(text) : NULL;
    return key->text ? LW_OK : LW_ERR_NOMEM;
}

lw_status sorter_add(sorter *s, lw_document *doc, const lw_value *root, lw_error *err)
{
    if (s->count == s->size) {
        size_t size = s->size ? s->size * 2 : 64;
        sort_key *grown = realloc(s->keys, size * sizeof(*grown));
        if (!grown)
            return LW_ERR_NOMEM;
        s->keys = grown;
        s->size = size;
    }
    sort_key *key = &s->keys[s->count];
    *key = (sort_key){ NULL, s->count };
    s->count++;
    return jsonpath_find(s->path, doc, root, take_first, key, err);
}

static int compare(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    lw_quantity p, q;
    int order = 0;
    if (!x->text || !y->text)
        order = (x->text != NULL) - (y->text != NULL);
    else if (lw_quantity_parse(lw_str_of(x->text), &p) && lw_quantity_parse(lw_str_of(y->text), &q))
        order = lw_quantity_compare(p, q);
    else
        order = strcmp(x->text, y->text);
    return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

void sorter_sort(sorter *s)
{
    if (s->count > 1)
        qsort(s->keys, s->count, sizeof(*s->keys), compare);
}

size_t sorter_at(const sorter *s, size_t index)
{
    return s->keys[index].index;
}
