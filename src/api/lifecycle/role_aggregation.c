/* SPDX-License-Identifier: Apache-2.0 */
/* role_aggregation.c -- gathers the rules of aggregated ClusterRoles. */
#include "api/lifecycle/role_aggregation.h"

#include <listwatch/match.h>

#include "api/context/key_scheduler.h"
#include "api/pending/pending_object.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/map.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    ROLES_MAX = 1 << 20,
    RULES_MAX = 1 << 20, /* of one aggregated role */
    RUNNING_MAX = 4,     /* gathered at once */
};

#define RETRY_NS LW_NS_PER_S

/* An aggregated ClusterRole. */
typedef struct aggregated {
    lw_scheduled_key key; /* first */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} aggregated;

struct lw_role_aggregation {
    lw_api_port *port;
    lw_key_scheduler roles; /* of aggregated, by name */
};

/* Returns true if one of the selectors matches |role|; a malformed one matches nothing. */
static bool matches_any(const lw_node *selectors, const lw_object *role)
{
    for (size_t i = 0; i < lw_node_count(selectors); i++) {
        lw_label_selector *selector = NULL;
        lw_buf json;
        lw_json_writer w;
        lw_buf_init(&json, LW_STORE_VALUE_MAX);
        lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
        lw_node_write(lw_node_at(selectors, i), &w);
        bool is_match = json.st == LW_OK &&
                        lw_label_selector_from_json(&selector, lw_buf_view(&json), NULL) == LW_OK &&
                        lw_label_selector_matches(selector, role);
        lw_label_selector_free(selector);
        lw_buf_done(&json);
        if (is_match)
            return true;
    }
    return false;
}

static uint64_t hash_rule(const void *key, lw_hash_seed seed)
{
    return lw_node_hash(key, seed);
}

static bool has_rule(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_node_equal(entry, key);
}

/* The rules gathered so far, so that each is there once; the entries are the keys. */
static const lw_map_type rules_by_content = { hash_rule, has_rule, 0 };

/* Appends the rules of |role| that |known| does not have. */
static lw_status add_rules(lw_tree *tree, lw_node *rules, lw_map *known, const lw_object *role)
{
    lw_str text;
    lw_node *parsed = NULL;
    if (lw_object_raw(role, "/rules", &text) < 0)
        return LW_OK;
    lw_status st = lw_tree_parse_node(tree, text, &parsed, NULL);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(parsed); i++) {
        lw_node *rule = lw_node_at(parsed, i);
        void *present = NULL;
        st = lw_map_add(known, rule, rule, &present);
        if (st == LW_OK && !present)
            lw_node_append(tree, rules, lw_tree_share(tree, rule));
    }
    return st;
}

/* Makes the rules of the role at |write|, gathered from all others in the order of names. */
static lw_status gather(const lw_write *write, lw_tree *tree, const lw_node *selectors,
                        lw_node **rules)
{
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_list list = { 0 };
    lw_map known;
    lw_cache_resource *resource = lw_api_resource(write->port->api, write->kind);
    lw_map_init(&known, &rules_by_content, lw_hash_seed_random(), RULES_MAX);
    lw_status st = lw_cache_list_now(resource, &all, LW_STR(""), 0, &list, NULL);
    *rules = lw_tree_array(tree);
    for (size_t i = 0; st == LW_OK && i < list.count; i++) {
        bool is_itself = lw_str_equal(lw_str_of(lw_object_name(list.objects[i])), write->key.name);
        if (!is_itself && matches_any(selectors, list.objects[i]))
            st = add_rules(tree, *rules, &known, list.objects[i]);
    }
    lw_cache_list_done(&list);
    lw_map_done(&known);
    return st;
}

static lw_write_decision gather_decide(lw_write *write)
{
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    lw_node *rules = NULL;
    lw_write_decision decision = LW_WRITE_KEEP;
    if (!write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    const lw_node *selectors =
        st == LW_OK ? lw_fields_find(lw_tree_root(stored), "/aggregationRule/clusterRoleSelectors")
                    : NULL;
    if (selectors) {
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
        if (st == LW_OK)
            st = gather(write, pending.tree, selectors, &rules);
        if (st == LW_OK) {
            lw_node_put(pending.tree, pending.root, LW_STR("rules"), rules);
            lw_pending_object_seal(&pending);
            if (!lw_pending_object_is_unchanged(&pending)) {
                decision = LW_WRITE_PUT;
                st = lw_pending_object_take(&pending, true, &write->next);
            }
        }
        lw_pending_object_done(&pending);
    }
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static void gather_done(lw_write *write)
{
    aggregated *a = LW_CONTAINER_OF(write, aggregated, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    a->not_before_ns = has_failed ? lw_key_scheduler_now(a->key.scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(&a->key, has_failed);
}

static void gather_start(lw_scheduled_key *key)
{
    aggregated *a = (aggregated *)(void *)key;
    const lw_role_aggregation *aggregation =
        LW_CONTAINER_OF(key->scheduler, lw_role_aggregation, roles);
    a->write = (lw_write){ .port = aggregation->port,
                           .kind = &lw_kind_clusterroles,
                           .key = { LW_STR(""), key->name },
                           .decide = gather_decide,
                           .done = gather_done };
    lw_write_start(&a->write);
}

static int64_t gather_ready_ns(const lw_scheduled_key *key)
{
    return ((const aggregated *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type gathering = {
    .entry_size = sizeof(aggregated),
    .keys_max = ROLES_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = gather_ready_ns,
    .start = gather_start,
};

lw_status lw_role_aggregation_new(lw_role_aggregation **out, lw_api_port *port)
{
    lw_role_aggregation *aggregation = lw_alloc_zero(1, sizeof(*aggregation));
    if (!aggregation)
        return LW_ERR_NOMEM;
    aggregation->port = port;
    lw_key_scheduler_init(&aggregation->roles, &gathering, port->loop);
    *out = aggregation;
    return LW_OK;
}

lw_status lw_role_aggregation_observe(lw_role_aggregation *aggregation, const lw_kind *kind,
                                      const lw_cache_event *event)
{
    if (!aggregation)
        return LW_OK;
    if (kind != &lw_kind_clusterroles)
        return LW_OK;
    lw_str text, name = lw_str_of(lw_object_name(event->object));
    lw_scheduled_key *key = lw_key_scheduler_find(&aggregation->roles, name);
    bool is_aggregated = event->type != LW_WATCH_DELETED &&
                         lw_object_raw(event->object, "/aggregationRule", &text) == LW_OK;
    if (key && !is_aggregated)
        lw_key_scheduler_remove(key);
    else if (!key && is_aggregated && !lw_key_scheduler_add(&aggregation->roles, name))
        return LW_ERR_NOMEM;
    lw_key_scheduler_want_all(&aggregation->roles);
    return LW_OK;
}

void lw_role_aggregation_pump(lw_role_aggregation *aggregation)
{
    if (!aggregation)
        return;
    lw_key_scheduler_pump(&aggregation->roles);
}

void lw_role_aggregation_forget(lw_role_aggregation *aggregation)
{
    if (!aggregation)
        return;
    lw_key_scheduler_forget(&aggregation->roles);
}

void lw_role_aggregation_stop(lw_role_aggregation *aggregation)
{
    if (aggregation)
        lw_key_scheduler_stop(&aggregation->roles);
}

void lw_role_aggregation_free(lw_role_aggregation *aggregation)
{
    if (!aggregation)
        return;
    lw_role_aggregation_stop(aggregation);
    lw_key_scheduler_done(&aggregation->roles);
    lw_free(aggregation);
}
