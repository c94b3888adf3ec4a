/* SPDX-License-Identifier: Apache-2.0 */
/* live_table.c -- a table on a terminal that always shows the current state of the cache. */
#include "live_table.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "table.h"

enum {
    DEFAULT_LINES = 24,
    /* Our title, the table's header, the count of objects that do not fit, the cursor. */
    LINES_AROUND = 4,
};

static size_t terminal_lines(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        return size.ws_row;
    return DEFAULT_LINES;
}

void live_table_begin(void)
{
    fputs("\033[?7l", stdout);
}

void live_table_end(void)
{
    fputs("\033[?7h", stdout);
}

lw_status live_table_draw(const lw_lister *lister, bool is_wide, const char *title)
{
    lw_object_list *objects = lw_lister_list(lister, NULL, NULL);
    table *t = table_new(is_wide);
    size_t lines = terminal_lines();
    size_t room = lines > LINES_AROUND ? lines - LINES_AROUND : 1;
    size_t count = lw_object_list_count(objects);
    lw_status st = objects && t ? LW_OK : LW_ERR_NOMEM;
    if (st == LW_OK)
        lw_object_list_sort(objects);
    for (size_t i = 0; st == LW_OK && i < count && i < room; i++)
        st = table_add(t, lw_object_list_at(objects, i));
    if (st == LW_OK) {
        fputs("\033[H\033[J", stdout);
        print_plain(title);
        putchar('\n');
        (void)table_finish(t);
        if (count > room)
            printf("and %zu more\n", count - room);
    }
    table_free(t);
    lw_object_list_free(objects);
    return st;
}
