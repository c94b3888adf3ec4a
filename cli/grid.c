/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c -- prints rows of text in aligned columns, whose widths are determined by the first
 * rows. */
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"

enum {
    HELD_ROWS = 500, /* rows that determine the column widths */
    GAP = 3,         /* spaces between columns, like kubectl */
    NARROWEST = 3,   /* the width of a column without its gap, like kubectl */
    COLUMNS_MAX = 256,
};

struct grid {
    bool has_no_titles;
    bool has_colours;
    bool is_begun; /* the widths are determined and the titles are printed */
    size_t column_count, row_count, held_count;
    char *titles[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX];
    char **held[HELD_ROWS]; /* rows, each with its cells */
};

grid *grid_new(bool has_no_titles)
{
    grid *g = calloc(1, sizeof(*g));
    if (!g)
        return NULL;
    g->has_no_titles = has_no_titles;
    g->has_colours = colour_is_on();
    return g;
}

static void free_row(const grid *g, char **cells)
{
    for (size_t i = 0; cells && i < g->column_count; i++)
        free(cells[i]);
    free(cells);
}

void grid_free(grid *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->held_count; i++)
        free_row(g, g->held[i]);
    for (size_t i = 0; i < g->column_count; i++)
        free(g->titles[i]);
    free(g);
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

lw_status grid_add_column(grid *g, const char *title)
{
    if (g->column_count == COLUMNS_MAX)
        return LW_ERR_LIMIT;
    char *copy = strdup(title);
    if (!copy)
        return LW_ERR_NOMEM;
    size_t width = g->has_no_titles ? 0 : text_width(title);
    g->titles[g->column_count] = copy;
    g->widths[g->column_count++] = width < NARROWEST ? NARROWEST : width;
    return LW_OK;
}

size_t grid_column_count(const grid *g)
{
    return g->column_count;
}

size_t grid_row_count(const grid *g)
{
    return g->row_count;
}

static void print_cell(const grid *g, size_t i, const char *text, const char *colour)
{
    size_t used = text_width(text);
    fputs(colour, stdout);
    print_plain(text);
    if (colour[0])
        fputs(COLOUR_END, stdout);
    for (; i + 1 < g->column_count && used < g->widths[i] + GAP; used++)
        putchar(' ');
}

static void print_row(const grid *g, const char *const *cells)
{
    for (size_t i = 0; i < g->column_count; i++)
        print_cell(g, i, cells[i], g->has_colours ? colour_of_cell(g->titles[i], cells[i]) : "");
    putchar('\n');
}

static void print_titles(const grid *g)
{
    for (size_t i = 0; i < g->column_count; i++)
        print_cell(g, i, g->titles[i], g->has_colours ? COLOUR_TITLE : "");
    putchar('\n');
}

void grid_flush(grid *g)
{
    if (!g->is_begun && g->row_count > 0 && !g->has_no_titles)
        print_titles(g);
    g->is_begun = g->row_count > 0;
    for (size_t i = 0; i < g->held_count; i++) {
        print_row(g, (const char *const *)g->held[i]);
        free_row(g, g->held[i]);
    }
    g->held_count = 0;
}

static lw_status hold(grid *g, const char *const *cells)
{
    char **row = calloc(g->column_count, sizeof(*row));
    bool is_whole = row != NULL;
    for (size_t i = 0; is_whole && i < g->column_count; i++) {
        row[i] = strdup(cells[i]);
        is_whole = row[i] != NULL;
    }
    if (!is_whole) {
        free_row(g, row);
        return LW_ERR_NOMEM;
    }
    g->held[g->held_count++] = row;
    for (size_t i = 0; i < g->column_count; i++) {
        size_t width = text_width(cells[i]);
        if (width > g->widths[i])
            g->widths[i] = width;
    }
    return LW_OK;
}

lw_status grid_add_row(grid *g, const char *const *cells)
{
    if (!g->is_begun && g->held_count == HELD_ROWS)
        grid_flush(g);
    if (!g->is_begun) {
        lw_status st = hold(g, cells);
        if (st < 0)
            return st;
    }
    g->row_count++;
    if (g->is_begun)
        print_row(g, cells);
    return LW_OK;
}
