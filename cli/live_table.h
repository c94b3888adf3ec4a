/* SPDX-License-Identifier: Apache-2.0 */
/* live_table.h -- a table that fills the terminal and is redrawn in place.
 *
 * Keys: q quits, / filters (Enter keeps the filter, Esc clears it), s sorts by the next column, r
 * reverses the order. */
#ifndef LISTWATCH_CLI_LIVE_TABLE_H
#define LISTWATCH_CLI_LIVE_TABLE_H

#include <stdbool.h>

#include "screen_rows.h"

enum {
    LIVE_FILTER_SIZE = 64,
};

typedef struct live_table {
    bool has_keys;  /* standard input is a terminal in raw mode */
    bool is_typing; /* the filter is being typed */
    bool is_sorted, is_reverse;
    size_t sort_column;
    size_t column_count; /* when it was drawn last */
    char filter[LIVE_FILTER_SIZE];
} live_table;

/* Switches to the alternate screen and reads keys; live_table_end returns to the normal screen,
 * also before the process ends by an error. */
void live_table_begin(live_table *t);
void live_table_end(live_table *t);

/* Reads the keys that were pressed.  Returns false for the end; sets |*is_changed| if the table
 * must be redrawn. */
bool live_table_read_keys(live_table *t, bool *is_changed);

/* Draws |title| and the rows, which are filtered and sorted, as far as they fit. */
void live_table_draw(live_table *t, screen_rows *rows, const char *title);

#endif
