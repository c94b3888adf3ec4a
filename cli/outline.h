/* SPDX-License-Identifier: Apache-2.0 */
/* outline.h -- indented lines "Label:  value" whose values are aligned, as `describe` prints
 * them. */
#ifndef LISTWATCH_CLI_OUTLINE_H
#define LISTWATCH_CLI_OUTLINE_H

#include <listwatch.h>

typedef struct outline outline;

/* NULL: out of memory. */
outline *outline_new(void);
void outline_free(outline *o);

/* Adds a line; |value| NULL: only the label.  The values of lines that follow one another are
 * aligned.  A failure is remembered until outline_print. */
void outline_add(outline *o, int level, const char *label, const char *value);

/* Adds the members of the object |value|, with their labels in words ("apiVersion" becomes "API
 * Version"); |hidden| is a NULL-terminated list of members that are left out. */
void outline_add_members(outline *o, int level, lw_document *doc, const lw_value *value,
                         const char *const *hidden);

/* Prints and removes all lines.  LW_ERR_NOMEM. */
lw_status outline_print(outline *o);

#endif
