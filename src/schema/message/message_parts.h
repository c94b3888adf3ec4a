/* SPDX-License-Identifier: Apache-2.0 */
/* message_parts.h -- internal functions of this module. */
#ifndef LW_SCHEMA_MESSAGE_MESSAGE_PARTS_H
#define LW_SCHEMA_MESSAGE_MESSAGE_PARTS_H

#include "object/object_message.h"
#include "schema/message/message_known.h"
#include "schema/types/type.h"

/* Three of the functions of lw_message_ops; |type| is an lw_type. */
lw_status lw_message__find(const void *type, lw_str message, lw_str path, char separator,
                           lw_message_value *value);
lw_status lw_message__write(const lw_message_value *value, lw_buf *out);
lw_status lw_message__controller(lw_str message, lw_owner_reference *out);

/* Checks |message|, whose field |skipped| of its first field (the managedFields of metadata; 0:
 * none) is not looked at.  After LW_OK all of it can be written as JSON, and nothing is lost.
 * LW_ERR_SYNTAX: malformed.  LW_ERR_LIMIT: nested too deep.  LW_ERR_UNSUPPORTED: it has a field
 * that the type does not declare, but the JSON of the server has it. */
LW_MUST_CHECK lw_status lw_message__check(const lw_type *type, lw_str message, unsigned skipped,
                                          lw_error *err);

/* Returns true if |message| passes a faster check, which rejects more: anything that servers do not
 * write.  |known|, which may be NULL, makes it faster still; it gets the messages in it. */
bool lw_message__is_good(const lw_type *type, lw_str message, lw_known_messages *known);

#endif
