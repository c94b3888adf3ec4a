/* SPDX-License-Identifier: Apache-2.0 */
/* server_table.c -- a table with the columns that the server has for a resource. */
#include "server_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age.h"
#include "grid.h"
#include "jsonpath.h"
#include "sorter.h"
#include "text.h"

enum {
    COLUMNS_MAX = 128,
    TITLE_SIZE = 256,
    CELL_POINTER_SIZE = 32,
};

/* A row that is held for --sort-by. */
typedef struct held_row {
    lw_document *doc;
    const lw_value *row;
} held_row;

struct server_table {
    server_table_options options;
    grid *grid;
    bool has_columns;          /* those of the grid are known */
    bool is_table;             /* the server sends a Table; otherwise objects */
    size_t cells[COLUMNS_MAX]; /* which cells of a row are shown */
    size_t cell_count;
    size_t name_cell; /* which of them is the name; COLUMNS_MAX: none */
    sorter *sorter;
    held_row *rows;
    size_t row_count, row_size;
    lw_document **docs; /* documents of held rows */
    size_t doc_count;
};

lw_status server_table_new(server_table **out, const server_table_options *options, lw_error *err)
{
    server_table *t = calloc(1, sizeof(*t));
    if (!t)
        return LW_ERR_NOMEM;
    t->options = *options;
    t->name_cell = COLUMNS_MAX;
    t->grid = grid_new(options->choice->has_no_headers);
    lw_status st = t->grid ? LW_OK : LW_ERR_NOMEM;
    if (st == LW_OK && options->choice->sort_by)
        st = sorter_new(&t->sorter, options->choice->sort_by, err);
    if (st < 0) {
        server_table_free(t);
        return st;
    }
    *out = t;
    return LW_OK;
}

void server_table_free(server_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->doc_count; i++)
        lw_document_free(t->docs[i]);
    free(t->docs);
    free(t->rows);
    sorter_free(t->sorter);
    grid_free(t->grid);
    free(t);
}

size_t server_table_rows(const server_table *t)
{
    return t->sorter && t->row_count > 0 ? t->row_count : grid_row_count(t->grid);
}

static void to_upper(char *text)
{
    for (; *text; text++)
        *text = (char)toupper((unsigned char)*text);
}

static lw_status add_title(server_table *t, const char *name)
{
    char title[TITLE_SIZE];
    (void)snprintf(title, sizeof(title), "%s", name);
    to_upper(title);
    return grid_add_column(t->grid, title);
}

static lw_status add_definitions(server_table *t, lw_document *doc, const lw_value *definitions)
{
    lw_status st = LW_OK;
    bool is_wide = t->options.choice->format == OUTPUT_WIDE;
    for (size_t i = 0; st == LW_OK && i < lw_document_count(definitions); i++) {
        const lw_value *one = lw_document_item(definitions, i);
        if (lw_document_int(doc, one, "/priority", 0) > 0 && !is_wide)
            continue;
        if (t->cell_count == COLUMNS_MAX)
            return LW_ERR_LIMIT;
        if (strcmp(lw_document_string(doc, one, "/format", ""), "name") == 0)
            t->name_cell = i;
        t->cells[t->cell_count++] = i;
        st = add_title(t, lw_document_string(doc, one, "/name", ""));
    }
    return st;
}

/* Calls |fn| with each label of -L; stops at the first failure. */
static lw_status each_label_column(const server_table *t,
                                   lw_status (*fn)(const char *label, void *arg), void *arg)
{
    lw_status st = LW_OK;
    for (const char *at = t->options.choice->label_columns; st == LW_OK && at && *at;) {
        char label[TITLE_SIZE];
        size_t len = strcspn(at, ",");
        (void)snprintf(label, sizeof(label), "%.*s", (int)len, at);
        st = fn(label, arg);
        at += len + (at[len] == ',');
    }
    return st;
}

