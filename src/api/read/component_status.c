/* SPDX-License-Identifier: Apache-2.0 */
/* component_status.c -- GET of componentstatuses (deprecated): whether the parts of the control
 * plane are healthy.  They are not stored: each request looks.
 *
 * The store is healthy if this server answers.  kube-apiserver asks the scheduler and the
 * controller manager on fixed ports of its own host; here they are healthy if they hold their
 * leases. */
#include "api/read/read.h"

#include <stdio.h>

#include "api/context/cache_lookup.h"
#include "api/http/failures.h"
#include "api/http/list_options.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "cache/filter.h"
#include "schema/kinds/kinds.h"
#include "json/writer.h"

enum {
    COMPONENTS = 3,
    JSON_MAX = 4096,
    TEXT_SIZE = 256,
};

static const struct {
    const char *name;
    const char *lease; /* in kube-system; NULL: the store */
} components[COMPONENTS] = {
    { "controller-manager", "kube-controller-manager" },
    { "scheduler", "kube-scheduler" },
    { "etcd-0", NULL },
};

/* Whether |lease| was renewed within its duration. */
static bool is_held(const lw_api *api, const lw_object *lease)
{
    lw_time renewed;
    int64_t renewed_ns;
    lw_str text = lw_str_of(lw_object_string(lease, "/spec/renewTime", ""));
    int64_t seconds = lw_object_int(lease, "/spec/leaseDurationSeconds", 0);
    return lw_object_string(lease, "/spec/holderIdentity", "")[0] != '\0' &&
           lw_time_parse(text, &renewed) && lw_time_to_ns(renewed, &renewed_ns) &&
           lw_clock_wall(api->clock) - renewed_ns < seconds * LW_NS_PER_S;
}

/* Sets |why| to "ok", or to what is wrong. */
static lw_status look(const lw_api *api, size_t i, char why[TEXT_SIZE], bool *is_healthy)
{
    lw_object *lease = NULL;
    lw_status st = LW_OK;
    *is_healthy = !components[i].lease;
    if (components[i].lease) {
        lw_key key = { LW_STR("kube-system"), lw_str_of(components[i].lease) };
        st = lw_lookup(lw_api_resource(api, &lw_kind_leases), key, &lease);
        *is_healthy = st == LW_OK && lease && is_held(api, lease);
    }
    if (*is_healthy)
        (void)snprintf(why, TEXT_SIZE, "ok");
    else if (components[i].lease)
        (void)snprintf(why, TEXT_SIZE, "nobody holds the lease kube-system/%s",
                       components[i].lease);
    lw_object_unref(lease);
    return st;
}

static void write_component(size_t i, bool is_healthy, const char *why, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("ComponentStatus"));
    lw_json_write_member_string(&w, "apiVersion", LW_STR("v1"));
    lw_json_write_key(&w, LW_STR("metadata"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "name", lw_str_of(components[i].name));
    lw_json_write_object_end(&w);
    lw_json_write_key(&w, LW_STR("conditions"));
    lw_json_write_array_begin(&w);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "type", LW_STR("Healthy"));
    lw_json_write_member_string(&w, "status", is_healthy ? LW_STR("True") : LW_STR("False"));
    lw_json_write_member_string(&w, "message", lw_str_of(why));
    lw_json_write_object_end(&w);
    lw_json_write_array_end(&w);
    lw_json_write_object_end(&w);
}

/* Makes the object of component |i|. */
static lw_status make_component(const lw_api *api, size_t i, lw_object **out)
{
    char why[TEXT_SIZE];
    bool is_healthy;
    lw_buf json;
    lw_status st = look(api, i, why, &is_healthy);
    if (st < 0)
        return st;
    lw_buf_init(&json, JSON_MAX);
    write_component(i, is_healthy, why, &json);
    st = json.st;
    if (st == LW_OK)
        st = lw_object_from_json(out, json.data, json.len, NULL);
    lw_buf_done(&json);
    return st;
}

static void reply_one(lw_api_call *call)
{
    lw_object *obj = NULL;
    lw_status st = LW_ERR_NOT_FOUND;
    for (size_t i = 0; i < COMPONENTS; i++) {
        if (lw_str_equal(call->route.name, lw_str_of(components[i].name)))
            st = make_component(call->api, i, &obj);
    }
    if (st == LW_ERR_NOT_FOUND) {
        lw_api_status status;
        lw_api_status_not_found(&status, lw_gvr_make("", "v1", "componentstatus"),
                                call->route.name);
        lw_call_reply_status(call, &status);
    } else if (st < 0) {
        lw_call_reply_unreadable(call, st);
    } else {
        lw_call_reply_object(call, 200, obj);
    }
    lw_object_unref(obj);
}

/* Makes the components that |filter| selects. */
static lw_status make_list(const lw_api *api, const lw_cache_filter *filter, lw_cache_list *list)
{
    list->objects = lw_alloc_zero(COMPONENTS, sizeof(*list->objects));
    if (!list->objects)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < COMPONENTS; i++) {
        lw_object *obj = NULL;
        lw_status st = make_component(api, i, &obj);
        if (st < 0)
            return st;
        if (lw_filter_selects(filter, obj))
            list->objects[list->count++] = obj;
        else
            lw_object_unref(obj);
    }
    return LW_OK;
}

static void reply_all(lw_api_call *call)
{
    const lw_route *route = &call->route;
    lw_api_list_options options;
    lw_api_status status;
    lw_cache_filter filter;
    lw_cache_list list = { 0 };
    if (!lw_api_list_options_read(&options, &call->query, route->kind, false, false, &status) ||
        !lw_api_list_options_filter(&options, route->kind, route->ns, route->name, &filter,
                                    &status)) {
        lw_api_list_options_done(&options);
        lw_call_reply_status(call, &status);
        return;
    }
    lw_status st = make_list(call->api, &filter, &list);
    if (st < 0) {
        lw_cache_list_done(&list);
        lw_call_reply_unreadable(call, st);
    } else {
        lw_call_reply_list(call, &list, LW_STR(""), -1);
    }
    lw_api_list_options_done(&options);
}

void lw_rest_component_statuses(lw_api_call *call)
{
    if (call->route.name.len > 0)
        reply_one(call);
    else
        reply_all(call);
}
