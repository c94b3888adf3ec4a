/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath.h -- JSONPath templates as kubectl has them: "{.items[*].metadata.name}".
 *
 * A template is text with expressions in braces.  An expression is a path, a quoted text, or
 * "range PATH", which repeats what follows up to "{end}".  Steps of a path: .name, ['name'] (a
 * dot in a name is written \.), .*, [*], [n], [from:to:step], ..name, [a,b] and
 * [?(@.path OPERATOR value)] with == != < <= > >=.  One thread at a time. */
#ifndef LISTWATCH_CLI_JSONPATH_H
#define LISTWATCH_CLI_JSONPATH_H

#include <stdio.h>

#include <listwatch.h>

typedef struct jsonpath jsonpath;

/* Parses a template.  LW_ERR_SYNTAX (the message has the position), LW_ERR_LIMIT (nested too
 * deeply, too long), LW_ERR_NOMEM. */
lw_status jsonpath_parse(jsonpath **out, const char *text, lw_error *err);

/* Parses one path as --sort-by and custom-columns write it: with or without braces and the first
 * dot. Errors as jsonpath_parse. */
lw_status jsonpath_parse_relaxed(jsonpath **out, const char *text, lw_error *err);
void jsonpath_free(jsonpath *path);

/* Receives one value that a path has found.  A negative status ends the search. */
typedef lw_status (*jsonpath_value_fn)(lw_document *doc, const lw_value *value, void *arg);

/* Calls |on_value| with each value that the first path of the template finds in |root| (NULL: the
 * whole document).  LW_ERR_LIMIT: the path finds too many values.  LW_ERR_NOMEM, or the status of
 * |on_value|. */
lw_status jsonpath_find(const jsonpath *path, lw_document *doc, const lw_value *root,
                        jsonpath_value_fn on_value, void *arg, lw_error *err);

/* Receives a piece of the result. */
typedef lw_status (*jsonpath_text_fn)(const char *bytes, size_t len, void *arg);

/* Writes the template with the values of |doc|: strings as they are, everything else as JSON; the
 * values of one path are separated by spaces.  A path that finds nothing writes nothing.  Errors as
 * jsonpath_find. */
lw_status jsonpath_write(const jsonpath *path, lw_document *doc, jsonpath_text_fn write, void *arg,
                         lw_error *err);

/* Returns the text of a value: a string as it is, null as "", everything else as JSON.  Valid as
 * long as the document; NULL: out of memory. */
const char *jsonpath_text(lw_document *doc, const lw_value *value);

#endif
