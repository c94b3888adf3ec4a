/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.h -- YAML 1.1 as Kubernetes reads and writes it, to and from a JSON tree. */
#ifndef LW_JSON_YAML_H
#define LW_JSON_YAML_H

#include "json/tree.h"

/* Reads a stream of YAML documents ("---" between them); JSON is YAML, so it reads that too. */
typedef struct lw_yaml_reader lw_yaml_reader;

/* A reader over |text|, which must outlive it.  LW_ERR_NOMEM. */
lw_status lw_yaml_reader_new(lw_yaml_reader **out, lw_str text);
void lw_yaml_reader_free(lw_yaml_reader *reader);

/* Reads the next document into a new tree (limit: see lw_tree_new), or sets |*out| to NULL at the
 * end of the stream.  An empty document is a tree whose root is null.
 * Scalars become JSON as in YAML 1.1 read by Kubernetes: yes/no/on/off and y/n are booleans, 0777
 * and 0o777 octal, timestamps stay strings; keys become strings; "<<" merges; anchors and aliases
 * are followed, with what they expand to bounded by the tree's limit.
 * LW_ERR_SYNTAX with line and column in the message and the offset; LW_ERR_LIMIT; LW_ERR_NOMEM. */
lw_status lw_yaml_reader_next(lw_yaml_reader *reader, size_t limit, lw_tree **out, lw_error *err);

/* Appends |node| as one YAML document, as kubectl prints it: block style, two spaces, lists not
 * indented below their key, keys in the order the tree has them, strings quoted only where they
 * would read as something else.  LW_ERR_NOMEM, LW_ERR_LIMIT (the buffer's). */
lw_status lw_yaml_write(lw_buf *out, const lw_node *node);

#endif
