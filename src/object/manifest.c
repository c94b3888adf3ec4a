/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c -- reads objects from manifests.  It distinguishes JSON from YAML, which is converted
 * to JSON, and lists from single objects, while their bytes arrive.
 *
 * A document is a list if it has items, like in kubectl.  All bytes go through a scan for lists,
 * which validates them.  Until an item is found, the bytes of the current document are also kept:
 * if it ends without items, they are the object.  So of a list one object is in memory at a time; a
 * single object is kept in memory as a whole, within the limit for one object.
 * Invariant: |held| contains the earlier chunks of the current document, or is empty if the
 * document is known to be a list. */
#include <listwatch/manifest.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object.h"
#include "object/object_list.h"
#include "json/writer.h"
#include "json/yaml/yaml.h"

typedef struct documents_options {
    const lw_read_options *read; /* may be NULL; only used by documents_new */
    bool is_stream;              /* several documents may follow one another */
    lw_object_fn on_object;
    void *arg;
} documents_options;

typedef struct documents documents;

enum {
    /* Bytes that a single object may have in addition to its limit: dropped members and white
     * space. */
    HELD_SLACK = 8 << 20,
};

struct documents {
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

static lw_status deliver_take(documents *docs, lw_object *obj, lw_error *err)
{
    lw_status st = docs->on_object(obj, docs->arg, err);
    lw_object_unref(obj);
    return st;
}

static lw_status docs_on_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    documents *docs = arg;
    lw_object *obj = NULL;
    docs->is_list = docs->has_list = true;
    lw_status st = lw_list_items__next(&docs->items, item, NULL, &obj, err);
    return st < 0 ? st : deliver_take(docs, obj, err);
}

static lw_status docs_on_single(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_object__from_item(item, &obj);
    return st < 0 ? lw_object__error(err, st) : deliver_take(arg, obj, err);
}

/* Keeps the bytes of the current chunk from the beginning of the document up to |end|. */
static lw_status hold(documents *docs, uint64_t end, lw_error *err)
{
    uint64_t from = docs->begin > docs->chunk_at ? docs->begin : docs->chunk_at;
    lw_buf_append(&docs->held, docs->chunk.ptr + (from - docs->chunk_at), (size_t)(end - from));
    if (docs->held.st == LW_ERR_LIMIT)
        return lw_error_set_at(err, LW_ERR_LIMIT, docs->begin,
                               "the object is larger than %zu bytes", docs->held.limit);
    return docs->held.st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Reads the document that ends at |end| as one object. */
static lw_status read_single(documents *docs, uint64_t end, lw_error *err)
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
    documents *docs = arg;
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

static lw_status docs_new_scans(documents *docs, const documents_options *options, lw_error *err)
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

static void documents_free(documents *docs)
{
    if (!docs)
        return;
    lw_scan_free(docs->scan);
    lw_scan_free(docs->single);
    lw_list_items__done(&docs->items);
    lw_buf_done(&docs->held);
    lw_free(docs);
}

static lw_status documents_new(documents **out, const documents_options *options, lw_error *err)
{
    documents *docs = lw_alloc_zero(1, sizeof(*docs));
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
        documents_free(docs);
        return st;
    }
    *out = docs;
    return LW_OK;
}

static lw_status documents_feed(documents *docs, const char *bytes, size_t len, lw_error *err)
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

static lw_status documents_finish(documents *docs, lw_error *err)
{
    return lw_scan_finish(docs->scan, err);
}

static const lw_list_metadata *documents_metadata(const documents *docs)
{
    return &docs->items.metadata.view;
}

static bool documents_has_list(const documents *docs)
{
    return docs->has_list;
}

lw_status lw_object_list_from_json(lw_object_list **out, const char *json, size_t len,
                                   const lw_read_options *options, lw_error *err)
{
    lw_object_list *list = NULL;
    documents *docs = NULL;
    lw_status st = lw_object_list_new(&list, 0);
    if (st < 0)
        return lw_error_nomem(err);
    documents_options how = { .read = options, .on_object = lw_object_list__collect, .arg = list };
    st = documents_new(&docs, &how, err);
    if (st == LW_OK)
        st = documents_feed(docs, json, len, err);
    if (st == LW_OK)
        st = documents_finish(docs, err);
    if (st == LW_OK && lw_object_list__set_metadata(list, documents_metadata(docs)) < 0)
        st = lw_error_nomem(err);
    documents_free(docs);
    if (st < 0) {
        lw_object_list_free(list);
        return st;
    }
    *out = list;
    return LW_OK;
}

typedef enum manifest_format {
    FORMAT_UNKNOWN, /* only white space so far */
    FORMAT_JSON,
    FORMAT_YAML,
} manifest_format;

struct lw_manifest_reader {
    documents *docs;
    manifest_format format;
    lw_buf yaml; /* all of it */
};

