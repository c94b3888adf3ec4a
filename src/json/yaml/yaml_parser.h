/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_parser.h -- parses YAML documents to trees; other modules use yaml.h.
 *
 * It does not handle JSON syntax, lines and columns, or the text around its own. */
#ifndef LW_JSON_YAML_YAML_PARSER_H
#define LW_JSON_YAML_YAML_PARSER_H

#include "json/tree.h"

typedef struct lw_yaml_parser lw_yaml_parser;

/* Makes a parser of the UTF-8 |text|, without a byte order mark, which must outlive it.
 * LW_ERR_NOMEM. */
lw_status lw_yaml_parser_new(lw_yaml_parser **out, lw_str text);
void lw_yaml_parser_free(lw_yaml_parser *parser);

/* As lw_yaml_reader_report_duplicates, with the number of lines before the text. */
void lw_yaml_parser_report_duplicates(lw_yaml_parser *parser, lw_buf *out, size_t lines_before);

/* As lw_yaml_reader_set_budget. */
void lw_yaml_parser_set_budget(lw_yaml_parser *parser, lw_budget *budget);

/* Parses the next document into a new tree, or sets |*out| to NULL at the end.  |err| is required;
 * its offset is a byte in the text.  LW_ERR_SYNTAX; LW_ERR_INVALID: something that JSON cannot
 * express; LW_ERR_LIMIT; LW_ERR_NOMEM.  After an error the parser can only be freed. */
lw_status lw_yaml_parser_next(lw_yaml_parser *parser, size_t limit, lw_tree **out, lw_error *err);

#endif
