/* SPDX-License-Identifier: Apache-2.0 */
/* value_parser.h -- parses the values of the store into objects.
 *
 * One scanner is reused for many values.  Threads: one at a time. */
#ifndef LW_CACHE_VALUE_PARSER_H
#define LW_CACHE_VALUE_PARSER_H

#include <listwatch/object.h>

#include "json/scan.h"

typedef struct lw_value_parser {
    lw_scan *scan;
    lw_object *found; /* set by the scan in progress */
} lw_value_parser;

/* Creates the scanner.  LW_ERR_NOMEM.  The parser must not move until lw_value_parser_done. */
lw_status lw_value_parser_init(lw_value_parser *parser, lw_error *err);
void lw_value_parser_done(lw_value_parser *parser); /* accepts a zeroed parser */

/* Parses |value|, which is one complete object, and sets its resourceVersion to |revision| and
 * whether it is stale (lw_object__mark_stale).
 * LW_ERR_NOMEM; LW_ERR_INVALID: |value| is not an object; |err| names |key|. */
lw_status lw_value_parse(lw_value_parser *parser, lw_str key, lw_str value, uint64_t revision,
                         bool is_stale, lw_object **out, lw_error *err);

#endif
