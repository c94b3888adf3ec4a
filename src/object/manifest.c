/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c -- distinguishes JSON from YAML, which is converted to JSON. */
#include <listwatch/manifest.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "object/documents.h"
#include "object/object_list.h"
#include "json/writer.h"
#include "json/yaml/yaml.h"

typedef enum manifest_format {
    FORMAT_UNKNOWN, /* only white space so far */
    FORMAT_JSON,
    FORMAT_YAML,
} manifest_format;

struct lw_manifest_reader {
    lw_documents *docs;
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
    lw_documents_options how = { .read = &options->read,
                                 .is_stream = true,
                                 .on_object = options->on_object,
                                 .arg = options->arg };
    lw_status st = lw_documents_new(&reader->docs, &how, err);
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
    lw_documents_free(reader->docs);
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
    return lw_documents_feed(reader->docs, bytes, len, err);
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
        st = lw_documents_feed(reader->docs, json.data, json.len, &detail);
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
    return st < 0 ? st : lw_documents_finish(reader->docs, err);
}

bool lw_manifest_reader_has_list(const lw_manifest_reader *reader)
{
    return lw_documents_has_list(reader->docs);
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
