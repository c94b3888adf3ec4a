/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h -- prints the difference of two texts in the unified format of diff(1). */
#ifndef LISTWATCH_CLI_LINES_H
#define LISTWATCH_CLI_LINES_H

#include <stdbool.h>

#include <listwatch/error.h>

/* Prints how |before| became |after|, with |name| in the two lines at the top.  Sets |*is_same| if
 * they are equal; then nothing is printed.  LW_ERR_NOMEM. */
lw_status lines_print_difference(const char *name, const char *before, const char *after,
                                 bool *is_same);

#endif
