/* SPDX-License-Identifier: Apache-2.0 */
/* list_pieces.c -- writes a list without items and single items as JSON. */
#include "api/media/list_pieces.h"

#include "base/str.h"

/* Converts the list without items. */
static lw_status write_frame(lw_list_pieces *list, const lw_api_list_metadata *metadata,
                             lw_list_convert_fn convert, lw_buf *out)
{
    lw_list_writer empty;
    lw_buf json;
    lw_buf_init(&json, LW_LIST_FRAME_MAX);
    lw_status st = lw_list_writer_init(&empty, list->writer.kind, list->writer.as,
                                       &list->writer.form, metadata, &json, LW_JSON_COMPACT);
    if (st == LW_OK) {
        lw_list_writer_begin(&empty);
        lw_list_writer_end(&empty);
        st = lw_list_writer_status(&empty);
    }
    lw_list_writer_done(&empty);
    if (st == LW_OK)
        st = convert(list, lw_buf_view(&json), out);
    if (st == LW_OK)
        st = out->st < 0 ? out->st : list->after.st;
    lw_buf_done(&json);
    return st;
}

lw_status lw_list_pieces_init(lw_list_pieces *list, const lw_kind *kind, lw_media_as as,
                              const lw_table_form *form, const lw_api_list_metadata *metadata,
                              lw_list_convert_fn convert, lw_buf *out)
{
    lw_buf_init(&list->json, LW_LIST_ITEM_MAX);
    lw_buf_init(&list->after, LW_LIST_FRAME_MAX);
    list->st =
        lw_list_writer_init(&list->writer, kind, as, form, metadata, &list->json, LW_JSON_COMPACT);
    if (list->st < 0)
        return list->st;
    lw_list_writer_begin(&list->writer);
    list->st = lw_list_writer_status(&list->writer);
    if (list->st == LW_OK)
        list->st = write_frame(list, metadata, convert, out);
    return list->st;
}

void lw_list_pieces_done(lw_list_pieces *list)
{
    lw_list_writer_done(&list->writer);
    lw_buf_done(&list->json);
    lw_buf_done(&list->after);
}

lw_str lw_list_pieces_item(lw_list_pieces *list, const lw_object *obj)
{
    if (list->st < 0)
        return LW_STR("");
    lw_buf_reset(&list->json);
    lw_list_writer_item(&list->writer, obj);
    list->st = lw_list_writer_status(&list->writer);
    if (list->st < 0)
        return LW_STR("");
    lw_str json = lw_buf_view(&list->json);
    /* The writer separates items, and of some lists begins the array with the first. */
    return json.len > 0 && (json.ptr[0] == ',' || json.ptr[0] == '[') ? lw_str_skip(json, 1) : json;
}

void lw_list_pieces_end(lw_list_pieces *list, lw_buf *out)
{
    lw_buf_append_str(out, lw_buf_view(&list->after));
    if (list->st == LW_OK)
        list->st = out->st;
}
