/* SPDX-License-Identifier: Apache-2.0 */
/* list_cbor.c -- writes a list as CBOR, item by item.
 *
 * A list without items is written as JSON first.  Its members are those of the CBOR map; the items
 * go where its empty array is. */
#include "api/media/list_cbor.h"

#include "base/str.h"
#include "json/cbor/cbor.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    ITEM_MAX = 64 * 1024 * 1024, /* bytes of one item */
    FRAME_MAX = 1024 * 1024,     /* bytes of everything but the items */
};

/* Appends the members of the empty list |json|: those up to the items to |out|, others to
 * |after|. */
static void write_members(lw_str json, lw_buf *out, lw_buf *after)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_str key;
    lw_buf *to = out;
    lw_buf_append_text(out, LW_CBOR_SELF_DESCRIBED);
    lw_buf_append_char(out, LW_CBOR_MAP_BEGIN);
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &key)) {
        lw_str value = lw_json_cursor_skip(&c);
        lw_cbor_append_text(key, to); /* none of them has an escape */
        if (lw_json_text_equal(key, LW_STR("items"))) {
            lw_buf_append_char(out, LW_CBOR_ARRAY_BEGIN);
            to = after;
            lw_buf_append_char(after, LW_CBOR_BREAK);
        } else {
            lw_cbor_append_json(value, to);
        }
    }
    lw_buf_append_char(to, LW_CBOR_BREAK);
}

static lw_status write_frame(lw_list_cbor *list, const lw_api_list_metadata *metadata, lw_buf *out)
{
    lw_list_writer empty;
    lw_buf json;
    lw_buf_init(&json, FRAME_MAX);
    lw_status st = lw_list_writer_init(&empty, list->writer.kind, list->writer.as,
                                       &list->writer.form, metadata, &json, LW_JSON_COMPACT);
    if (st == LW_OK) {
        lw_list_writer_begin(&empty);
        lw_list_writer_end(&empty);
        st = lw_list_writer_status(&empty);
    }
    lw_list_writer_done(&empty);
    if (st == LW_OK) {
        write_members(lw_buf_view(&json), out, &list->after);
        st = out->st < 0 ? out->st : list->after.st;
    }
    lw_buf_done(&json);
    return st;
}

lw_status lw_list_cbor_init(lw_list_cbor *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out)
{
    lw_buf_init(&list->json, ITEM_MAX);
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

void lw_list_cbor_done(lw_list_cbor *list)
{
    lw_list_writer_done(&list->writer);
    lw_buf_done(&list->json);
    lw_buf_done(&list->after);
}

void lw_list_cbor_item(lw_list_cbor *list, const lw_object *obj, lw_buf *out)
{
    if (list->st < 0)
        return;
    lw_buf_reset(&list->json);
    lw_list_writer_item(&list->writer, obj);
    list->st = lw_list_writer_status(&list->writer);
    if (list->st < 0)
        return;
    lw_str json = lw_buf_view(&list->json);
    /* The writer separates items, and of some lists begins the array with the first. */
    if (json.len > 0 && (json.ptr[0] == ',' || json.ptr[0] == '['))
        json = lw_str_skip(json, 1);
    lw_cbor_append_json(json, out);
}

void lw_list_cbor_end(lw_list_cbor *list, lw_buf *out)
{
    lw_buf_append_str(out, lw_buf_view(&list->after));
    if (list->st == LW_OK)
        list->st = out->st;
}
