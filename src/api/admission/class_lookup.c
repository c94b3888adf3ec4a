/* SPDX-License-Identifier: Apache-2.0 */
/* class_lookup.c -- looks up classes in the cache. */
#include "api/admission/class_lookup.h"

#include <string.h>

#include "api/context/cache_lookup.h"
#include "api/http/failures.h"
#include "base/str.h"

bool lw_class_find(lw_admission *admission, const lw_kind *kind, lw_str name, lw_object **out)
{
    const lw_key key = { LW_STR(""), name };
    lw_status st = lw_lookup(lw_api_resource(admission->object->port->api, kind), key, out);
    if (st < 0)
        lw_api_status_unreadable(admission->status, st);
    return st == LW_OK;
}

static bool is_marked(const lw_object *object, const lw_class_default *wanted)
{
    for (size_t i = 0; i < 2 && wanted->marks[i]; i++) {
        lw_str raw;
        if (lw_object_raw(object, wanted->marks[i], &raw) == LW_OK &&
            (lw_str_equal(raw, LW_STR("true")) || lw_str_equal(raw, LW_STR("\"true\""))))
            return true;
    }
    return false;
}

/* Times of RFC 3339 in UTC are ordered as texts. */
static bool is_before(const lw_object *a, const lw_object *b, const lw_class_default *wanted)
{
    if (wanted->order)
        return lw_object_int(a, wanted->order, 0) < lw_object_int(b, wanted->order, 0);
    int order = strcmp(lw_object_string(a, "/metadata/creationTimestamp", ""),
                       lw_object_string(b, "/metadata/creationTimestamp", ""));
    return order > 0 || (order == 0 && strcmp(lw_object_name(a), lw_object_name(b)) < 0);
}

bool lw_class_find_default(lw_admission *admission, const lw_class_default *wanted, lw_object **out)
{
    const lw_cache_filter all = { .fields = NULL };
    lw_object *best = NULL;
    lw_cache_list list = { 0 };
    lw_status st = lw_cache_list_now(lw_api_resource(admission->object->port->api, wanted->kind),
                                     &all, LW_STR(""), 0, &list, NULL);
    if (st < 0) {
        lw_api_status_unreadable(admission->status, st);
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        lw_object *object = list.objects[i];
        if (is_marked(object, wanted) && (!best || is_before(object, best, wanted)))
            best = object;
    }
    *out = best ? lw_object_ref(best) : NULL;
    lw_cache_list_done(&list);
    return true;
}

bool lw_class_forbid(lw_admission *admission, const char *why)
{
    lw_api_status_forbidden(admission->status, lw_kind_gvr(admission->object->kind),
                            admission->name, lw_str_of(why));
    return false;
}
