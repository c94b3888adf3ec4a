/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_parser.h -- documents of YAML proper to trees; yaml.h is what others use.
 * Knows nothing of JSON's own syntax, of lines and columns, of what stands around its text. */
#ifndef LW_JSON_YAML_PARSER_H
#define LW_JSON_YAML_PARSER_H

#include "json/tree.h"

typedef struct lw_yaml_parser lw_yaml_parser;

/* A parser over the UTF-8 |text|, without a byte order mark, which must outlive it.
 * LW_ERR_NOMEM. */
lw_status lw_yaml_parser_new(lw_yaml_parser **out, lw_str text);
void lw_yaml_parser_free(lw_yaml_parser *parser);

/* As lw_yaml_reader_tell_duplicates; so many lines are before the text. */
void lw_yaml_parser_tell_duplicates(lw_yaml_parser *parser, lw_buf *out, size_t lines_before);

/* Reads the next document into a new tree, or sets |*out| to NULL at the end.  |err| is required;
 * its offset is a byte in the text.  LW_ERR_SYNTAX; LW_ERR_INVALID: something JSON cannot say;
 * LW_ERR_LIMIT; LW_ERR_NOMEM.  After an error the parser is good for freeing only. */
lw_status lw_yaml_parser_next(lw_yaml_parser *parser, size_t limit, lw_tree **out, lw_error *err);

#endif