lw_status lw_manifest_reader_new(lw_manifest_reader **out,
                                 const lw_manifest_reader_options *options, lw_error *err)
{
    lw_manifest_reader *reader = lw_alloc_zero(1, sizeof(*reader));
    if (!reader)
        return lw_error_nomem(err);
    lw_buf_init(&reader->yaml, LW_MANIFEST_YAML_MAX);
    documents_options how = { .read = &options->read,
                              .is_stream = true,
                              .on_object = options->on_object,
                              .arg = options->arg };
    lw_status st = documents_new(&reader->docs, &how, err);
    if (st < 0) {
        lw_manifest_reader_free(reader);
        return st;
    }
    *out = reader;
    return LW_OK;
}

void lw_manifest_reader_free(lw_manifest_reader *reader)
{
    if (!reader)
        return;
    documents_free(reader->docs);
    lw_buf_done(&reader->yaml);
    lw_free(reader);
}

static manifest_format guess_format(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            return c == '{' ? FORMAT_JSON : FORMAT_YAML;
    }
    return FORMAT_UNKNOWN;
}

static lw_status hold_yaml(lw_manifest_reader *reader, const char *bytes, size_t len, lw_error *err)
{
    lw_buf_append(&reader->yaml, bytes, len);
    if (reader->yaml.st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "the YAML is larger than %d bytes",
                            LW_MANIFEST_YAML_MAX);
    return reader->yaml.st < 0 ? lw_error_nomem(err) : LW_OK;
}

lw_status lw_manifest_reader_feed(lw_manifest_reader *reader, const char *bytes, size_t len,
                                  lw_error *err)
{
    if (reader->format == FORMAT_UNKNOWN)
        reader->format = guess_format(bytes, len);
    if (reader->format == FORMAT_YAML)
        return hold_yaml(reader, bytes, len, err);
    return documents_feed(reader->docs, bytes, len, err);
}

/* Feeds |tree| as JSON.  Its offsets do not refer to the YAML text, so errors name the document
 * instead. */
static lw_status feed_tree(lw_manifest_reader *reader, const lw_tree *tree, size_t number,
                           lw_error *err)
{
    lw_buf json;
    lw_json_writer w;
    lw_error detail = LW_ERROR_INIT;
    lw_buf_init(&json, LW_TREE_LIMIT);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = documents_feed(reader->docs, json.data, json.len, &detail);
    else
        (void)lw_error_set(&detail, st, "%s", lw_status_name(st));
    if (st < 0 && err) {
        char message[LW_ERROR_MESSAGE_SIZE];
        memcpy(message, detail.message, sizeof(message));
        (void)lw_error_set(err, st, "document %zu: %s", number, message);
    }
    lw_buf_done(&json);
    return st;
}

static lw_status read_yaml(lw_manifest_reader *reader, lw_error *err)
{
    lw_yaml_reader *yaml = NULL;
    lw_status st = lw_yaml_reader_new(&yaml, lw_buf_view(&reader->yaml));
    if (st < 0)
        return lw_error_nomem(err);
    for (size_t number = 1; st == LW_OK; number++) {
        lw_tree *tree = NULL;
        st = lw_yaml_reader_next(yaml, LW_TREE_LIMIT, &tree, err);
        if (st < 0 || !tree)
            break;
        /* A document that has only comments is skipped, like in kubectl. */
        if (!lw_node_is(lw_tree_root(tree), LW_JSON_NULL))
            st = feed_tree(reader, tree, number, err);
        lw_tree_free(tree);
    }
    lw_yaml_reader_free(yaml);
    return st;
}

lw_status lw_manifest_reader_finish(lw_manifest_reader *reader, lw_error *err)
{
    lw_status st = LW_OK;
    if (reader->format == FORMAT_YAML)
        st = read_yaml(reader, err);
    return st < 0 ? st : documents_finish(reader->docs, err);
}

bool lw_manifest_reader_has_list(const lw_manifest_reader *reader)
{
    return documents_has_list(reader->docs);
}

lw_status lw_object_list_from_manifest(lw_object_list **out, const char *text, size_t len,
                                       const lw_read_options *options, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_manifest_reader *reader = NULL;
    lw_status st = lw_object_list_new(&list, 0);
    if (st < 0)
        return lw_error_nomem(err);
    lw_manifest_reader_options how = { .on_object = lw_object_list__collect, .arg = list };
    if (options)
        how.read = *options;
    st = lw_manifest_reader_new(&reader, &how, err);
    if (st == LW_OK)
        st = lw_manifest_reader_feed(reader, text, len, err);
    if (st == LW_OK)
        st = lw_manifest_reader_finish(reader, err);
    lw_manifest_reader_free(reader);
    if (st < 0) {
        lw_object_list_free(list);
        return st;
    }
    *out = list;
    return LW_OK;
}
