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

/* Reads the next document into a new tree (limit: see lw_tree_new), or sets |*out| to NULL at the
 * end of the stream.  An empty document is a tree whose root is null.
 * Scalars become JSON as in YAML 1.1 read by Kubernetes: yes/no/on/off and y/n are booleans, 0777
 * and 0o777 octal, timestamps stay strings; keys become strings, and of two with the same name the
 * last counts; "<<" merges at its place, over members before it and under members after it;
 * anchors and aliases are followed, with what they expand to bounded.
 * LW_ERR_SYNTAX: malformed; LW_ERR_INVALID: YAML that JSON cannot say (.inf, null or a map as a
 * key, a tag that does not fit); LW_ERR_LIMIT: too large, too deep, too many aliases; these with
 * line and column in the message, and the offset.  LW_ERR_NOMEM.  After an error the reader gives
 * the same answer ever after. */
lw_status lw_yaml_reader_next(lw_yaml_reader *reader, size_t limit, lw_tree **out, lw_error *err);

/* Appends |node| (NULL: null) as one YAML document, as kubectl prints it: block style, two spaces,
 * lists not indented below their key, long strings folded at 80 columns, keys in the order the
 * tree has them, strings quoted only where they would read as something else.  Numbers are written
 * as integers of 64 bits or as doubles.  LW_ERR_NOMEM, LW_ERR_LIMIT (the buffer's, or deeper than
 * LW_TREE_DEPTH), LW_ERR_INVALID (a string is not UTF-8); what was appended is then incomplete. */
lw_status lw_yaml_write(lw_buf *out, const lw_node *node);

#endif
