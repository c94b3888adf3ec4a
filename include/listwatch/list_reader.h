/* SPDX-License-Identifier: Apache-2.0 */
/* list_reader.h -- objects out of a list document while its bytes arrive.
 *
 * Feed the body of a list ({"kind":"PodList","metadata":{...},"items":[...]}) in chunks of any
 * size: each object is handed over as soon as it is complete, and no more than one is held.
 * Sans-I/O, one thread at a time.
 *
 * Items of a typed list carry no apiVersion and kind.  Where the list's own kind came before its
 * items, as servers write typed lists, the objects report "v1" and "Pod" for a "PodList", as
 * client-go fills them in; their JSON stays as it came. */
#ifndef LISTWATCH_LIST_READER_H
#define LISTWATCH_LIST_READER_H

#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>
#include <listwatch/object_list.h>

LW_BEGIN_DECLS

/* Gets one object, borrowed: take a reference to keep it.  A negative status, with the reason in
 * |err| (may be NULL), stops the reading and is what the feeding call returns.  Must not call the
 * reader. */
typedef lw_status (*lw_object_fn)(const lw_object *obj, void *arg, lw_error *err);

typedef struct lw_list_reader_options {
    lw_read_options read;
    lw_object_fn on_object; /* may be NULL: only the metadata is wanted */
    void *arg;              /* for on_object */
} lw_list_reader_options;

typedef struct lw_list_reader lw_list_reader;

/* LW_ERR_INVALID: a path in |options| is malformed, or would drop what identifies an object.
 * LW_ERR_NOMEM. */
LW_API lw_status lw_list_reader_new(lw_list_reader **out, const lw_list_reader_options *options,
                                    lw_error *err);
LW_API void lw_list_reader_free(lw_list_reader *reader);

/* Takes |len| further bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (no list), LW_ERR_LIMIT (an
 * object too large or too deep), each with the offset; LW_ERR_NOMEM; or what on_object returned.
 * After an error the reader gives the same answer until it is reset. */
LW_API lw_status lw_list_reader_feed(lw_list_reader *reader, const char *bytes, size_t len,
                                     lw_error *err);

/* Says that the document ends here.  LW_ERR_SYNTAX: it is cut short.  LW_ERR_INVALID: it has no
 * items, so it is no list (a Status, perhaps). */
LW_API lw_status lw_list_reader_finish(lw_list_reader *reader, lw_error *err);

/* What the list says of itself, complete after lw_list_reader_finish.  Dies with the next reset. */
LW_API const lw_list_metadata *lw_list_reader_metadata(const lw_list_reader *reader);

/* Starts afresh, for the next page; keeps the memory. */
LW_API void lw_list_reader_reset(lw_list_reader *reader);

LW_END_DECLS

#endif
