/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h -- reads objects from JSON documents that are lists or single objects, as they
 * arrive.
 *
 * A document is a list if it has items, like in kubectl.  Of a list, one object is in memory at a
 * time; a single object is kept in memory as a whole, within the limit for one object. */
#ifndef LW_OBJECT_DOCUMENTS_H
#define LW_OBJECT_DOCUMENTS_H

#include <listwatch/list_reader.h>

typedef struct lw_documents_options {
    const lw_read_options *read; /* may be NULL; only used by lw_documents_new */
    bool is_stream;              /* several documents may follow one another */
    lw_object_fn on_object;
    void *arg;
} lw_documents_options;

typedef struct lw_documents lw_documents;

/* Errors of these as those of the list reader (list_reader.h). */
lw_status lw_documents_new(lw_documents **out, const lw_documents_options *options, lw_error *err);
void lw_documents_free(lw_documents *docs);
lw_status lw_documents_feed(lw_documents *docs, const char *bytes, size_t len, lw_error *err);
lw_status lw_documents_finish(lw_documents *docs, lw_error *err);

/* Returns the metadata of the last list. */
const lw_list_metadata *lw_documents_metadata(const lw_documents *docs);

/* Returns true if an item of a list, or a whole list, was read. */
bool lw_documents_has_list(const lw_documents *docs);

#endif
