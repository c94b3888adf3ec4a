/* SPDX-License-Identifier: Apache-2.0 */
/* list_writer.h -- a list as a document, item by item, in each of its shapes: as it is, as a Table,
 * as PartialObjectMetadataList. */
#ifndef LW_API_MEDIA_LIST_WRITER_H
#define LW_API_MEDIA_LIST_WRITER_H

#include "api/media/media.h"
#include "schema/kinds/table.h"
#include "json/writer.h"

typedef struct lw_list_writer {
    const lw_kind *kind;
    lw_media_as as;
    lw_table_form form;
    lw_json_writer w;
    lw_buf api_version; /* of the kind */
    lw_buf metadata;    /* of the list, JSON */
    lw_buf prefix;      /* how each object begins, down to what an item keeps; may be empty */
    lw_buf scratch;     /* the item at hand */
} lw_list_writer;

/* What stands in the list's metadata. */
typedef struct lw_api_list_metadata {
    uint64_t revision;
    lw_str continue_token; /* empty: none */
    int64_t remaining;     /* < 0: not said */
} lw_api_list_metadata;

/* Appends the metadata as JSON; with |has_token| (lists of custom resources) also an empty one. */
void lw_list_metadata_write(const lw_api_list_metadata *metadata, bool has_token, lw_buf *out);

/* Writes into |out|.  |form|: with LW_MEDIA_TABLE; its strings outlive the writer.  LW_ERR_NOMEM.
 * Call lw_list_writer_done in any case. */
lw_status lw_list_writer_init(lw_list_writer *writer, const lw_kind *kind, lw_media_as as,
                              const lw_table_form *form, const lw_api_list_metadata *metadata,
                              lw_buf *out, lw_json_form json_form);
void lw_list_writer_done(lw_list_writer *writer);

/* All that comes before the first item, one item, and all that comes after the last.  Failures
 * stick: see lw_list_writer_status. */
void lw_list_writer_begin(lw_list_writer *writer);
void lw_list_writer_item(lw_list_writer *writer, const lw_object *obj);
void lw_list_writer_end(lw_list_writer *writer);

lw_status lw_list_writer_status(const lw_list_writer *writer);

/* The bytes of |obj| that an item of the list consists of, after "{", where they can be taken as
 * they stand; false: the item must be copied (lw_list_writer_copy). */
bool lw_list_writer_tail(const lw_list_writer *writer, const lw_object *obj, lw_str *tail);

/* Appends |obj| as an item: without its kind and apiVersion, unless the kind is a custom one. */
void lw_list_writer_copy(const lw_list_writer *writer, const lw_object *obj, lw_buf *out);

#endif
