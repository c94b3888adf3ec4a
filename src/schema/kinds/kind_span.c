/* SPDX-License-Identifier: Apache-2.0 */
/* kind_span.c -- cuts the registry's array at the borders of groups and versions. */
#include "schema/kinds/kind_span.h"

lw_kind_span lw_kind_span_all(const lw_registry *registry)
{
    lw_kind_span all;
    all.kinds = lw_registry_told(registry, &all.count);
    return all;
}

static bool is_same_group(const lw_kind *a, const lw_kind *b)
{
    return lw_str_equal(a->group, b->group);
}

static bool is_same_version(const lw_kind *a, const lw_kind *b)
{
    return lw_str_equal(a->version, b->version);
}

static bool next_span(lw_kind_span *rest, bool (*is_same)(const lw_kind *a, const lw_kind *b),
                      lw_kind_span *out)
{
    size_t count = 0;
    if (rest->count == 0) /* without kinds there is no array to go on in */
        return false;
    while (count < rest->count && is_same(rest->kinds[0], rest->kinds[count]))
        count++;
    *out = (lw_kind_span){ rest->kinds, count };
    *rest = (lw_kind_span){ rest->kinds + count, rest->count - count };
    return true;
}

bool lw_kind_span_next_group(lw_kind_span *rest, lw_kind_span *group)
{
    return next_span(rest, is_same_group, group);
}

bool lw_kind_span_next_version(lw_kind_span *rest, lw_kind_span *version)
{
    return next_span(rest, is_same_version, version);
}

lw_kind_span lw_kind_span_of_group(const lw_registry *registry, lw_str group)
{
    lw_kind_span rest = lw_kind_span_all(registry), span;
    while (lw_kind_span_next_group(&rest, &span)) {
        if (lw_str_equal(span.kinds[0]->group, group))
            return span;
    }
    return (lw_kind_span){ NULL, 0 };
}

lw_kind_span lw_kind_span_of_version(const lw_registry *registry, lw_str group, lw_str version)
{
    lw_kind_span rest = lw_kind_span_of_group(registry, group), span;
    while (lw_kind_span_next_version(&rest, &span)) {
        if (lw_str_equal(span.kinds[0]->version, version))
            return span;
    }
    return (lw_kind_span){ NULL, 0 };
}
