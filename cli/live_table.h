/* SPDX-License-Identifier: Apache-2.0 */
/* live_table.h -- a table on a terminal that always shows the current state of the cache. */
#ifndef LISTWATCH_CLI_LIVE_TABLE_H
#define LISTWATCH_CLI_LIVE_TABLE_H

#include <stdbool.h>

#include <listwatch.h>

/* Clears the terminal and draws |title| and as many objects as fit.  LW_ERR_NOMEM. */
lw_status live_table_draw(const lw_lister *lister, bool is_wide, const char *title);

/* Turns line wrapping off: long lines are cut at the edge of the terminal. */
void live_table_begin(void);

/* Turns line wrapping on again. */
void live_table_end(void);

#endif
