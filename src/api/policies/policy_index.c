/* SPDX-License-Identifier: Apache-2.0 */
/* policy_index.c -- keeps compiled policies and bindings, and makes sets of them.
 *
 * If memory runs out, the cache drops the resource and loads it again later; until then its
 * policies are not in force, as those of kube-apiserver are not before its informers have
 * synced. */
#include "api/policies/policy_index.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    ENTRIES_MAX = 1 << 20,
};

static const lw_map_type policies_by_name = LW_MAP_STR_TYPE(lw_policy, name);
static const lw_map_type bindings_by_name = LW_MAP_STR_TYPE(lw_policy_binding, name);

/* The policies of one type with their bindings; the argument of their observers. */
typedef struct shelf {
    lw_policies *owner;
    lw_policy_type type;
    lw_map policies, bindings;
} shelf;

struct lw_policies {
    shelf shelves[2]; /* the cache's thread */
    atomic_uint_least64_t version;
    lw_mutex mu;        /* guards |now| */
    lw_policy_set *now; /* NULL: nothing is in force */
    lw_policy_metrics metrics;
};

static void set_unref(lw_policy_set *set)
{
    if (!set || !lw_ref_dec(&set->refs))
        return;
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < set->hooks[t].count; i++) {
            lw_policy_hook *hook = &set->hooks[t].list[i];
            for (size_t b = 0; b < hook->count; b++)
                lw_policy_binding_unref(hook->bindings[b]);
            lw_policy_unref(hook->policy);
            lw_free(hook->bindings);
        }
        lw_free(set->hooks[t].list);
    }
    lw_free(set);
}

static int compare_bindings(const void *a, const void *b)
{
    lw_policy_binding *const *left = a, *const *right = b;
    int order = lw_str_compare((*left)->policy, (*right)->policy);
    return order != 0 ? order : lw_str_compare((*left)->name, (*right)->name);
}

/* Returns all bindings in the order of their policies, to be freed; NULL: out of memory. */
static lw_policy_binding **sort_bindings(const shelf *s)
{
    lw_policy_binding **all = lw_alloc_zero(s->bindings.count + 1, sizeof(lw_policy_binding *));
    size_t count = 0;
    lw_map_cursor cursor = lw_map_begin(&s->bindings);
    if (!all)
        return NULL;
    for (lw_policy_binding *b; (b = lw_map_next(&s->bindings, &cursor));)
        all[count++] = b;
    qsort(all, count, sizeof(lw_policy_binding *), compare_bindings);
    return all;
}

static lw_status add_hook(lw_policy_hooks *hooks, lw_policy *policy, lw_policy_binding **bindings,
                          size_t count)
{
    lw_policy_hook *hook = &hooks->list[hooks->count];
    hook->bindings = lw_alloc_zero(count, sizeof(lw_policy_binding *));
    if (!hook->bindings)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        hook->bindings[i] = lw_policy_binding_ref(bindings[i]);
    hook->count = count;
    hook->policy = lw_policy_ref(policy);
    hooks->count++;
    return LW_OK;
}

static lw_status fill_hooks(const shelf *s, lw_policy_hooks *hooks)
{
    lw_policy_binding **all = sort_bindings(s);
    lw_status st = all ? LW_OK : LW_ERR_NOMEM;
    hooks->list = lw_alloc_zero(s->policies.count + 1, sizeof(*hooks->list));
    if (!hooks->list)
        st = LW_ERR_NOMEM;
    for (size_t i = 0, end; st == LW_OK && i < s->bindings.count; i = end) {
        end = i + 1;
        while (end < s->bindings.count && lw_str_equal(all[end]->policy, all[i]->policy))
            end++;
        lw_policy *policy = lw_map_get_str(&s->policies, all[i]->policy);
        if (policy)
            st = add_hook(hooks, policy, &all[i], end - i);
    }
    lw_free(all);
    return st;
}

/* Puts a new set in the place of the old one. */
static lw_status publish(lw_policies *policies)
{
    lw_policy_set *set = lw_alloc_zero(1, sizeof(*set));
    lw_status st = set ? LW_OK : LW_ERR_NOMEM;
    if (set)
        lw_ref_init(&set->refs);
    for (size_t t = 0; st == LW_OK && t < 2; t++)
        st = fill_hooks(&policies->shelves[t], &set->hooks[t]);
    if (st == LW_OK && set->hooks[0].count + set->hooks[1].count == 0) {
        set_unref(set);
        set = NULL;
    }
    if (st < 0) {
        set_unref(set);
        return st;
    }
    lw_mutex_lock(&policies->mu);
    lw_policy_set *before = policies->now;
    policies->now = set;
    atomic_fetch_add(&policies->version, 1);
    lw_mutex_unlock(&policies->mu);
    set_unref(before);
    return LW_OK;
}

static lw_status put_policy(const lw_object *obj, void *arg)
{
    shelf *s = arg;
    lw_tree *tree = NULL;
    lw_policy *policy = NULL;
    void *before = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        st = lw_policy_new(&policy, s->type, lw_tree_root(tree));
    lw_tree_free(tree);
    if (st == LW_OK)
        st = lw_map_put(&s->policies, &policy->name, policy, &before);
    if (st < 0) {
        lw_policy_unref(policy);
        return LW_ERR_NOMEM;
    }
    lw_policy_unref(before);
    return publish(s->owner);
}

