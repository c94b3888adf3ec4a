/* SPDX-License-Identifier: Apache-2.0 */
/* pod_resources.c -- sums the resources of a pod's containers, as the scheduler does (KEP-753 for
 * sidecars, KEP-2837 for pod-level resources). */
#include "api/pending/pod_resources.h"

#include "base/str.h"
#include "json/fields.h"

static const lw_node *share_of(const lw_node *resources, lw_pod_share share)
{
    return lw_node_get(resources, share == LW_POD_REQUESTS ? LW_STR("requests") : LW_STR("limits"));
}

const lw_node *lw_container_resources(const lw_node *container, lw_pod_share share)
{
    return share_of(lw_node_get(container, LW_STR("resources")), share);
}

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

/* Raises |sum| to what the init containers need: each runs alone, beside the sidecars started
 * before it. */
static void add_init(lw_amounts *sum, const lw_node *list, lw_pod_share share)
{
    lw_amounts sidecars = { .list = NULL }, most = { .list = NULL };
    for (size_t i = 0; i < count_of(list); i++) {
        const lw_node *container = lw_node_at(list, i);
        const lw_node *own = lw_container_resources(container, share);
        lw_amounts now = { .list = NULL };
        bool stays = lw_str_equal(lw_fields_text(container, "restartPolicy"), LW_STR("Always"));
        if (stays) {
            lw_amounts_read(sum, own);
            lw_amounts_read(&sidecars, own);
        } else {
            lw_amounts_read(&now, own);
        }
        lw_amounts_add_all(&now, &sidecars);
        lw_amounts_raise_all(&most, &now);
        lw_amounts_done(&now);
    }
    lw_amounts_raise_all(sum, &most);
    lw_amounts_done(&most);
    lw_amounts_done(&sidecars);
}

static bool is_of_pods(lw_str name)
{
    return lw_str_equal(name, LW_STR("cpu")) || lw_str_equal(name, LW_STR("memory")) ||
           lw_str_starts_with(name, LW_STR("hugepages-"));
}

static bool has_own(const lw_node *list)
{
    for (size_t i = 0; lw_node_is(list, LW_JSON_OBJECT) && i < lw_node_count(list); i++) {
        if (is_of_pods(lw_node_key_at(list, i)))
            return true;
    }
    return false;
}

bool lw_pod_has_own_resources(const lw_node *spec)
{
    const lw_node *own = lw_node_get(spec, LW_STR("resources"));
    return has_own(share_of(own, LW_POD_REQUESTS)) || has_own(share_of(own, LW_POD_LIMITS));
}

static void put_own(lw_amounts *sum, const lw_node *list)
{
    lw_quantity quantity;
    for (size_t i = 0; lw_node_is(list, LW_JSON_OBJECT) && i < lw_node_count(list); i++) {
        lw_str name = lw_node_key_at(list, i);
        if (is_of_pods(name) && lw_quantity_of_node(lw_node_at(list, i), &quantity))
            lw_amounts_set(sum, name, quantity);
    }
}

static void sum_up(lw_amounts *sum, const lw_node *spec, lw_pod_share share)
{
    const lw_node *list = lw_node_get(spec, LW_STR("containers"));
    for (size_t i = 0; i < count_of(list); i++)
        lw_amounts_read(sum, lw_container_resources(lw_node_at(list, i), share));
    add_init(sum, lw_node_get(spec, LW_STR("initContainers")), share);
    put_own(sum, share_of(lw_node_get(spec, LW_STR("resources")), share));
}

void lw_pod_resources_add(lw_amounts *out, const lw_node *spec, lw_pod_share share)
{
    lw_amounts sum = { .list = NULL };
    sum_up(&sum, spec, share);
    lw_amounts_add_all(out, &sum);
    lw_amounts_done(&sum);
}

void lw_pod_resources_add_gross(lw_amounts *out, const lw_node *spec, lw_pod_share share)
{
    lw_amounts sum = { .list = NULL }, overhead = { .list = NULL };
    sum_up(&sum, spec, share);
    lw_amounts_read(&overhead, lw_node_get(spec, LW_STR("overhead")));
    for (size_t i = 0; i < overhead.count; i++) {
        lw_str name = lw_str_of(overhead.list[i].name);
        /* A resource without a limit stays unlimited. */
        if (share == LW_POD_REQUESTS || lw_amounts_get(&sum, name))
            lw_amounts_add(&sum, name, overhead.list[i].quantity);
    }
    if (sum.st == LW_OK)
        sum.st = overhead.st;
    lw_amounts_add_all(out, &sum);
    lw_amounts_done(&sum);
    lw_amounts_done(&overhead);
}
