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
static lw_status split_empty(lw_list_pieces *list, lw_str empty, lw_buf *out)
{
    bool is_table = list->writer.as == LW_MEDIA_TABLE;
    bool is_null = lw_list_writer_is_null_when_empty(&list->writer);
    lw_str line = is_table ? (is_null ? LW_STR("rows: null\n") : LW_STR("rows: []\n"))
                           : (is_null ? LW_STR("items: null\n") : LW_STR("items: []\n"));
    lw_buf yaml;
    lw_str before, after;
    lw_buf_init(&yaml, LW_LIST_FRAME_MAX);
    lw_status st = lw_media_append_yaml(empty, &yaml);
    if (st == LW_OK && !split(lw_buf_view(&yaml), line, &before, &after))
        st = LW_ERR_INTERNAL;
    if (st == LW_OK) {
        lw_buf_append_str(out, before);
        lw_buf_append_text(out, is_table ? "rows:\n" : "items:\n");
        lw_buf_append_str(&list->after, after);
    }
    lw_buf_done(&yaml);
    return st;
}

lw_status lw_list_yaml_init(lw_list_pieces *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out)
{
    return lw_list_pieces_init(list, kind, as, form, metadata, split_empty, out);
}

void lw_list_yaml_item(lw_list_pieces *list, const lw_object *obj, lw_buf *out)
{
    static const lw_str open = LW_STR_INIT("{\"items\":["), head = LW_STR_INIT("items:\n");
    lw_buf document, item;
    lw_str json = lw_list_pieces_item(list, obj);
    if (list->st < 0)
        return;
    lw_buf_init(&document, LW_LIST_ITEM_MAX);
    lw_buf_init(&item, LW_LIST_ITEM_MAX);
    lw_buf_append_str(&document, open);
    lw_buf_append_str(&document, json);
    lw_buf_append_text(&document, "]}");
    list->st = document.st;
    if (list->st == LW_OK)
        list->st = lw_media_append_yaml(lw_buf_view(&document), &item);
    if (list->st == LW_OK)
        lw_buf_append_str(out, lw_str_skip(lw_buf_view(&item), head.len));
    lw_buf_done(&item);
    lw_buf_done(&document);
}
