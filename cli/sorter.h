/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.h -- the order of --sort-by: by the value that a JSONPath finds in each object. */
#ifndef LISTWATCH_CLI_SORTER_H
#define LISTWATCH_CLI_SORTER_H

#include <listwatch.h>

typedef struct sorter sorter;

/* Parses the path.  Errors as jsonpath_parse. */
lw_status sorter_new(sorter **out, const char *path, lw_error *err);
void sorter_free(sorter *s);

/* Adds the next object: the value |root| of |doc| (NULL: all of it).  LW_ERR_NOMEM, LW_ERR_LIMIT.
 */
lw_status sorter_add(sorter *s, lw_document *doc, const lw_value *root, lw_error *err);

/* Sorts.  Returns which object comes at |index|, by the order in which they were added.  Objects
 * without a value come first; numbers and quantities are compared by value. */
void sorter_sort(sorter *s);
size_t sorter_at(const sorter *s, size_t index);

#endif
