/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.h -- reads objects from a file in the format of `kubectl -f`: JSON or YAML, any number
 * of documents; the items of lists are single objects.
 *
 * JSON (the first character that is not white space is '{') is read as it arrives: several
 * documents may follow one another, and only one object of a list is in memory at a time.  Anything
 * else is YAML, which is kept in memory until lw_manifest_reader_finish.  The reader does no I/O;
 * only one thread at a time may use it. */
#ifndef LISTWATCH_MANIFEST_H
#define LISTWATCH_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/list_reader.h>
#include <listwatch/object_list.h>

LW_BEGIN_DECLS

enum {
    LW_MANIFEST_YAML_MAX = 64 * 1024 * 1024, /* size limit of a YAML file, in bytes */
};

typedef struct lw_manifest_reader_options {
    lw_read_options read;
    lw_object_fn on_object;
    void *arg; /* for on_object */
} lw_manifest_reader_options;

typedef struct lw_manifest_reader lw_manifest_reader;

/* Make and free a reader.  LW_ERR_INVALID: a path in |options| is malformed, or would drop a part
 * of the identity of an object.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_manifest_reader_new(lw_manifest_reader **out,
                                                      const lw_manifest_reader_options *options,
                                                      lw_error *err);
LW_API void lw_manifest_reader_free(lw_manifest_reader *reader);

/* Reads the next |len| bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (neither a list nor an
 * object), LW_ERR_LIMIT (too large or nested too deeply), with the offset for JSON and with line
 * and column in the message for YAML; LW_ERR_NOMEM; or the status that on_object returned. */
LW_MUST_CHECK LW_API lw_status lw_manifest_reader_feed(lw_manifest_reader *reader,
                                                       const char *bytes, size_t len,
                                                       lw_error *err);

/* Ends the file.  Errors as lw_manifest_reader_feed.  A file without a document is not an error. */
LW_MUST_CHECK LW_API lw_status lw_manifest_reader_finish(lw_manifest_reader *reader, lw_error *err);

/* Returns true if a list has been read, even an empty one: this distinguishes one object from a
 * list of one object. */
LW_API bool lw_manifest_reader_has_list(const lw_manifest_reader *reader);

/* Makes a list from a complete manifest; |options| may be NULL.  Errors as
 * lw_manifest_reader_feed. */
LW_MUST_CHECK LW_API lw_status lw_object_list_from_manifest(lw_object_list **out, const char *text,
                                                            size_t len,
                                                            const lw_read_options *options,
                                                            lw_error *err);

LW_END_DECLS

#endif
