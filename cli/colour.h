/* SPDX-License-Identifier: Apache-2.0 */
/* colour.h -- colours of table cells on a terminal. */
#ifndef LISTWATCH_CLI_COLOUR_H
#define LISTWATCH_CLI_COLOUR_H

#include <stdbool.h>

/* Returns true if standard output is a terminal that shows colours: $NO_COLOR is not set (see
 * no-color.org) and $TERM is not "dumb". */
bool colour_is_on(void);

/* Returns the escape sequence for a cell of the column |title|, or "" for none. */
const char *colour_of_cell(const char *title, const char *text);

#define COLOUR_TITLE "\033[1m"
#define COLOUR_END   "\033[0m"

#endif
