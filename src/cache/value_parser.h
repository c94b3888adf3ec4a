/* SPDX-License-Identifier: Apache-2.0 */
/* value_parser.h -- objects out of the values of the store.
 *
 * One scanner for many values.  One thread at a time. */
#ifndef LW_CACHE_VALUE_PARSER_H
#define LW_CACHE_VALUE_PARSER_H

#include <listwatch/object.h>

#include "json/scan.h"

typedef struct lw_value_parser {
    lw_scan *scan;
    lw_object *found; /* by the scan that is under way */
} lw_value_parser;

/* LW_ERR_NOMEM.  The parser must not move until lw_value_parser_done. */
lw_status lw_value_parser_init(lw_value_parser *parser, lw_error *err);
void lw_value_parser_done(lw_value_parser *parser); /* a zeroed one too */

/* The object in |value|, all of it, with |revision| as its resourceVersion.  LW_ERR_NOMEM;
 * LW_ERR_INVALID: it is none, and |err| says which |key| has it. */
lw_status lw_value_parse(lw_value_parser *parser, lw_str key, lw_str value, uint64_t revision,
                         lw_object **out, lw_error *err);

#endif
