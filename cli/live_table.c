/* SPDX-License-Identifier: Apache-2.0 */
/* live_table.c -- a table that fills the terminal and is redrawn in place.
 *
 * Each line is cleared to its end after it is written, so the screen does not flicker. */
#include "live_table.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "colour.h"
#include "grid.h"

enum {
    DEFAULT_LINES = 24,
    LINES_AROUND = 3, /* the title, the titles of the columns, the line at the bottom */
    GAP = 3,
    TITLE_SIZE = 256,
    KEY_ESCAPE = 27,
    KEY_DELETE = 127,
    KEY_BACKSPACE = 8,
};

#define END_OF_LINE "\033[K\r\n"

static struct termios normal;

static size_t terminal_lines(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        return size.ws_row;
    return DEFAULT_LINES;
}

void live_table_begin(live_table *t)
{
    t->has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &normal) == 0;
    if (t->has_keys) {
        struct termios raw = normal;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* Ctrl-C still is a signal */
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    fputs("\033[?1049h\033[?25l\033[?7l", stdout); /* alternate screen, no cursor, no wrapping */
}

void live_table_end(live_table *t)
{
    fputs("\033[?7h\033[?25h\033[?1049l", stdout);
    (void)fflush(stdout);
    if (t->has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &normal);
    t->has_keys = false;
}

/* A key while the filter is typed. */
static void type(live_table *t, char key)
{
    size_t len = strlen(t->filter);
    if (key == '\r' || key == '\n')
        t->is_typing = false;
    else if ((key == KEY_DELETE || key == KEY_BACKSPACE) && len > 0)
        t->filter[len - 1] = '\0';
    else if (key >= ' ' && key != KEY_DELETE && len + 1 < sizeof(t->filter)) {
        t->filter[len] = key;
        t->filter[len + 1] = '\0';
    }
}

static void sort_by_next(live_table *t)
{
    if (!t->is_sorted)
        t->sort_column = 0;
    else if (t->sort_column + 1 < t->column_count)
        t->sort_column++;
    else
        t->sort_column = 0;
    t->is_sorted = true;
}

bool live_table_read_keys(live_table *t, bool *is_changed)
{
    char keys[64];
    ssize_t count = t->has_keys ? read(STDIN_FILENO, keys, sizeof(keys)) : 0;
    for (ssize_t i = 0; i < count; i++) {
        char key = keys[i];
        *is_changed = true;
        if (key == KEY_ESCAPE) {
            t->is_typing = false;
            t->filter[0] = '\0';
            break; /* the rest may belong to a cursor key */
        }
        if (t->is_typing)
            type(t, key);
        else if (key == 'q')
            return false;
        else if (key == '/')
            t->is_typing = true;
        else if (key == 's')
            sort_by_next(t);
        else if (key == 'r')
            t->is_reverse = !t->is_reverse;
    }
    return true;
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void print_cell(const char *text, const char *colour, size_t width, bool is_last)
{
    fputs(colour, stdout);
    print_plain(text);
    if (colour[0])
        fputs(COLOUR_END, stdout);
    for (size_t used = width_of(text); !is_last && used < width + GAP; used++)
        putchar(' ');
}

/* The title of a column in upper case, with the direction if the table is sorted by it. */
static void write_title(const live_table *t, const screen_rows *rows, size_t i, char *out)
{
    const char *mark = t->is_sorted && t->sort_column == i ? (t->is_reverse ? " v" : " ^") : "";
    (void)snprintf(out, TITLE_SIZE, "%s%s", rows->titles[i], mark);
    for (size_t k = 0; out[k] && rows->titles[i][k]; k++) {
        if (out[k] >= 'a' && out[k] <= 'z')
            out[k] = (char)(out[k] - 'a' + 'A');
    }
}

static void measure(const live_table *t, const screen_rows *rows, size_t shown, size_t *widths)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        char title[TITLE_SIZE];
        write_title(t, rows, i, title);
        widths[i] = width_of(title);
        for (size_t k = 0; k < shown; k++) {
            size_t width = width_of(rows->at[k].cells[i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
}

static void draw_rows(const live_table *t, const screen_rows *rows, size_t shown)
{
    size_t widths[SCREEN_COLUMNS];
    bool has_colours = colour_is_on();
    char titles[SCREEN_COLUMNS][TITLE_SIZE];
    measure(t, rows, shown, widths);
    for (size_t i = 0; i < rows->column_count; i++) {
        write_title(t, rows, i, titles[i]);
        print_cell(titles[i], has_colours ? COLOUR_TITLE : "", widths[i],
                   i + 1 == rows->column_count);
        titles[i][strcspn(titles[i], " ")] = '\0'; /* without the mark, for the colours */
    }
    fputs(END_OF_LINE, stdout);
    for (size_t k = 0; k < shown; k++) {
        for (size_t i = 0; i < rows->column_count; i++) {
            const char *cell = rows->at[k].cells[i];
            print_cell(cell, has_colours ? colour_of_cell(titles[i], cell) : "", widths[i],
                       i + 1 == rows->column_count);
        }
        fputs(END_OF_LINE, stdout);
    }
}

static void draw_bottom(const live_table *t, size_t hidden)
{
    if (hidden > 0)
        printf("and %zu more; ", hidden);
    if (t->is_typing || t->filter[0]) {
        fputs("filter: ", stdout);
        print_plain(t->filter);
        fputs(t->is_typing ? "_" : " (Esc clears it)", stdout);
    } else if (t->has_keys) {
        fputs("q quit   / filter   s sort   r reverse", stdout);
    }
    fputs("\033[K", stdout);
}

void live_table_draw(live_table *t, screen_rows *rows, const char *title)
{
    size_t lines = terminal_lines();
    size_t room = lines > LINES_AROUND ? lines - LINES_AROUND : 1;
    t->column_count = rows->column_count;
    (void)screen_rows_filter(rows, t->filter);
    if (t->is_sorted)
        screen_rows_sort(rows, t->sort_column, t->is_reverse);
    size_t shown = rows->count < room ? rows->count : room;
    fputs("\033[H", stdout);
    print_plain(title);
    fputs(END_OF_LINE, stdout);
    draw_rows(t, rows, shown);
    fputs("\033[J", stdout);
    draw_bottom(t, rows->count - shown);
}
