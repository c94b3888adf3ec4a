/* SPDX-License-Identifier: Apache-2.0 */
/* list_items.c -- items of a typed list get apiVersion and kind from the list. */
#include "object/list_items.h"

#include "base/error.h"
#include "base/str.h"
#include "object/object.h"

void lw_list_items__init(lw_list_items *items)
{
    *items = (lw_list_items){ 0 };
    lw_list_metadata__init(&items->metadata);
}

void lw_list_items__done(lw_list_items *items)
{
    lw_list_metadata__done(&items->metadata);
    lw_list_items__init(items);
}

void lw_list_items__reset(lw_list_items *items)
{
    lw_list_items__done(items);
}

/* Returns "Pod" for a "PodList".  A plain "List" does not determine the kind of its items. */
static lw_str kind_of_items(const char *list_kind)
{
    const lw_str suffix = LW_STR("List");
    lw_str kind = lw_str_of(list_kind);
    if (!lw_str_ends_with(kind, suffix))
        return lw_str_make(NULL, 0);
    return lw_str_make(kind.ptr, kind.len - suffix.len);
}

/* Stores the metadata of the list before its first item. */
static lw_status items_begin(lw_list_items *items, const lw_scan_envelope *envelope)
{
    lw_status st = lw_list_metadata__read(&items->metadata, envelope);
    items->is_begun = st == LW_OK;
    return st;
}

lw_status lw_list_items__next(lw_list_items *items, const lw_scan_item *item, lw_object **out,
                              lw_error *err)
{
    lw_status st = LW_OK;
    if (!items->is_begun)
        st = items_begin(items, item->envelope);
    if (st == LW_OK)
        st = lw_object__from_list_item(item, lw_str_of(items->metadata.view.api_version),
                                       kind_of_items(items->metadata.view.kind), out);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

lw_status lw_list_items__end(lw_list_items *items, const lw_scan_envelope *envelope, lw_error *err)
{
    items->is_begun = false;
    if (lw_list_metadata__read(&items->metadata, envelope) < 0)
        return lw_error_nomem(err);
    return LW_OK;
}
