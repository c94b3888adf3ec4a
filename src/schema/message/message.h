/* SPDX-License-Identifier: Apache-2.0 */
/* message.h -- objects of built-in kinds from the protobuf that a server sends, which they keep.
 *
 * A list and a watch are cut into their messages by lengths, while their bytes arrive.  Each
 * message is checked, copied into an object without its managedFields, and read later where it is;
 * see object/object_message.h.  The readers do no I/O; only one thread at a time may use one. */
#ifndef LW_SCHEMA_MESSAGE_MESSAGE_H
#define LW_SCHEMA_MESSAGE_MESSAGE_H

#include <listwatch/list_reader.h>
#include <listwatch/watch_event.h>

#include "base/buf.h"

#include "object/object_message.h"

/* Returns true if objects of this kind can be read from protobuf. */
bool lw_message_has_kind(lw_str api_version, lw_str kind);

/* Finds how objects of that kind are read (object/object_message.h); false if not as protobuf. */
bool lw_message_find_kind(lw_str api_version, lw_str kind, const lw_message_ops **ops,
                          const void **type);

/* Makes an object from |document|, protobuf in its envelope; |*read| says what is kept, and must
 * not have paths.  LW_ERR_SYNTAX: malformed.  LW_ERR_LIMIT: too large or nested too deep.
 * LW_ERR_UNSUPPORTED: of an unknown kind, or with fields that this version does not know, so that
 * JSON must be read instead.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_message_object(lw_object **out, lw_str document,
                                          const lw_read_options *read, lw_error *err);

/* Returns true if |bytes| begin like protobuf in an envelope. */
bool lw_message_is_document(lw_str bytes);

/* Appends the JSON of |document|, protobuf of any built-in kind in its envelope.  Errors as
 * lw_message_object, except that unknown fields are lost. */
LW_MUST_CHECK lw_status lw_message_append_json(lw_str document, lw_buf *out, lw_error *err);

/* Reads a list, as list_reader.h does from JSON.  Feed returns the errors of lw_message_object, or
 * the status of the callback; after an error the reader must be freed. */
typedef struct lw_message_list lw_message_list;
LW_MUST_CHECK lw_status lw_message_list_new(lw_message_list **out,
                                            const lw_list_reader_options *options, lw_error *err);
void lw_message_list_free(lw_message_list *list);
LW_MUST_CHECK lw_status lw_message_list_feed(lw_message_list *list, const char *bytes, size_t len,
                                             lw_error *err);
/* LW_ERR_SYNTAX: the list is truncated. */
LW_MUST_CHECK lw_status lw_message_list_finish(lw_message_list *list, lw_error *err);
const lw_list_metadata *lw_message_list_metadata(const lw_message_list *list);

/* Reads the events of a watch, as watch_event.h does from JSON; errors as above. */
typedef struct lw_message_events lw_message_events;
LW_MUST_CHECK lw_status lw_message_events_new(lw_message_events **out,
                                              const lw_event_reader_options *options,
                                              lw_error *err);
void lw_message_events_free(lw_message_events *events);
LW_MUST_CHECK lw_status lw_message_events_feed(lw_message_events *events, const char *bytes,
                                               size_t len, lw_error *err);
/* LW_ERR_SYNTAX: the stream ended in the middle of an event. */
LW_MUST_CHECK lw_status lw_message_events_finish(lw_message_events *events, lw_error *err);

#endif
