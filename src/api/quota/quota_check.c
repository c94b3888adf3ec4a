/* SPDX-License-Identifier: Apache-2.0 */
/* quota_check.c -- checks whether a quota allows an object. */
#include "api/quota/quota_check.h"

#include <string.h>

#include "api/pending/pod_resources.h"
#include "base/str.h"
#include "json/fields.h"

lw_status lw_quota_read(lw_quota *quota, const lw_object *object)
{
    lw_status st = lw_tree_parse(&quota->tree, lw_object_json(object), 0, NULL);
    if (st < 0)
        return st;
    const lw_node *root = lw_tree_root(quota->tree);
    quota->name = lw_str_of(lw_object_name(object));
    quota->spec = lw_node_get(root, LW_STR("spec"));
    lw_amounts_read(&quota->hard, lw_fields_find(root, "/status/hard"));
    lw_amounts_read(&quota->used, lw_fields_find(root, "/status/used"));
    return quota->hard.st < 0 ? quota->hard.st : quota->used.st;
}

void lw_quota_done(lw_quota *quota)
{
    lw_amounts_done(&quota->hard);
    lw_amounts_done(&quota->used);
    lw_tree_free(quota->tree);
    *quota = (lw_quota){ .tree = NULL };
}

static bool limits_kind(const lw_quota *quota, const lw_kind *kind)
{
    for (size_t i = 0; i < quota->hard.count; i++) {
        if (lw_quota_concerns(kind, lw_str_of(quota->hard.list[i].name)))
            return true;
    }
    return false;
}

bool lw_quota_applies(const lw_quota *quota, const lw_quota_request *request)
{
    return limits_kind(quota, request->kind) && lw_quota_has_in_scope(quota->spec, &request->now);
}

/* Returns true if |container| specifies |resource| of the quota: "cpu", "limits.memory". */
static bool specifies(const lw_node *container, lw_str resource)
{
    lw_pod_share share = LW_POD_REQUESTS;
    if (lw_str_starts_with(resource, LW_STR("limits."))) {
        share = LW_POD_LIMITS;
        resource = lw_str_skip(resource, 7);
    } else if (lw_str_starts_with(resource, LW_STR("requests."))) {
        resource = lw_str_skip(resource, 9);
    }
    return lw_node_get(lw_container_resources(container, share), resource) != NULL;
}

/* A sorted list of container names; further ones are not reported. */
typedef struct name_list {
    lw_str names[256];
    size_t count;
} name_list;

static void add_unspecified(name_list *list, const lw_node *containers, lw_str resource)
{
    for (size_t i = 0; i < lw_node_count(containers); i++) {
        const lw_node *container = lw_node_at(containers, i);
        lw_str name = lw_fields_text(container, "name");
        size_t at = 0;
        if (specifies(container, resource) || list->count == sizeof(list->names) / sizeof(name))
            continue;
        while (at < list->count && lw_str_compare(list->names[at], name) < 0)
            at++;
        memmove(&list->names[at + 1], &list->names[at],
                (list->count - at) * sizeof(list->names[0]));
        list->names[at] = name;
        list->count++;
    }
}

/* Appends "cpu for: a,b" if containers do not specify |resource|. */
static bool append_unspecified(const lw_node *pod, lw_str resource, lw_buf *why)
{
    name_list silent = { .count = 0 };
    const lw_node *spec = lw_node_get(pod, LW_STR("spec"));
    add_unspecified(&silent, lw_node_get(spec, LW_STR("containers")), resource);
    add_unspecified(&silent, lw_node_get(spec, LW_STR("initContainers")), resource);
    if (silent.count == 0)
        return false;
    lw_buf_append_str(why, resource);
    lw_buf_append_text(why, " for: ");
    for (size_t i = 0; i < silent.count; i++) {
        if (i > 0)
            lw_buf_append_char(why, ',');
        lw_buf_append_str(why, silent.names[i]);
    }
    return true;
}

/* A quota on cpu or memory requires every container to specify it. */
static bool specifies_required(const lw_quota *quota, const lw_quota_request *request, lw_buf *why)
{
    static const char *const demanded[] = { "cpu",    "limits.cpu",   "limits.memory",
                                            "memory", "requests.cpu", "requests.memory" };
    bool is_enough = true;
    if (!request->now.is_pod ||
        lw_pod_has_own_resources(lw_node_get(request->object, LW_STR("spec"))))
        return true;
    size_t start = why->len;
    lw_buf_printf(why, "failed quota: %.*s: must specify ", LW_STR_ARG(quota->name));
    for (size_t i = 0; i < sizeof(demanded) / sizeof(demanded[0]); i++) {
        size_t before = why->len;
        if (!lw_amounts_get(&quota->hard, lw_str_of(demanded[i])))
            continue;
        if (!is_enough)
            lw_buf_append_text(why, "; ");
        if (append_unspecified(request->object, lw_str_of(demanded[i]), why))
            is_enough = false;
        else
            lw_buf_truncate(why, before);
    }
    if (is_enough)
        lw_buf_truncate(why, start);
    return is_enough;
}

