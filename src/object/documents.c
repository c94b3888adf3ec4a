/* SPDX-License-Identifier: Apache-2.0 */
/* documents.c -- distinguishes lists from single objects while their bytes arrive.
 *
 * All bytes go through a scan for lists, which validates them.  Until an item is found, the bytes
 * of the current document are also kept: if it ends without items, they are the object.  Invariant:
 * |held| contains the earlier chunks of the current document, or is empty if the document is known
 * to be a list. */
#include "object/documents.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"
#include "object/object_list.h"

enum {
    /* Bytes that a single object may have in addition to its limit: dropped members and white
     * space. */
    HELD_SLACK = 8 << 20,
};

struct lw_documents {
    lw_scan *scan;   /* finds lists */
    lw_scan *single; /* reads a single object */
    lw_list_items items;
    lw_object_fn on_object;
    void *arg;
    lw_buf held;
    uint64_t begin;    /* offset of the current document in the input */
    uint64_t chunk_at; /* offset of the current chunk in the input */
    lw_str chunk;
    bool is_list;  /* the current document has an item */
    bool has_list; /* some document was a list */
};

static lw_status deliver_take(lw_documents *docs, lw_object *obj, lw_error *err)
{
    lw_status st = docs->on_object(obj, docs->arg, err);
    lw_object_unref(obj);
    return st;
}

static lw_status docs_on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_documents *docs = arg;
    lw_object *obj = NULL;
    docs->is_list = docs->has_list = true;
    lw_status st = lw_list_items__next(&docs->items, item, &obj, err);
    return st < 0 ? st : deliver_take(docs, obj, err);
}

static lw_status docs_on_single(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_object__from_item(item, &obj);
    return st < 0 ? lw_object__error(err, st) : deliver_take(arg, obj, err);
}

/* Keeps the bytes of the current chunk from the beginning of the document up to |end|. */
static lw_status hold(lw_documents *docs, uint64_t end, lw_error *err)
{
    uint64_t from = docs->begin > docs->chunk_at ? docs->begin : docs->chunk_at;
    lw_buf_append(&docs->held, docs->chunk.ptr + (from - docs->chunk_at), (size_t)(end - from));
    if (docs->held.st == LW_ERR_LIMIT)
        return lw_error_set_at(err, LW_ERR_LIMIT, docs->begin,
                               "the object is larger than %zu bytes", docs->held.limit);
    return docs->held.st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Reads the document that ends at |end| as one object. */
static lw_status read_single(lw_documents *docs, uint64_t end, lw_error *err)
{
    lw_error detail = LW_ERROR_INIT;
    lw_status st = hold(docs, end, err);
    if (st < 0)
        return st;
    lw_scan_reset(docs->single);
    st = lw_scan_feed(docs->single, docs->held.data, docs->held.len, &detail);
    if (st == LW_OK)
        st = lw_scan_finish(docs->single, &detail);
    if (st < 0 && err) {
        *err = detail;
        if (detail.offset != LW_NO_OFFSET)
            err->offset += docs->begin;
    }
    return st;
}

static lw_status docs_on_document(const lw_scan_envelope *envelope, void *arg, lw_error *err)
{
    lw_documents *docs = arg;
    lw_status st;
    if (envelope->has_items) {
        docs->has_list = true;
        st = lw_list_items__end(&docs->items, envelope, err);
    } else {
        st = read_single(docs, envelope->end, err);
    }
    lw_buf_reset(&docs->held);
    docs->begin = envelope->end;
    docs->is_list = false;
    return st;
}

static lw_status docs_new_scans(lw_documents *docs, const lw_documents_options *options,
                                lw_error *err)
{
    lw_scan_options how = lw_object__scan_options(options->read, LW_SCAN_LIST);
    how.is_stream = options->is_stream;
    how.on_item = docs_on_item;
    how.on_document = docs_on_document;
    how.arg = docs;
    lw_status st = lw_scan_new(&docs->scan, &how, err);
    if (st < 0)
        return st;
    how = lw_object__scan_options(options->read, LW_SCAN_OBJECT);
    how.on_item = docs_on_single;
    how.arg = docs;
    return lw_scan_new(&docs->single, &how, err);
}

lw_status lw_documents_new(lw_documents **out, const lw_documents_options *options, lw_error *err)
{
    lw_documents *docs = lw_alloc_zero(1, sizeof(*docs));
    if (!docs)
        return lw_error_nomem(err);
    size_t limit = options->read ? options->read->max_object_size : 0;
    if (limit == 0)
        limit = LW_SCAN_ITEM_LIMIT;
    lw_buf_init(&docs->held, limit > SIZE_MAX / 2 ? SIZE_MAX / 2 : limit + HELD_SLACK);
    lw_list_items__init(&docs->items);
    docs->on_object = options->on_object;
    docs->arg = options->arg;
    lw_status st = docs_new_scans(docs, options, err);
    if (st < 0) {
        lw_documents_free(docs);
        return st;
    }
    *out = docs;
    return LW_OK;
}

void lw_documents_free(lw_documents *docs)
{
    if (!docs)
        return;
    lw_scan_free(docs->scan);
    lw_scan_free(docs->single);
    lw_list_items__done(&docs->items);
    lw_buf_done(&docs->held);
    lw_free(docs);
}

lw_status lw_documents_feed(lw_documents *docs, const char *bytes, size_t len, lw_error *err)
{
    docs->chunk = lw_str_make(bytes, len);
    lw_status st = lw_scan_feed(docs->scan, bytes, len, err);
    if (st == LW_OK && docs->is_list)
        lw_buf_reset(&docs->held);
    else if (st == LW_OK)
        st = hold(docs, docs->chunk_at + len, err);
    docs->chunk_at += len;
    return st;
}

lw_status lw_documents_finish(lw_documents *docs, lw_error *err)
{
    return lw_scan_finish(docs->scan, err);
}

const lw_list_metadata *lw_documents_metadata(const lw_documents *docs)
{
    return &docs->items.metadata.view;
}

bool lw_documents_has_list(const lw_documents *docs)
{
    return docs->has_list;
}

lw_status lw_object_list_from_json(lw_object_list **out, const char *json, size_t len,
                                   const lw_read_options *options, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_documents *docs = NULL;
    lw_status st = lw_object_list_new(&list, 0);
    if (st < 0)
        return lw_error_nomem(err);
    lw_documents_options how = { .read = options,
                                 .on_object = lw_object_list__collect,
                                 .arg = list };
    st = lw_documents_new(&docs, &how, err);
    if (st == LW_OK)
        st = lw_documents_feed(docs, json, len, err);
    if (st == LW_OK)
        st = lw_documents_finish(docs, err);
    if (st == LW_OK && lw_object_list__set_metadata(list, lw_documents_metadata(docs)) < 0)
        st = lw_error_nomem(err);
    lw_documents_free(docs);
    if (st < 0) {
        lw_object_list_free(list);
        return st;
    }
    *out = list;
    return LW_OK;
}
