/* SPDX-License-Identifier: Apache-2.0 */
/* list_reader.h -- reads the objects of a list document while its bytes arrive.
 *
 * The body of a list ({"kind":"PodList","metadata":{...},"items":[...]}) is passed in chunks of any
 * size.  Each object is delivered as soon as it is complete, and only one is in memory at a time.
 * The reader does no I/O; only one thread at a time may use it.
 *
 * Items of a typed list have no apiVersion and kind.  If the kind of the list comes before its
 * items, as servers write typed lists, the objects report "v1" and "Pod" for a "PodList", as in
 * client-go; their JSON is not changed. */
#ifndef LISTWATCH_LIST_READER_H
#define LISTWATCH_LIST_READER_H

#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>
#include <listwatch/object_list.h>

LW_BEGIN_DECLS

/* Called with each object, which is borrowed: take a reference to keep it.  A negative status, with
 * the reason in |err| (may be NULL), stops the reader, and lw_list_reader_feed returns it.  Must
 * not call the reader. */
typedef lw_status (*lw_object_fn)(const lw_object *obj, void *arg, lw_error *err);

typedef struct lw_list_reader_options {
    lw_read_options read;
    lw_object_fn on_object; /* may be NULL if only the metadata is needed */
    void *arg;              /* for on_object */
} lw_list_reader_options;

typedef struct lw_list_reader lw_list_reader;

/* Make and free a reader.  LW_ERR_INVALID: a path in |options| is malformed, or would drop a part
 * of the identity of an object.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_list_reader_new(lw_list_reader **out,
                                                  const lw_list_reader_options *options,
                                                  lw_error *err);
LW_API void lw_list_reader_free(lw_list_reader *reader);

/* Reads the next |len| bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (not a list), LW_ERR_LIMIT
 * (an object is too large or nested too deeply), each with the offset; LW_ERR_NOMEM; or the status
 * that on_object returned.  After an error the reader returns the same error until it is reset. */
LW_MUST_CHECK LW_API lw_status lw_list_reader_feed(lw_list_reader *reader, const char *bytes,
                                                   size_t len, lw_error *err);

/* Ends the document.  LW_ERR_SYNTAX: the document is truncated.  LW_ERR_INVALID: the document has
 * no items, so it is not a list (it may be a Status). */
LW_MUST_CHECK LW_API lw_status lw_list_reader_finish(lw_list_reader *reader, lw_error *err);

/* Returns the metadata of the list, which is complete after lw_list_reader_finish.  Valid until the
 * next reset. */
LW_API const lw_list_metadata *lw_list_reader_metadata(const lw_list_reader *reader);

/* Resets the reader for the next page; it keeps its memory. */
LW_API void lw_list_reader_reset(lw_list_reader *reader);

LW_END_DECLS

#endif
