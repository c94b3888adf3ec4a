/* SPDX-License-Identifier: Apache-2.0 */
/* value_parser.h -- parses the values of the store into objects.
 *
 * One scanner is reused for many values.  Threads: one at a time. */
#ifndef LW_CACHE_VALUE_PARSER_H
#define LW_CACHE_VALUE_PARSER_H

#include <listwatch/object.h>

#include "object/object_spare.h"
#include "store/store.h"
#include "json/scan.h"

typedef struct lw_value_parser {
    lw_scan *scan;
    lw_object *found;              /* set by the scan in progress */
    lw_object_spare scanned, made; /* the memory of |found|, and of the objects that come back */
} lw_value_parser;

/* Creates the scanner.  LW_ERR_NOMEM.  The parser must not move until lw_value_parser_done. */
lw_status lw_value_parser_init(lw_value_parser *parser, lw_error *err);
void lw_value_parser_done(lw_value_parser *parser); /* accepts a zeroed parser */

/* Parses the value of |record|, which is one complete object, and sets its resourceVersion to the
 * revision of the last put, and whether it is stale (lw_object__mark_stale).
 * LW_ERR_NOMEM; LW_ERR_INVALID: the value is not an object; |err| names the key. */
lw_status lw_value_parse(lw_value_parser *parser, const lw_store_record *record, lw_object **out,
                         lw_error *err);

/* Releases a reference to |obj|, the last object that was parsed; if nobody else has one, its
 * memory is used for the next object. */
void lw_value_parser_unref(lw_value_parser *parser, lw_object *obj);

#endif
