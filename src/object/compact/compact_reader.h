/* SPDX-License-Identifier: Apache-2.0 */
/* compact_reader.h -- reads the JSON of many objects one after the other, for a thread that needs
 * it only once: packed bodies are unpacked into memory of the reader, so that threads do not wait
 * for each other's slots, and nothing is copied or kept.
 *
 * Threads: one at a time. */
#ifndef LW_OBJECT_COMPACT_COMPACT_READER_H
#define LW_OBJECT_COMPACT_COMPACT_READER_H

#include <listwatch/object.h>

#include "base/buf.h"

enum {
    LW_COMPACT_APPEND_SLACK = 64, /* free bytes that lw_compact_append wants besides the JSON */
};

typedef struct lw_compact_reader lw_compact_reader;

/* NULL: out of memory. */
lw_compact_reader *lw_compact_reader_new(void);
void lw_compact_reader_free(lw_compact_reader *reader); /* NULL does nothing */

/* Sets |*json| to the JSON of |obj|, valid as long as |obj| and until the next call.  LW_ERR_NOMEM:
 * as if |obj| could not be opened. */
LW_MUST_CHECK lw_status lw_compact_read(lw_compact_reader *reader, const lw_object *obj,
                                        lw_str *json);

/* Appends the JSON of |obj| without its first |skipped| bytes to |out|, if it begins with |begin|,
 * which is at least so long; |*is_appended| says whether it does.  A packed body is unpacked into
 * the buffer.  LW_ERR_NOMEM, LW_ERR_LIMIT: |out| has failed, or as if |obj| could not be opened. */
LW_MUST_CHECK lw_status lw_compact_append(lw_compact_reader *reader, const lw_object *obj,
                                          lw_str begin, size_t skipped, lw_buf *out,
                                          bool *is_appended);

#endif
