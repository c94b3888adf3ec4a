/* SPDX-License-Identifier: Apache-2.0 */
/* screen_rows.c -- the rows of the live table of `watch`. */
#include "screen_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "jsonpath.h"

static void clear(screen_rows *rows)
{
    rows->count = rows->all_count = 0;
    rows->column_count = 0;
    lw_document_free(rows->doc);
    lw_object_list_free(rows->objects);
    rows->doc = NULL;
    rows->objects = NULL;
}

void screen_rows_done(screen_rows *rows)
{
    clear(rows);
    free(rows->at);
    free(rows->all);
    *rows = (screen_rows){ .at = NULL };
}

static screen_row *add_row(screen_rows *rows)
{
    if (rows->all_count == rows->size) {
        size_t size = rows->size ? rows->size * 2 : 64;
        screen_row *grown = realloc(rows->all, size * sizeof(*grown));
        if (!grown)
            return NULL;
        rows->all = grown;
        rows->size = size;
    }
    return &rows->all[rows->all_count++];
}

static void add_title(screen_rows *rows, const char *title)
{
    if (rows->column_count < SCREEN_COLUMNS)
        rows->titles[rows->column_count++] = title;
}

/* Fills |shown| with the indexes of the cells that have a column. */
static size_t add_titles(screen_rows *rows, bool is_wide, size_t shown[SCREEN_COLUMNS])
{
    lw_document *doc = rows->doc;
    const lw_value *all = lw_document_find(doc, NULL, "/columnDefinitions");
    size_t count = 0;
    for (size_t i = 0; i < lw_document_count(all) && rows->column_count < SCREEN_COLUMNS; i++) {
        const lw_value *one = lw_document_item(all, i);
        if (lw_document_int(doc, one, "/priority", 0) > 0 && !is_wide)
            continue;
        add_title(rows, lw_document_string(doc, one, "/name", ""));
        shown[count++] = i;
    }
    return count;
}

lw_status screen_rows_take_table(screen_rows *rows, lw_document *doc, bool has_namespace,
                                 bool is_wide)
{
    size_t shown[SCREEN_COLUMNS];
    clear(rows);
    rows->doc = doc;
    if (has_namespace)
        add_title(rows, "Namespace");
    size_t shown_count = add_titles(rows, is_wide, shown);
    const lw_value *all = lw_document_find(doc, NULL, "/rows");
    for (size_t i = 0; i < lw_document_count(all); i++) {
        const lw_value *from = lw_document_item(all, i);
        const lw_value *cells = lw_document_find(doc, from, "/cells");
        screen_row *row = add_row(rows);
        size_t used = 0;
        if (!row)
            return LW_ERR_NOMEM;
        if (has_namespace)
            row->cells[used++] =
                lw_document_string(doc, from, "/object/metadata/namespace", "<none>");
        for (size_t k = 0; k < shown_count; k++) {
            const lw_value *cell = lw_document_item(cells, shown[k]);
            const char *text = cell ? jsonpath_text(doc, cell) : "";
            if (!text)
                return LW_ERR_NOMEM;
            row->cells[used++] = text;
        }
    }
    return LW_OK;
}

lw_status screen_rows_take_cache(screen_rows *rows, const lw_lister *lister)
{
    clear(rows);
    rows->objects = lw_lister_list(lister, NULL, NULL);
    if (!rows->objects)
        return LW_ERR_NOMEM;
    lw_object_list_sort(rows->objects);
    add_title(rows, "Namespace");
    add_title(rows, "Name");
    add_title(rows, "Kind");
    add_title(rows, "ResourceVersion");
    size_t count = lw_object_list_count(rows->objects);
    for (size_t i = 0; i < count && i < SCREEN_ROWS_MAX; i++) {
        const lw_object *obj = lw_object_list_at(rows->objects, i);
        screen_row *row = add_row(rows);
        if (!row)
            return LW_ERR_NOMEM;
        row->cells[0] = lw_object_namespace(obj);
        row->cells[1] = lw_object_name(obj);
        row->cells[2] = lw_object_kind(obj);
        row->cells[3] = lw_object_resource_version(obj);
    }
    return LW_OK;
}

static bool contains(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < len && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == len)
            return true;
    }
    return len == 0;
}

lw_status screen_rows_filter(screen_rows *rows, const char *filter)
{
    free(rows->at);
    rows->count = 0;
    rows->at = calloc(rows->all_count + 1, sizeof(*rows->at));
    if (!rows->at)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < rows->all_count; i++) {
        bool is_wanted = filter[0] == '\0';
        for (size_t k = 0; k < rows->column_count && !is_wanted; k++)
            is_wanted = contains(rows->all[i].cells[k], filter);
        if (is_wanted)
            rows->at[rows->count++] = rows->all[i];
    }
    return LW_OK;
}

/* "2d3h" in seconds; false: it is not an age. */
static bool parse_age(const char *text, double *seconds)
{
    static const char units[] = "smhdy";
    static const double lengths[] = { 1, 60, 3600, 86400, 365 * 86400.0 };
    *seconds = 0;
    if (!isdigit((unsigned char)text[0]))
        return false;
    while (*text) {
        char *end = NULL;
        long count = strtol(text, &end, 10);
        const char *unit = end > text && *end ? strchr(units, *end) : NULL;
        if (!unit)
            return false;
        *seconds += (double)count * lengths[unit - units];
        text = end + 1;
    }
    return true;
}

int screen_rows_compare(const char *a, const char *b)
{
    lw_quantity p, q;
    double x = 0, y = 0;
    if (parse_age(a, &x) && parse_age(b, &y))
        return x < y ? -1 : x > y;
    if (lw_quantity_parse(lw_str_of(a), &p) && lw_quantity_parse(lw_str_of(b), &q))
        return lw_quantity_compare(p, q);
    return strcmp(a, b);
}

/* Merges two sorted halves, so that equal rows keep their order. */
static void merge_sort(screen_row *rows, screen_row *scratch, size_t count, size_t column, int sign)
{
    size_t half = count / 2;
    if (count < 2)
        return;
    merge_sort(rows, scratch, half, column, sign);
    merge_sort(rows + half, scratch, count - half, column, sign);
    size_t a = 0, b = half;
    for (size_t i = 0; i < count; i++) {
        bool takes_first =
            b == count ||
            (a < half &&
             sign * screen_rows_compare(rows[a].cells[column], rows[b].cells[column]) <= 0);
        scratch[i] = takes_first ? rows[a++] : rows[b++];
    }
    memcpy(rows, scratch, count * sizeof(*rows));
}

void screen_rows_sort(screen_rows *rows, size_t column, bool is_reverse)
{
    screen_row *scratch = rows->count > 1 && column < rows->column_count
                              ? calloc(rows->count, sizeof(*scratch))
                              : NULL;
    if (scratch) /* without memory the rows stay as they are */
        merge_sort(rows->at, scratch, rows->count, column, is_reverse ? -1 : 1);
    free(scratch);
}