static lw_status put_binding(const lw_object *obj, void *arg)
{
    shelf *s = arg;
    lw_tree *tree = NULL;
    lw_policy_binding *binding = NULL;
    void *before = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        st = lw_policy_binding_new(&binding, lw_tree_root(tree));
    lw_tree_free(tree);
    if (st == LW_OK)
        st = lw_map_put(&s->bindings, &binding->name, binding, &before);
    if (st < 0) {
        lw_policy_binding_unref(binding);
        return LW_ERR_NOMEM;
    }
    lw_policy_binding_unref(before);
    return publish(s->owner);
}

/* Without memory for a new set, what was removed stays in force until the next change. */
static void remove_policy(const lw_object *obj, void *arg)
{
    shelf *s = arg;
    const lw_str name = lw_str_of(lw_object_name(obj));
    lw_policy *policy = lw_map_remove(&s->policies, &name);
    lw_policy_unref(policy);
    (void)publish(s->owner);
}

static void remove_binding(const lw_object *obj, void *arg)
{
    shelf *s = arg;
    const lw_str name = lw_str_of(lw_object_name(obj));
    lw_policy_binding *binding = lw_map_remove(&s->bindings, &name);
    lw_policy_binding_unref(binding);
    (void)publish(s->owner);
}

static void clear_policies(shelf *s)
{
    lw_map_cursor cursor = lw_map_begin(&s->policies);
    for (lw_policy *p; (p = lw_map_next(&s->policies, &cursor));)
        lw_policy_unref(p);
    lw_map_clear(&s->policies);
}

static void clear_bindings(shelf *s)
{
    lw_map_cursor cursor = lw_map_begin(&s->bindings);
    for (lw_policy_binding *b; (b = lw_map_next(&s->bindings, &cursor));)
        lw_policy_binding_unref(b);
    lw_map_clear(&s->bindings);
}

static void reset_policies(void *arg)
{
    shelf *s = arg;
    clear_policies(s);
    (void)publish(s->owner);
}

static void reset_bindings(void *arg)
{
    shelf *s = arg;
    clear_bindings(s);
    (void)publish(s->owner);
}

lw_status lw_policies_new(lw_policies **out)
{
    lw_policies *policies = lw_alloc_zero(1, sizeof(*policies));
    if (!policies)
        return LW_ERR_NOMEM;
    lw_mutex_init(&policies->mu);
    lw_policy_metrics_init(&policies->metrics);
    for (size_t t = 0; t < 2; t++) {
        shelf *s = &policies->shelves[t];
        s->owner = policies;
        s->type = (lw_policy_type)t;
        lw_map_init(&s->policies, &policies_by_name, lw_hash_seed_random(), ENTRIES_MAX);
        lw_map_init(&s->bindings, &bindings_by_name, lw_hash_seed_random(), ENTRIES_MAX);
    }
    *out = policies;
    return LW_OK;
}

void lw_policies_free(lw_policies *policies)
{
    if (!policies)
        return;
    for (size_t t = 0; t < 2; t++) {
        clear_policies(&policies->shelves[t]);
        clear_bindings(&policies->shelves[t]);
        lw_map_done(&policies->shelves[t].policies);
        lw_map_done(&policies->shelves[t].bindings);
    }
    set_unref(policies->now);
    lw_policy_metrics_done(&policies->metrics);
    lw_mutex_done(&policies->mu);
    lw_free(policies);
}

lw_policy_metrics *lw_policies_metrics(lw_policies *policies)
{
    return &policies->metrics;
}

void lw_policies_follow(lw_policies *policies, lw_api *api)
{
    shelf *validating = &policies->shelves[LW_POLICY_VALIDATING];
    shelf *mutating = &policies->shelves[LW_POLICY_MUTATING];
    const struct {
        const lw_kind *kind;
        lw_cache_observer observer;
    } feeds[] = {
        { &lw_kind_validatingadmissionpolicies,
          { put_policy, remove_policy, reset_policies, validating } },
        { &lw_kind_validatingadmissionpolicybindings,
          { put_binding, remove_binding, reset_bindings, validating } },
        { &lw_kind_mutatingadmissionpolicies,
          { put_policy, remove_policy, reset_policies, mutating } },
        { &lw_kind_mutatingadmissionpolicybindings,
          { put_binding, remove_binding, reset_bindings, mutating } },
    };
    for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++)
        lw_cache_observe(lw_api_resource(api, feeds[i].kind), &feeds[i].observer);
}

const lw_policy_hooks *lw_policies_look(lw_api_port *port, lw_policy_type type)
{
    lw_policies *policies = port->api->policies;
    if (!policies)
        return NULL;
    if (atomic_load(&policies->version) != port->policies_version) {
        lw_mutex_lock(&policies->mu);
        lw_policy_set *before = port->policies;
        port->policies = policies->now;
        if (port->policies)
            lw_ref_inc(&port->policies->refs);
        port->policies_version = atomic_load(&policies->version);
        port->policies_free = set_unref;
        lw_mutex_unlock(&policies->mu);
        set_unref(before);
    }
    return port->policies && port->policies->hooks[type].count > 0 ? &port->policies->hooks[type]
                                                                   : NULL;
}
