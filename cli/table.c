/* SPDX-License-Identifier: Apache-2.0 */
/* table.c -- prints a table whose column widths are determined by its first rows. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELD_ROWS = 500, /* rows that determine the column widths */
    GAP = 3,         /* spaces between columns, like kubectl */
};

typedef struct column {
    const char *title;
    const char *(*text)(const lw_object *obj);
    bool is_wide_only;
} column;

static const column columns[] = {
    { "NAMESPACE", lw_object_namespace, false },
    { "NAME", lw_object_name, false },
    { "KIND", lw_object_kind, false },
    { "RESOURCEVERSION", lw_object_resource_version, false },
    { "APIVERSION", lw_object_api_version, true },
    { "UID", lw_object_uid, true },
};

enum {
    COLUMNS = sizeof(columns) / sizeof(columns[0]),
};

struct table {
    bool is_wide;
    bool is_begun; /* the widths are determined and the header is printed */
    size_t row_count;
    size_t widths[COLUMNS];
    lw_object_list *held;
};

table *table_new(bool is_wide)
{
    table *t = calloc(1, sizeof(*t));
    if (!t)
        return NULL;
    t->is_wide = is_wide;
    if (lw_object_list_new(&t->held, HELD_ROWS) < 0) {
        free(t);
        return NULL;
    }
    return t;
}

void table_free(table *t)
{
    if (!t)
        return;
    lw_object_list_free(t->held);
    free(t);
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

void print_plain(const char *text)
{
    for (; *text; text++)
        putchar(is_control(*text) ? '?' : *text);
}

/* Counts characters instead of bytes: the bytes that begin a UTF-8 sequence. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static const char *cell_text(const column *col, const lw_object *obj)
{
    const char *text = col->text(obj);
    return text[0] ? text : "<none>";
}

static void print_cell(const char *text, size_t width)
{
    size_t used = text_width(text);
    print_plain(text);
    for (size_t i = used; i < width + GAP; i++)
        putchar(' ');
}

static void print_labels(const lw_object *obj)
{
    size_t count = lw_object_label_count(obj);
    if (count == 0)
        fputs("<none>", stdout);
    for (size_t i = 0; i < count; i++) {
        lw_label label = lw_object_label_at(obj, i);
        if (i > 0)
            putchar(',');
        print_plain(label.key.ptr);
        putchar('=');
        print_plain(label.value.ptr);
    }
    putchar('\n');
}

static bool is_shown(const table *t, size_t i)
{
    return t->is_wide || !columns[i].is_wide_only;
}

static void print_row(const table *t, const lw_object *obj)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (is_shown(t, i))
            print_cell(cell_text(&columns[i], obj), t->widths[i]);
    }
    print_labels(obj);
}

static void print_titles(const table *t)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (is_shown(t, i))
            print_cell(columns[i].title, t->widths[i]);
    }
    puts("LABELS");
}

static void measure(table *t, const lw_object *obj)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t width = obj ? text_width(cell_text(&columns[i], obj)) : strlen(columns[i].title);
        if (width > t->widths[i])
            t->widths[i] = width;
    }
}

/* Determines the widths and prints the header and the buffered rows. */
static void table_begin(table *t)
{
    size_t count = lw_object_list_count(t->held);
    measure(t, NULL);
    for (size_t i = 0; i < count; i++)
        measure(t, lw_object_list_at(t->held, i));
    print_titles(t);
    for (size_t i = 0; i < count; i++)
        print_row(t, lw_object_list_at(t->held, i));
    t->is_begun = true;
}

lw_status table_add(table *t, const lw_object *obj)
{
    t->row_count++;
    if (!t->is_begun && lw_object_list_count(t->held) < HELD_ROWS)
        return lw_object_list_append(t->held, obj);
    if (!t->is_begun)
        table_begin(t);
    print_row(t, obj);
    return LW_OK;
}

size_t table_finish(table *t)
{
    if (!t->is_begun && t->row_count > 0)
        table_begin(t);
    return t->row_count;
}
