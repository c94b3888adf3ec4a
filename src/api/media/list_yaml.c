/* SPDX-License-Identifier: Apache-2.0 */
/* list_yaml.c -- writes a list as YAML, item by item.
 *
 * A list without items becomes YAML first.  Its line "items: []" (of a Table: "rows: []") is where
 * the items belong; what is before and after it is the same with items.  Each item is converted
 * inside of a document of its own, {"items":[...]}, at the indentation that it has in the list. */
#include "api/media/list_yaml.h"

#include "base/str.h"
#include "json/tree.h"
#include "json/yaml/yaml.h"

enum {
    ITEM_MAX = 64 * 1024 * 1024, /* bytes of one item */
    FRAME_MAX = 1024 * 1024,     /* bytes of everything but the items */
};

lw_status lw_media_append_yaml(lw_str json, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, out->limit, NULL);
    if (st < 0)
        return st;
    /* Go converts through a map, which it writes in the order of the keys. */
    lw_node_sort_keys(lw_tree_root(tree));
    st = lw_yaml_write(out, lw_tree_root(tree));
    lw_tree_free(tree);
    return st;
}

/* Splits the YAML of an empty list at the line of the empty items. */
static bool split(lw_str text, lw_str line, lw_str *before, lw_str *after)
{
    for (size_t at = 0; at < text.len;) {
        lw_str rest = lw_str_skip(text, at);
        if (lw_str_starts_with(rest, line)) {
            *before = lw_str_make(text.ptr, at);
            *after = lw_str_skip(rest, line.len);
            return true;
        }
        while (at < text.len && text.ptr[at] != '\n')
            at++;
        at++;
    }
    return false;
}

/* Appends the beginning of the list to |out| and keeps its end. */
static lw_status write_frame(lw_list_yaml *list, const lw_api_list_metadata *metadata, lw_buf *out)
{
    lw_list_writer empty;
    lw_buf json, yaml;
    lw_str before, after;
    bool is_table = list->writer.as == LW_MEDIA_TABLE;
    lw_buf_init(&json, FRAME_MAX);
    lw_buf_init(&yaml, FRAME_MAX);
    lw_status st = lw_list_writer_init(&empty, list->writer.kind, list->writer.as,
                                       &list->writer.form, metadata, &json, LW_JSON_COMPACT);
    if (st == LW_OK) {
        lw_list_writer_begin(&empty);
        lw_list_writer_end(&empty);
        st = lw_list_writer_status(&empty);
    }
    lw_list_writer_done(&empty);
    if (st == LW_OK)
        st = lw_media_append_yaml(lw_buf_view(&json), &yaml);
    bool is_null = lw_list_writer_is_null_when_empty(&list->writer);
    lw_str line = is_table ? (is_null ? LW_STR("rows: null\n") : LW_STR("rows: []\n"))
                           : (is_null ? LW_STR("items: null\n") : LW_STR("items: []\n"));
    if (st == LW_OK && !split(lw_buf_view(&yaml), line, &before, &after))
        st = LW_ERR_INTERNAL;
    if (st == LW_OK) {
        lw_buf_append_str(out, before);
        lw_buf_append_text(out, is_table ? "rows:\n" : "items:\n");
        lw_buf_append_str(&list->after, after);
        st = out->st < 0 ? out->st : list->after.st;
    }
    lw_buf_done(&json);
    lw_buf_done(&yaml);
    return st;
}

lw_status lw_list_yaml_init(lw_list_yaml *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out)
{
    lw_buf_init(&list->json, ITEM_MAX);
    lw_buf_init(&list->item, ITEM_MAX);
    lw_buf_init(&list->after, FRAME_MAX);
    list->st =
        lw_list_writer_init(&list->writer, kind, as, form, metadata, &list->json, LW_JSON_COMPACT);
    if (list->st < 0)
        return list->st;
    lw_list_writer_begin(&list->writer);
    list->st = lw_list_writer_status(&list->writer);
    if (list->st == LW_OK)
        list->st = write_frame(list, metadata, out);
    return list->st;
}

void lw_list_yaml_done(lw_list_yaml *list)
{
    lw_list_writer_done(&list->writer);
    lw_buf_done(&list->json);
    lw_buf_done(&list->item);
    lw_buf_done(&list->after);
}

void lw_list_yaml_item(lw_list_yaml *list, const lw_object *obj, lw_buf *out)
{
    static const lw_str open = LW_STR_INIT("{\"items\":["), head = LW_STR_INIT("items:\n");
    if (list->st < 0)
        return;
    lw_buf_reset(&list->json);
    lw_buf_reset(&list->item);
    lw_list_writer_item(&list->writer, obj);
    list->st = lw_list_writer_status(&list->writer);
    if (list->st < 0)
        return;
    lw_str json = lw_buf_view(&list->json);
    if (lw_str_starts_with(json, LW_STR(","))) /* all but the first item of the writer */
        json = lw_str_skip(json, 1);
    lw_buf document;
    lw_buf_init(&document, ITEM_MAX);
    lw_buf_append_str(&document, open);
    lw_buf_append_str(&document, json);
    lw_buf_append_text(&document, "]}");
    list->st = document.st;
    if (list->st == LW_OK)
        list->st = lw_media_append_yaml(lw_buf_view(&document), &list->item);
    lw_buf_done(&document);
    if (list->st == LW_OK)
        lw_buf_append_str(out, lw_str_skip(lw_buf_view(&list->item), head.len));
}

void lw_list_yaml_end(lw_list_yaml *list, lw_buf *out)
{
    lw_buf_append_str(out, lw_buf_view(&list->after));
    if (list->st == LW_OK)
        list->st = out->st;
}
