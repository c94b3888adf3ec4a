/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c -- -o custom-columns=TITLE:PATH,TITLE:PATH */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "jsonpath.h"
#include "text.h"

enum {
    COLUMNS_MAX = 64,
};

struct columns {
    size_t count;
    char *titles[COLUMNS_MAX];
    jsonpath *paths[COLUMNS_MAX];
};

static lw_status refuse(lw_error *err, lw_status st, const char *what)
{
    if (err) {
        err->code = st;
        (void)snprintf(err->message, sizeof(err->message),
                       "custom-columns: %s; use TITLE:PATH,TITLE:PATH, for example "
                       "NAME:.metadata.name",
                       what);
    }
    return st;
}

/* One TITLE:PATH, which is changed. */
static lw_status add_column(columns *c, char *text, lw_error *err)
{
    char *colon = strchr(text, ':');
    if (!colon || colon == text || !colon[1])
        return refuse(err, LW_ERR_SYNTAX,
                      colon == text ? "a title is missing" : "a path is missing");
    if (c->count == COLUMNS_MAX)
        return refuse(err, LW_ERR_LIMIT, "too many columns");
    *colon = '\0';
    lw_status st = jsonpath_parse_relaxed(&c->paths[c->count], colon + 1, err);
    if (st < 0)
        return st;
    c->titles[c->count] = strdup(text);
    return c->titles[c->count++] ? LW_OK : LW_ERR_NOMEM;
}

/* The comma after a column: those in brackets and quotes belong to the path. */
static char *column_end(char *at)
{
    int depth = 0;
    for (; *at && (*at != ',' || depth > 0); at++) {
        depth += *at == '[' || *at == '(';
        depth -= (*at == ']' || *at == ')') && depth > 0;
    }
    return at;
}

lw_status columns_parse(columns **out, const char *text, lw_error *err)
{
    columns *c = calloc(1, sizeof(*c));
    char *copy = strdup(text);
    lw_status st = c && copy ? LW_OK : LW_ERR_NOMEM;
    char *at = copy;
    if (st == LW_OK && !*at)
        st = refuse(err, LW_ERR_SYNTAX, "there are no columns");
    while (st == LW_OK && *at) {
        char *end = column_end(at), last = *end;
        *end = '\0';
        st = add_column(c, at, err);
        at = last ? end + 1 : end;
    }
    free(copy);
    if (st < 0) {
        columns_free(c);
        return st;
    }
    *out = c;
    return LW_OK;
}

void columns_free(columns *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < COLUMNS_MAX; i++) {
        free(c->titles[i]);
        jsonpath_free(c->paths[i]);
    }
    free(c);
}

lw_status columns_begin(const columns *c, grid *g)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < c->count; i++)
        st = grid_add_column(g, c->titles[i]);
    return st;
}

static lw_status collect(lw_document *doc, const lw_value *value, void *arg)
{
    text_buf *cell = arg;
    const char *found = jsonpath_text(doc, value);
    if (!found)
        return LW_ERR_NOMEM;
    if (cell->len > 0)
        text_add(cell, ",");
    text_add(cell, found);
    return text_status(cell);
}

lw_status columns_add(const columns *c, grid *g, const lw_object *obj, lw_error *err)
{
    text_buf cells[COLUMNS_MAX] = { { 0 } };
    const char *row[COLUMNS_MAX];
    lw_document *doc = NULL;
    lw_status st = lw_document_from_object(&doc, obj, err);
    for (size_t i = 0; st == LW_OK && i < c->count; i++) {
        st = jsonpath_find(c->paths[i], doc, NULL, collect, &cells[i], err);
        row[i] = cells[i].len > 0 ? cells[i].at : "<none>";
    }
    if (st == LW_OK)
        st = grid_add_row(g, row);
    for (size_t i = 0; i < c->count; i++)
        text_done(&cells[i]);
    lw_document_free(doc);
    return st;
}
