/* SPDX-License-Identifier: Apache-2.0 */
/* saved.h -- objects as files keep them: as they are in memory, packed or not, so that nothing is
 * decoded or packed when they are read again.
 *
 * The bytes are a sequence of records (saved_format.h).  Before the first object that is unpacked
 * with a dictionary or a sibling, there is a record with that one.
 *
 * The reader checks all positions and lengths, so that no bytes make it read or write elsewhere.
 * It does not decode bodies: whoever keeps the bytes must notice damage (state_file.h has a
 * checksum). */
#ifndef LW_OBJECT_SAVED_SAVED_H
#define LW_OBJECT_SAVED_SAVED_H

#include "base/buf.h"
#include "object/compact/compact.h"
#include "object/object.h"

enum {
    LW_SAVED_PACKERS_MAX = 8, /* objects of more packers are written unpacked */
};

typedef struct lw_saved_writer lw_saved_writer;

/* LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_saved_writer_new(lw_saved_writer **out);
void lw_saved_writer_free(lw_saved_writer *writer); /* NULL does nothing */

/* Appends |obj| to |out|, which may be emptied before the next call.  All objects must exist until
 * the writer is freed.  LW_ERR_NOMEM, LW_ERR_LIMIT: of |out|. */
LW_MUST_CHECK lw_status lw_saved_writer_put(lw_saved_writer *writer, const lw_object *obj,
                                            lw_buf *out);

/* Appends a word that is read again before the object that is put next.  Errors as above. */
LW_MUST_CHECK lw_status lw_saved_writer_note(uint32_t note, lw_buf *out);

typedef struct lw_saved_sink {
    /* Gets the objects, one by one; an error ends the reading. */
    lw_status (*on_object)(const lw_object *obj, void *arg, lw_error *err);
    /* Finds how messages of a kind are read; false: not at all.  NULL: there are none. */
    bool (*find_message)(lw_str api_version, lw_str kind, const lw_message_ops **ops,
                         const void **type);
    lw_compact_options compact; /* for the packed objects */
    void *arg;
    /* Gets the note of the object that comes next.  NULL: notes are skipped. */
    void (*on_note)(uint32_t note, void *arg);
    size_t *read; /* how many of the bytes are not needed any more; NULL: nobody wants to know */
} lw_saved_sink;

/* Reads what a writer has written.  |*packer| is the one that most of the objects were packed with,
 * which can pack more of them, for lw_compact_close; NULL: none is packed.  LW_ERR_INVALID: the
 * bytes are malformed, and |err| says why; LW_ERR_NOMEM, or an error of the sink. */
LW_MUST_CHECK lw_status lw_saved_read(lw_str bytes, const lw_saved_sink *sink, lw_compact **packer,
                                      lw_error *err);

#endif
