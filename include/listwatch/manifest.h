/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.h -- objects out of a file as `kubectl -f` reads it: JSON or YAML, any number of
 * documents, lists opened up.
 *
 * JSON (the first byte that is no blank is '{') is read as it arrives: documents may follow one
 * another, and of a list no more than one object is held.  Anything else is YAML, which is held
 * whole until lw_manifest_reader_finish.  Sans-I/O, one thread at a time. */
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
    LW_MANIFEST_YAML_MAX = 64 * 1024 * 1024, /* bytes of a YAML file */
};

typedef struct lw_manifest_reader_options {
    lw_read_options read;
    lw_object_fn on_object;
    void *arg; /* for on_object */
} lw_manifest_reader_options;

typedef struct lw_manifest_reader lw_manifest_reader;

/* LW_ERR_INVALID: a path in |options| is malformed, or would drop what identifies an object.
 * LW_ERR_NOMEM. */
LW_API lw_status lw_manifest_reader_new(lw_manifest_reader **out,
                                        const lw_manifest_reader_options *options, lw_error *err);
LW_API void lw_manifest_reader_free(lw_manifest_reader *reader);

/* Takes |len| further bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (neither a list nor an
 * object), LW_ERR_LIMIT (too large, too deep), with the offset for JSON and line and column in the
 * message for YAML; LW_ERR_NOMEM; or what on_object returned. */
LW_API lw_status lw_manifest_reader_feed(lw_manifest_reader *reader, const char *bytes, size_t len,
                                         lw_error *err);

/* Says that the file ends here.  Errors as above.  A file without a document is fine. */
LW_API lw_status lw_manifest_reader_finish(lw_manifest_reader *reader, lw_error *err);

/* True once a list was seen, be it empty: so that one object can be told from a list of one. */
LW_API bool lw_manifest_reader_has_list(const lw_manifest_reader *reader);

/* Reads a whole manifest; |options| may be NULL. */
LW_API lw_status lw_object_list_from_manifest(lw_object_list **out, const char *text, size_t len,
                                              const lw_read_options *options, lw_error *err);

LW_END_DECLS

#endif
