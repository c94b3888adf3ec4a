/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.h -- converts YAML 1.1, as Kubernetes reads and writes it, to and from a JSON tree. */
#ifndef LW_JSON_YAML_YAML_H
#define LW_JSON_YAML_YAML_H

#include "json/tree.h"

/* Reads a stream of documents separated by "---", each YAML or JSON.  A document that begins with
 * '{' is read as JSON if it is JSON, and JSON objects may follow one another without a separator,
 * as kubectl accepts them.  UTF-8 only.  One thread at a time. */
typedef struct lw_yaml_reader lw_yaml_reader;

/* Makes a reader of |text|, which must outlive it.  LW_ERR_NOMEM. */
lw_status lw_yaml_reader_new(lw_yaml_reader **out, lw_str text);
void lw_yaml_reader_free(lw_yaml_reader *reader);

/* From now on, each duplicate key in a YAML map appends a line to |out|, which must outlive the
 * reader: 'line 9: key "foo" already set in map'.  JSON documents are not checked. */
void lw_yaml_reader_report_duplicates(lw_yaml_reader *reader, lw_buf *out);

/* From now on documents are charged to |budget| (may be NULL), which must outlive the reader and
 * the trees that it makes.  When it is over, reading fails with LW_ERR_LIMIT. */
void lw_yaml_reader_set_budget(lw_yaml_reader *reader, lw_budget *budget);

/* Reads the next document into a new tree (limit: see lw_tree_new), or sets |*out| to NULL at the
 * end of the stream.  An empty document is a tree whose root is null.
 * Scalars are converted as Kubernetes reads YAML 1.1: yes/no/on/off and y/n are booleans, 0777 and
 * 0o777 are octal, timestamps are strings.  Keys become strings; of two keys with the same name,
 * the last value is used.  "<<" merges a map: its members replace those before the "<<", and
 * members after it replace them.  Aliases are expanded, within limits. LW_ERR_SYNTAX: malformed;
 * LW_ERR_INVALID: YAML that JSON cannot represent (.inf, null or a map as a key, a scalar that does
 * not match its tag); LW_ERR_LIMIT: too large, too deep, too many aliases; all with line and column
 * in the message, and the offset.  LW_ERR_NOMEM.  After an error the reader returns the same error
 * again. */
lw_status lw_yaml_reader_next(lw_yaml_reader *reader, size_t limit, lw_tree **out, lw_error *err);

/* Appends |node| (NULL: null) as one YAML document, as kubectl prints it: block style, two spaces,
 * lists not indented below their key, long strings folded at 80 columns, keys in the order of the
 * tree, strings in quotes only if they would be read as something else.  Numbers are written as
 * 64-bit integers or as doubles.  LW_ERR_NOMEM, LW_ERR_LIMIT (the limit of the buffer, or deeper
 * than LW_TREE_DEPTH), LW_ERR_INVALID (a string is not UTF-8); then the output is incomplete. */
lw_status lw_yaml_write(lw_buf *out, const lw_node *node);

#endif
