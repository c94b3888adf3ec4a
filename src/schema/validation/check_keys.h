/* SPDX-License-Identifier: Apache-2.0 */
/* check_keys.h -- which keys of an object were there before. */
#ifndef LW_SCHEMA_VALIDATION_CHECK_KEYS_H
#define LW_SCHEMA_VALIDATION_CHECK_KEYS_H

#include <stdbool.h>

#include <listwatch/error.h>

#include "json/cursor.h"

/* Of the object under |at|: |*again| has an entry for each member, true for those whose key a
 * member before has too, escapes decoded; to lw_free.  NULL: all keys differ.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_check_repeated_keys(lw_json_cursor at, bool **again);

#endif
