/* SPDX-License-Identifier: Apache-2.0 */
/* list_reader.c -- makes an object from each item that the scanner finds. */
#include <listwatch/list_reader.h>

#include "base/alloc.h"
#include "base/error.h"
#include "object/object.h"
#include "object/object_list.h"
#include "object/object_spare.h"

struct lw_list_reader {
    lw_scan *scan;
    lw_list_items items;
    lw_object_spare spare;
    lw_object_fn on_object;
    void *arg;
    bool has_items; /* the document is complete, and is a list */
};

static lw_status reader_on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_list_reader *reader = arg;
    lw_object *obj = NULL;
    if (!reader->on_object)
        return LW_OK;
    lw_status st = lw_list_items__next(&reader->items, item, &reader->spare, &obj, err);
    if (st < 0)
        return st;
    st = reader->on_object(obj, reader->arg, err);
    lw_object__spare_unref(&reader->spare, obj);
    return st;
}

static lw_status reader_on_document(const lw_scan_envelope *envelope, void *arg, lw_error *err)
{
    lw_list_reader *reader = arg;
    reader->has_items = envelope->has_items;
    return lw_list_items__end(&reader->items, envelope, err);
}

lw_status lw_list_reader_new(lw_list_reader **out, const lw_list_reader_options *options,
                             lw_error *err)
{
    lw_list_reader *reader = lw_alloc_zero(1, sizeof(*reader));
    if (!reader)
        return lw_error_nomem(err);
    lw_list_items__init(&reader->items);
    reader->on_object = options->on_object;
    reader->arg = options->arg;

    lw_scan_options how = lw_object__scan_options(&options->read, LW_SCAN_LIST);
    how.on_item = reader_on_item;
    how.on_document = reader_on_document;
    how.arg = reader;
    lw_status st = lw_scan_new(&reader->scan, &how, err);
    if (st < 0) {
        lw_list_reader_free(reader);
        return st;
    }
    *out = reader;
    return LW_OK;
}

void lw_list_reader_free(lw_list_reader *reader)
{
    if (!reader)
        return;
    lw_scan_free(reader->scan);
    lw_list_items__done(&reader->items);
    lw_object__spare_done(&reader->spare);
    lw_free(reader);
}

lw_status lw_list_reader_feed(lw_list_reader *reader, const char *bytes, size_t len, lw_error *err)
{
    return lw_scan_feed(reader->scan, bytes, len, err);
}

lw_status lw_list_reader_finish(lw_list_reader *reader, lw_error *err)
{
    lw_status st = lw_scan_finish(reader->scan, err);
    if (st < 0)
        return st;
    if (!reader->has_items)
        return lw_error_set(err, LW_ERR_INVALID,
                            "expected a list, but the document of kind \"%s\" has no items",
                            reader->items.metadata.view.kind);
    return LW_OK;
}

const lw_list_metadata *lw_list_reader_metadata(const lw_list_reader *reader)
{
    return &reader->items.metadata.view;
}

void lw_list_reader_reset(lw_list_reader *reader)
{
    lw_scan_reset(reader->scan);
    lw_list_items__reset(&reader->items);
    reader->has_items = false;
}
