/* SPDX-License-Identifier: Apache-2.0 */
/* quota_count.c -- counts the usage of a quota and writes its status. */
#include "api/quota/quota_count.h"

#include "api/pending/pending_object.h"
#include "base/clock.h"
#include "base/str.h"
#include "json/fields.h"

/* A count in progress. */
typedef struct count_state {
    lw_api_port *port;
    lw_str ns;
    const lw_quota *quota;
    lw_amounts hard; /* from the spec */
    lw_amounts *used;
    int64_t wall_ns;
} count_state;

/* Adds |usage|, |times| times, for the resources that the quota limits. */
static void add_usage(count_state *t, const lw_amounts *usage, int64_t times)
{
    for (size_t i = 0; i < usage->count; i++) {
        lw_str name = lw_str_of(usage->list[i].name);
        lw_quantity quantity = usage->list[i].quantity;
        quantity.nanos *= times;
        if (lw_amounts_get(&t->hard, name))
            lw_amounts_add(t->used, name, quantity);
    }
    if (t->used->st == LW_OK)
        t->used->st = usage->st;
}

/* If only the number of objects matters, none of them is parsed. */
static lw_status count_plain(count_state *t, const lw_kind *kind, lw_cache_resource *resource)
{
    const lw_cache_filter filter = { .ns = t->ns };
    lw_quota_usage usage = { .is_pod = false };
    lw_cache_list list = { 0 };
    lw_status st = lw_cache_list_now(resource, &filter, LW_STR(""), 1, &list, NULL);
    if (st < 0)
        return st;
    lw_quota_usage_of(&usage, kind, NULL, t->wall_ns);
    if (lw_quota_has_in_scope(t->quota->spec, &usage))
        add_usage(t, &usage.used, (int64_t)(list.count + list.remaining));
    lw_quota_usage_done(&usage);
    lw_cache_list_done(&list);
    return t->used->st;
}

static lw_status count_object(count_state *t, const lw_kind *kind, const lw_object *object)
{
    lw_tree *tree = NULL;
    lw_quota_usage usage = { .is_pod = false };
    lw_status st = lw_tree_parse(&tree, lw_object_json(object), 0, NULL);
    if (st < 0)
        return st;
    lw_quota_usage_of(&usage, kind, lw_tree_root(tree), t->wall_ns);
    if (lw_quota_has_in_scope(t->quota->spec, &usage))
        add_usage(t, &usage.used, 1);
    lw_quota_usage_done(&usage);
    lw_tree_free(tree);
    return t->used->st;
}

static lw_status count_each(count_state *t, const lw_kind *kind, lw_cache_resource *resource)
{
    const lw_cache_filter filter = { .ns = t->ns };
    lw_cache_list list = { 0 };
    lw_status st = lw_cache_list_now(resource, &filter, LW_STR(""), 0, &list, NULL);
    if (st < 0)
        return st;
    for (size_t i = 0; i < list.count && st == LW_OK; i++)
        st = count_object(t, kind, list.objects[i]);
    lw_cache_list_done(&list);
    return st;
}

/* Adds 0 to the usage of each limited resource that |kind| can use.  Returns true if there is
 * one. */
static bool add_used_resources(count_state *t, const lw_kind *kind)
{
    bool is_any = false;
    for (size_t i = 0; i < t->hard.count; i++) {
        lw_str name = lw_str_of(t->hard.list[i].name);
        if (!lw_quota_concerns(kind, name))
            continue;
        lw_amounts_add(t->used, name, lw_quantity_of_count(0));
        is_any = true;
    }
    return is_any;
}

static lw_status count_kind(count_state *t, const lw_kind *kind)
{
    lw_cache_resource *resource = lw_api_resource(t->port->api, kind);
    if (!resource || !lw_kind_is_first(kind) || !lw_quota_is_counted(kind) ||
        !add_used_resources(t, kind))
        return LW_OK;
    return lw_quota_is_plain(kind) ? count_plain(t, kind, resource) : count_each(t, kind, resource);
}

static void keep_unknown(count_state *t)
{
    for (size_t i = 0; i < t->quota->used.count; i++) {
        const lw_amount *before = &t->quota->used.list[i];
        lw_str name = lw_str_of(before->name);
        if (lw_amounts_get(&t->hard, name) && !lw_amounts_get(t->used, name))
            lw_amounts_set(t->used, name, before->quantity);
    }
}

lw_status lw_quota_count(lw_api_port *port, lw_str ns, const lw_quota *quota, lw_amounts *used)
{
    count_state t = { .port = port,
                      .ns = ns,
                      .quota = quota,
                      .used = used,
                      .wall_ns = lw_clock_wall(port->api->clock) };
    size_t count;
    const lw_kind *const *kinds =
        lw_registry_kinds(lw_catalog_look(&port->api->catalog, &port->kinds), &count);
    lw_amounts_read(&t.hard, lw_node_get(quota->spec, LW_STR("hard")));
    lw_status st = t.hard.st;
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = count_kind(&t, kinds[i]);
    keep_unknown(&t);
    lw_amounts_done(&t.hard);
    return st < 0 ? st : used->st;
}

lw_write_decision lw_quota_write_status(lw_write *write, const lw_quota *quota,
                                        const lw_amounts *used, bool takes_hard)
{
    lw_pending_object pending = { 0 };
    lw_write_decision decision = LW_WRITE_PUT;
    lw_status st = lw_pending_object_open(&pending, write->port, write->kind, NULL,
                                          lw_tree_root(quota->tree), write->current);
    if (st == LW_OK) {
        lw_node *status = lw_fields_object(pending.tree, pending.root, "status");
        if (takes_hard)
            lw_fields_set_copy(pending.tree, status, "hard",
                               lw_node_get(quota->spec, LW_STR("hard")));
        lw_node_put(pending.tree, status, LW_STR("used"), lw_amounts_write(used, pending.tree));
        lw_pending_object_seal(&pending);
        if (lw_pending_object_state(&pending) == LW_OK && lw_pending_object_is_unchanged(&pending))
            decision = LW_WRITE_KEEP;
        else
            st = lw_pending_object_take(&pending, true, &write->next);
    }
    lw_pending_object_done(&pending);
    return st < 0 ? lw_write_fail(write, st) : decision;
}
