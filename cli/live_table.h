/* SPDX-License-Identifier: Apache-2.0 */
/* live_table.h -- a table on a terminal that is always as the cache is. */
#ifndef LISTWATCH_CLI_LIVE_TABLE_H
#define LISTWATCH_CLI_LIVE_TABLE_H

#include <stdbool.h>

#include <listwatch.h>

/* Clears the terminal and draws what fits on it, below |title|.  LW_ERR_NOMEM. */
lw_status live_table_draw(const lw_lister *lister, bool is_wide, const char *title);

/* Lines that are too long end at the edge while a table is live ... */
void live_table_begin(void);

/* ... and go on below it afterwards, as usual. */
void live_table_end(void);

#endif