/* Nothing can be charged before the quota has been counted for the first time. */
static bool is_known(const lw_quota *quota, const lw_kind *kind, lw_buf *why)
{
    bool is_known = true, is_first = true;
    for (size_t i = 0; i < quota->hard.count && is_known; i++) {
        lw_str name = lw_str_of(quota->hard.list[i].name);
        is_known = !lw_quota_concerns(kind, name) || lw_amounts_get(&quota->used, name);
    }
    if (is_known)
        return true;
    lw_buf_printf(why, "status unknown for quota: %.*s, resources: ", LW_STR_ARG(quota->name));
    for (size_t i = 0; i < quota->hard.count; i++) {
        if (!lw_quota_concerns(kind, lw_str_of(quota->hard.list[i].name)))
            continue;
        lw_buf_append_text(why, is_first ? "" : ",");
        lw_buf_append_text(why, quota->hard.list[i].name);
        is_first = false;
    }
    return false;
}

/* A usage must not be negative. */
static bool is_valid_usage(const lw_amounts *used, lw_buf *why)
{
    bool is_valid_usage = true;
    for (size_t i = 0; i < used->count; i++) {
        if (used->list[i].quantity.nanos >= 0)
            continue;
        lw_buf_append_text(why, is_valid_usage ? "quota usage is negative for resource(s): " : ",");
        lw_buf_append_text(why, used->list[i].name);
        is_valid_usage = false;
    }
    return is_valid_usage;
}

bool lw_quota_is_answered(const lw_quota *quota, const lw_quota_request *request, lw_buf *why)
{
    return specifies_required(quota, request, why) && is_known(quota, request->kind, why) &&
           is_valid_usage(&request->now.used, why);
}

/* Computes the additional usage of the resources that the quota limits. */
static void compute_delta(const lw_quota *quota, const lw_quota_request *request, lw_amounts *delta)
{
    bool is_difference =
        request->has_before && lw_quota_has_in_scope(quota->spec, &request->before);
    for (size_t i = 0; i < request->now.used.count; i++) {
        const lw_amount *amount = &request->now.used.list[i];
        lw_str name = lw_str_of(amount->name);
        lw_quantity more = amount->quantity;
        const lw_quantity *before =
            is_difference ? lw_amounts_get(&request->before.used, name) : NULL;
        if (before)
            more = lw_quantity_subtract(more, *before);
        if (more.nanos > 0 && lw_amounts_get(&quota->hard, name))
            lw_amounts_set(delta, name, more);
    }
}

static bool is_exceeded(const lw_quota *quota, const lw_amount *more)
{
    lw_str name = lw_str_of(more->name);
    const lw_quantity *used = lw_amounts_get(&quota->used, name);
    const lw_quantity *hard = lw_amounts_get(&quota->hard, name);
    lw_quantity sum = used ? lw_quantity_add(*used, more->quantity) : more->quantity;
    return lw_quantity_compare(sum, *hard) > 0;
}

/* Appends "cpu=1,pods=2" for the resources in |delta| that exceed the quota. */
static void append_exceeded(const lw_quota *quota, const lw_amounts *delta, const lw_amounts *shown,
                            lw_buf *why)
{
    char text[LW_QUANTITY_SIZE];
    bool is_first = true;
    for (size_t i = 0; i < delta->count; i++) {
        const char *name = delta->list[i].name;
        const lw_quantity *quantity = lw_amounts_get(shown, lw_str_of(name));
        if (!quantity || !is_exceeded(quota, &delta->list[i]))
            continue;
        lw_quantity_format(text, *quantity);
        lw_buf_printf(why, "%s%s=%s", is_first ? "" : ",", name, text);
        is_first = false;
    }
}

static bool fits(const lw_quota *quota, const lw_amounts *delta, lw_buf *why)
{
    size_t i = 0;
    while (i < delta->count && !is_exceeded(quota, &delta->list[i]))
        i++;
    if (i == delta->count)
        return true;
    lw_buf_printf(why, "exceeded quota: %.*s, requested: ", LW_STR_ARG(quota->name));
    append_exceeded(quota, delta, delta, why);
    lw_buf_append_text(why, ", used: ");
    append_exceeded(quota, delta, &quota->used, why);
    lw_buf_append_text(why, ", limited: ");
    append_exceeded(quota, delta, &quota->hard, why);
    return false;
}

lw_quota_decision lw_quota_check(const lw_quota *quota, const lw_quota_request *request,
                                 lw_amounts *delta, lw_buf *why)
{
    if (!lw_quota_applies(quota, request))
        return LW_QUOTA_PASS;
    if (!lw_quota_is_answered(quota, request, why))
        return LW_QUOTA_REFUSE;
    compute_delta(quota, request, delta);
    if (delta->count == 0)
        return LW_QUOTA_PASS;
    return request->is_status || fits(quota, delta, why) ? LW_QUOTA_CHARGE : LW_QUOTA_REFUSE;
}
