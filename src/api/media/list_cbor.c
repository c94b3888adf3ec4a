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

/* Appends the members of the list |empty|: those up to the items to |out|, others to
 * list->after. */
static lw_status write_members(lw_list_pieces *list, lw_str empty, lw_buf *out)
{
    lw_json_cursor c = lw_json_cursor_on(empty);
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
            to = &list->after;
            lw_buf_append_char(to, LW_CBOR_BREAK);
        } else {
            lw_cbor_append_json(value, to);
        }
    }
    lw_buf_append_char(to, LW_CBOR_BREAK);
    return LW_OK;
}

lw_status lw_list_cbor_init(lw_list_pieces *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out)
{
    return lw_list_pieces_init(list, kind, as, form, metadata, write_members, out);
}

void lw_list_cbor_item(lw_list_pieces *list, const lw_object *obj, lw_buf *out)
{
    lw_str json = lw_list_pieces_item(list, obj);
    if (list->st == LW_OK)
        lw_cbor_append_json(json, out);
}
