/* SPDX-License-Identifier: Apache-2.0 */
/* list_writer.h -- writes a list as JSON, item by item, in each representation: as stored, as a
 * Table, as PartialObjectMetadataList. */
#ifndef LW_API_MEDIA_LIST_WRITER_H
#define LW_API_MEDIA_LIST_WRITER_H

#include "api/media/media.h"
#include "object/compact/compact_reader.h"
#include "schema/kinds/table.h"
#include "json/writer.h"

typedef struct lw_list_writer {
    const lw_kind *kind;
    lw_media_as as;
    lw_table_form form;
    lw_json_writer w;
    lw_buf api_version; /* of the kind */
    lw_buf metadata;    /* of the list, as JSON */
    lw_buf prefix;  /* how each object begins, up to the part that an item keeps; may be empty */
    lw_buf members; /* of a custom kind: its kind and apiVersion, which most objects begin with */
    lw_buf scratch; /* the current item */
    bool is_open;   /* the array of items has begun */
} lw_list_writer;

/* The metadata of the list. */
typedef struct lw_api_list_metadata {
    uint64_t revision;     /* 0: left out, of what is not stored */
    lw_str continue_token; /* empty: none */
    int64_t remaining;     /* < 0: left out */
} lw_api_list_metadata;

/* Appends the metadata as JSON; with |has_token| (lists of custom resources) an empty token too. */
void lw_list_metadata_write(const lw_api_list_metadata *metadata, bool has_token, lw_buf *out);

/* Initialises a writer to |out|.  |form| is for LW_MEDIA_TABLE; its strings must outlive the
 * writer. LW_ERR_NOMEM.  Call lw_list_writer_done in any case. */
lw_status lw_list_writer_init(lw_list_writer *writer, const lw_kind *kind, lw_media_as as,
                              const lw_table_form *form, const lw_api_list_metadata *metadata,
                              lw_buf *out, lw_json_form json_form);
void lw_list_writer_done(lw_list_writer *writer);

/* Write everything before the first item, one item, and everything after the last.  The first
 * failure is kept: see lw_list_writer_status. */
void lw_list_writer_begin(lw_list_writer *writer);
void lw_list_writer_item(lw_list_writer *writer, const lw_object *obj);
void lw_list_writer_end(lw_list_writer *writer);

/* Whether a list without items has null in their place, as from kube-apiserver. */
bool lw_list_writer_is_null_when_empty(const lw_list_writer *writer);

/* Returns the first failure, or LW_OK. */
lw_status lw_list_writer_status(const lw_list_writer *writer);

/* Sets |*tail| to the bytes of |obj| that follow "{" in an item.  False: the item must be copied
 * (lw_list_writer_copy). */
bool lw_list_writer_tail(const lw_list_writer *writer, const lw_object *obj, lw_str *tail);

/* Appends the packed |obj| as an item to |out|, its bytes without a copy in between.  |*is_done| is
 * false: it must be opened for that.  LW_ERR_NOMEM, LW_ERR_LIMIT, and what lw_compact_append fails
 * with. */
LW_MUST_CHECK lw_status lw_list_writer_unpack(const lw_list_writer *writer,
                                              lw_compact_reader *reader, const lw_object *obj,
                                              lw_buf *out, bool *is_done);

/* Appends |obj| as an item: without its kind and apiVersion, unless the kind is custom. */
void lw_list_writer_copy(const lw_list_writer *writer, const lw_object *obj, lw_buf *out);

#endif