static lw_status add_label_title(const char *label, void *arg)
{
    const char *slash = strrchr(label, '/');
    return add_title(arg, slash ? slash + 1 : label);
}

static lw_status add_columns(server_table *t, lw_document *doc)
{
    lw_status st = LW_OK;
    const lw_value *definitions = lw_document_find(doc, NULL, "/columnDefinitions");
    t->has_columns = true;
    t->is_table = definitions != NULL;
    if (t->options.shows_namespace)
        st = grid_add_column(t->grid, "NAMESPACE");
    if (st == LW_OK && t->is_table)
        st = add_definitions(t, doc, definitions);
    if (st == LW_OK && !t->is_table) {
        st = grid_add_column(t->grid, "NAME");
        if (st == LW_OK)
            st = grid_add_column(t->grid, "AGE");
    }
    if (st == LW_OK)
        st = each_label_column(t, add_label_title, t);
    return st == LW_OK && t->options.choice->shows_labels ? grid_add_column(t->grid, "LABELS") : st;
}

/* A row while it is put together; the texts belong to it. */
typedef struct row_cells {
    lw_document *doc;
    const lw_value *object;
    text_buf *cells;
    size_t count, size;
} row_cells;

static text_buf *next_cell(row_cells *row)
{
    return &row->cells[row->count < row->size ? row->count++ : row->size - 1];
}

/* A newline ends a cell, as in kubectl. */
static void add_cell(row_cells *row, const char *prefix, const char *value)
{
    text_buf *cell = next_cell(row);
    size_t len = strcspn(value, "\r\n");
    text_add(cell, prefix);
    text_add_bytes(cell, value, len);
    if (value[len])
        text_add(cell, "...");
}

static void add_labels_cell(row_cells *row)
{
    const lw_value *labels = lw_document_find(row->doc, row->object, "/metadata/labels");
    text_buf *cell = next_cell(row);
    for (size_t i = 0; i < lw_document_count(labels); i++) {
        lw_str key = lw_document_key(labels, i);
        if (i > 0)
            text_add(cell, ",");
        text_add_bytes(cell, key.ptr, key.len);
        text_add(cell, "=");
        text_add(cell, lw_document_string(row->doc, lw_document_item(labels, i), "", ""));
    }
    if (cell->len == 0)
        text_add(cell, "<none>");
}

static lw_status add_label_cell(const char *label, void *arg)
{
    row_cells *row = arg;
    const lw_value *labels = lw_document_find(row->doc, row->object, "/metadata/labels");
    const char *value = "";
    for (size_t i = 0; i < lw_document_count(labels); i++) {
        if (lw_str_equal(lw_document_key(labels, i), lw_str_of(label)))
            value = lw_document_string(row->doc, lw_document_item(labels, i), "", "");
    }
    add_cell(row, "", value);
    return LW_OK;
}

static void add_table_cells(const server_table *t, row_cells *row, const lw_value *from)
{
    const lw_value *cells = lw_document_find(row->doc, from, "/cells");
    for (size_t i = 0; i < t->cell_count; i++) {
        const lw_value *cell = lw_document_item(cells, t->cells[i]);
        const char *value = cell ? jsonpath_text(row->doc, cell) : "";
        bool is_name = t->cells[i] == t->name_cell;
        add_cell(row, is_name ? t->options.name_prefix : "", value ? value : "");
    }
}

static void add_object_cells(const server_table *t, row_cells *row)
{
    char age[AGE_SIZE];
    age_since(age, lw_document_string(row->doc, row->object, "/metadata/creationTimestamp", ""));
    add_cell(row, t->options.name_prefix,
             lw_document_string(row->doc, row->object, "/metadata/name", ""));
    add_cell(row, "", age);
}

static void fill_row(const server_table *t, row_cells *row, const lw_value *from)
{
    if (t->options.shows_namespace)
        add_cell(row, "", lw_document_string(row->doc, row->object, "/metadata/namespace", ""));
    if (t->is_table)
        add_table_cells(t, row, from);
    else
        add_object_cells(t, row);
    (void)each_label_column(t, add_label_cell, row);
    if (t->options.choice->shows_labels)
        add_labels_cell(row);
}

