/* SPDX-License-Identifier: Apache-2.0 */
/* check_keys.h -- finds duplicate keys of an object. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_KEYS_H
#define LW_SCHEMA_VALIDATION_CHECK_KEYS_H

#include <stdbool.h>

#include <listwatch/error.h>

#include "json/cursor.h"

/* Checks the object at |at|.  |*again| has one entry per member, true if an earlier member has the
 * same key after decoding; free it with lw_free.  NULL: all keys differ.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_check_repeated_keys(lw_json_cursor at, bool **again);

#endif
