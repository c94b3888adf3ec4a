/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c -- matches objects against a filter. */
#include "cache/filter.h"

#include <listwatch/match.h>

#include "object/compact/compact.h"

bool lw_filter_has_selectors(const lw_cache_filter *filter)
{
    return !lw_label_selector_is_everything(filter->labels) ||
           !lw_field_selector_is_everything(filter->fields);
}

bool lw_filter_selects(const lw_cache_filter *filter, const lw_object *obj)
{
    if (filter->labels && !lw_label_selector_matches(filter->labels, obj))
        return false;
    if (!filter->fields)
        return true;
    return filter->fields_match ? filter->fields_match(filter->fields, obj, filter->fields_arg)
                                : lw_field_selector_matches_object(filter->fields, obj);
}

lw_status lw_filter_check(const lw_cache_filter *filter, const lw_object *obj, bool *selects,
                          lw_object **opened)
{
    *opened = NULL;
    *selects = !filter->labels || lw_label_selector_matches(filter->labels, obj);
    if (!*selects || lw_field_selector_is_everything(filter->fields))
        return LW_OK;
    lw_object *copy = lw_compact_open_ref(obj);
    if (!copy)
        return LW_ERR_NOMEM;
    *selects = lw_filter_selects(filter, copy);
    if (*selects)
        *opened = copy;
    else
        lw_object_unref(copy);
    return LW_OK;
}