static lw_status print_row(server_table *t, lw_document *doc, const lw_value *from)
{
    size_t count = grid_column_count(t->grid);
    row_cells row = { .doc = doc, .size = count };
    const char **cells = calloc(count + 1, sizeof(*cells));
    lw_status st = LW_OK;
    row.cells = calloc(count + 1, sizeof(*row.cells));
    row.object = t->is_table ? lw_document_find(doc, from, "/object") : from;
    if (!cells || !row.cells || count == 0) {
        st = count == 0 ? LW_OK : LW_ERR_NOMEM;
    } else {
        fill_row(t, &row, from);
        for (size_t i = 0; i < count; i++) {
            st = st < 0 ? st : text_status(&row.cells[i]);
            cells[i] = text_of(&row.cells[i]);
        }
        if (st == LW_OK)
            st = grid_add_row(t->grid, cells);
        for (size_t i = 0; i < count; i++)
            text_done(&row.cells[i]);
    }
    free(row.cells);
    free(cells);
    return st;
}

static lw_status hold_row(server_table *t, lw_document *doc, const lw_value *row, lw_error *err)
{
    if (t->row_count == t->row_size) {
        size_t size = t->row_size ? t->row_size * 2 : 64;
        held_row *grown = realloc(t->rows, size * sizeof(*grown));
        if (!grown)
            return LW_ERR_NOMEM;
        t->rows = grown;
        t->row_size = size;
    }
    t->rows[t->row_count++] = (held_row){ doc, row };
    const lw_value *object = t->is_table ? lw_document_find(doc, row, "/object") : row;
    return sorter_add(t->sorter, doc, object, err);
}

static lw_status add_row(server_table *t, lw_document *doc, const lw_value *row, lw_error *err)
{
    return t->sorter ? hold_row(t, doc, row, err) : print_row(t, doc, row);
}

/* The document lives until the rows are printed. */
static lw_status keep_document(server_table *t, lw_document *doc)
{
    lw_document **grown = realloc(t->docs, (t->doc_count + 1) * sizeof(lw_document *));
    if (!grown)
        return LW_ERR_NOMEM;
    t->docs = grown;
    t->docs[t->doc_count++] = doc;
    return LW_OK;
}

static lw_status add_rows(server_table *t, lw_document *doc, lw_error *err)
{
    lw_status st = t->has_columns ? LW_OK : add_columns(t, doc);
    const lw_value *rows = lw_document_find(doc, NULL, t->is_table ? "/rows" : "/items");
    bool is_object = !t->is_table && !rows;
    if (st == LW_OK && is_object)
        st = add_row(t, doc, lw_document_find(doc, NULL, ""), err);
    for (size_t i = 0; st == LW_OK && i < lw_document_count(rows); i++)
        st = add_row(t, doc, lw_document_item(rows, i), err);
    return st;
}

lw_status server_table_add_take(server_table *t, lw_document *doc, lw_error *err)
{
    lw_status st = t->sorter ? keep_document(t, doc) : LW_OK;
    bool is_kept = t->sorter && st == LW_OK;
    if (st == LW_OK)
        st = add_rows(t, doc, err);
    if (!is_kept)
        lw_document_free(doc);
    return st;
}

lw_status server_table_flush(server_table *t)
{
    lw_status st = LW_OK;
    if (t->sorter)
        sorter_sort(t->sorter);
    for (size_t i = 0; st == LW_OK && i < t->row_count; i++) {
        const held_row *row = &t->rows[sorter_at(t->sorter, i)];
        st = print_row(t, row->doc, row->row);
    }
    t->row_count = 0;
    sorter_free(t->sorter);
    t->sorter = NULL;
    grid_flush(t->grid);
    return st;
}
