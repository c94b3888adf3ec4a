/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.c -- makes sets of webhooks and finds those of a request. */
#include "api/webhooks/hooks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "schema/kinds/subresource.h"

enum {
    KEY_SIZE = 1024,
};

struct lw_hook_set {
    lw_ref refs;
    uint64_t generation;
    size_t count;      /* of configurations */
    size_t hook_count; /* of all of them */
    lw_hook_config *configs[];
};

struct lw_hooks {
    const lw_hook_caller *caller;
    const lw_hook_converter *converter;
    bool has_mutating, has_validating;
    lw_api *api;
    atomic_uint_least64_t generation; /* rises with each change of a configuration */
    lw_hook_metrics metrics;
    lw_mutex mu;      /* guards |now| */
    lw_hook_set *now; /* NULL: none yet */
};

/* What a loop keeps. */
struct lw_hook_view {
    lw_hook_set *set;
    lw_registry *registry;
    lw_map remembered; /* of lw_hook_matches */
    /* The last of them that was found for a whole object; NULL: none.  A write asks three times. */
    lw_hook_matches *last;
    const lw_kind *last_kind;
    unsigned last_operation;
};

static const lw_map_type by_key = LW_MAP_STR_TYPE(lw_hook_matches, key);

lw_status lw_hooks_new(lw_hooks **out, const lw_hook_caller *caller, bool has_mutating,
                       bool has_validating)
{
    lw_hooks *hooks = lw_alloc_zero(1, sizeof(*hooks));
    if (!hooks)
        return LW_ERR_NOMEM;
    hooks->caller = caller;
    hooks->has_mutating = has_mutating;
    hooks->has_validating = has_validating;
    atomic_init(&hooks->generation, 1);
    lw_hook_metrics_init(&hooks->metrics);
    lw_mutex_init(&hooks->mu);
    *out = hooks;
    return LW_OK;
}

void lw_hooks_free(lw_hooks *hooks)
{
    if (!hooks)
        return;
    lw_hook_set_unref(hooks->now);
    lw_hook_metrics_done(&hooks->metrics);
    lw_mutex_done(&hooks->mu);
    lw_free(hooks);
}

const lw_hook_caller *lw_hooks_caller(const lw_hooks *hooks)
{
    return hooks->caller;
}

const lw_hook_converter *lw_hooks_converter(const lw_hooks *hooks)
{
    return hooks->converter;
}

lw_hook_metrics *lw_hooks_metrics(lw_hooks *hooks)
{
    return &hooks->metrics;
}

/* The following three run on the thread that applies changes. */
static void changed(void *arg)
{
    lw_hooks *hooks = arg;
    atomic_fetch_add_explicit(&hooks->generation, 1, memory_order_release);
}

static lw_status config_put(const lw_object *obj, void *arg)
{
    (void)obj;
    changed(arg);
    return LW_OK;
}

static void config_removed(const lw_object *obj, void *arg)
{
    (void)obj;
    changed(arg);
}

void lw_hooks_follow(lw_hooks *hooks, lw_api *api, const lw_hook_converter *converter)
{
    const lw_cache_observer observer = { config_put, config_removed, changed, hooks };
    hooks->api = api;
    hooks->converter = converter;
    api->hooks = hooks;
    lw_cache_observe(lw_api_resource(api, &lw_kind_mutatingwebhookconfigurations), &observer);
    lw_cache_observe(lw_api_resource(api, &lw_kind_validatingwebhookconfigurations), &observer);
}

void lw_hook_set_unref(lw_hook_set *set)
{
    if (!set || !lw_ref_dec(&set->refs))
        return;
    for (size_t i = 0; i < set->count; i++)
        lw_hook_config_unref(set->configs[i]);
    lw_free(set);
}

static lw_hook_set *set_ref(lw_hook_set *set)
{
    if (set)
        lw_ref_inc(&set->refs);
    return set;
}

/* Returns the set that is in force, to unref; NULL: none was made yet. */
static lw_hook_set *current_set(lw_hooks *hooks)
{
    lw_mutex_lock(&hooks->mu);
    lw_hook_set *set = set_ref(hooks->now);
    lw_mutex_unlock(&hooks->mu);
    return set;
}

/* Returns the configuration of |previous| that was made from this state of |obj|; NULL: none. |*at|
 * is where to look: both are in the order of names, mutating ones first. */
static lw_hook_config *find_compiled(const lw_hook_set *previous, size_t *at, const lw_object *obj,
                                     bool is_mutating)
{
    lw_str name = lw_str_of(lw_object_name(obj));
    for (; previous && *at < previous->count; (*at)++) {
        lw_hook_config *config = previous->configs[*at];
        int order = config->is_mutating == is_mutating ? lw_str_compare(config->name, name)
                    : is_mutating                      ? 1
                                                       : -1;
        if (order > 0)
            break;
        if (order == 0 && lw_object_revision(config->obj) == lw_object_revision(obj))
            return config;
    }
    return NULL;
}

static lw_status add_configs(lw_hooks *hooks, lw_hook_set *set, const lw_hook_set *previous,
                             const lw_cache_list *list, bool is_mutating)
{
    lw_status st = LW_OK;
    size_t at = 0;
    for (size_t i = 0; st == LW_OK && i < list->count; i++) {
        lw_hook_config *config = find_compiled(previous, &at, list->objects[i], is_mutating);
        if (config)
            (void)lw_hook_config_ref(config);
        else
            st = lw_hook_config_new(&config, list->objects[i], is_mutating, hooks->caller);
        if (st == LW_OK) {
            set->configs[set->count++] = config;
            set->hook_count += config->count;
        }
    }
    return st;
}

static lw_status list_configs(lw_hooks *hooks, const lw_kind *kind, bool is_enabled,
                              lw_cache_list *out)
{
    static const lw_cache_filter all = { .labels = NULL };
    if (!is_enabled)
        return LW_OK;
    lw_status st =
        lw_cache_list_now(lw_api_resource(hooks->api, kind), &all, LW_STR(""), 0, out, NULL);
    if (st < 0)
        *out = (lw_cache_list){ 0 };
    return st;
}

static lw_status make_set(lw_hooks *hooks, uint64_t generation, const lw_hook_set *previous,
                          lw_hook_set **out)
{
    lw_cache_list mutating = { 0 }, validating = { 0 };
    lw_hook_set *set = NULL;
    lw_status st =
        list_configs(hooks, &lw_kind_mutatingwebhookconfigurations, hooks->has_mutating, &mutating);
    if (st == LW_OK)
        st = list_configs(hooks, &lw_kind_validatingwebhookconfigurations, hooks->has_validating,
                          &validating);
    if (st == LW_OK) {
        set = lw_alloc_zero(1, sizeof(*set) +
                                   (mutating.count + validating.count) * sizeof(set->configs[0]));
        st = set ? LW_OK : LW_ERR_NOMEM;
    }
    if (st == LW_OK) {
        lw_ref_init(&set->refs);
        set->generation = generation;
        st = add_configs(hooks, set, previous, &mutating, true);
    }
    if (st == LW_OK)
        st = add_configs(hooks, set, previous, &validating, false);
    lw_cache_list_done(&mutating);
    lw_cache_list_done(&validating);
    if (st < 0)
        lw_hook_set_unref(set);
    else
        *out = set;
    return st;
}

/* Makes |set| the one in force, unless another loop has made a newer one; returns that one.  Takes
 * |set|. */
static lw_hook_set *publish(lw_hooks *hooks, lw_hook_set *set)
{
    lw_hook_set *dropped = set;
    lw_mutex_lock(&hooks->mu);
    if (!hooks->now || hooks->now->generation < set->generation) {
        dropped = hooks->now;
        hooks->now = set;
    }
    set = set_ref(hooks->now);
    lw_mutex_unlock(&hooks->mu);
    lw_hook_set_unref(dropped);
    return set;
}

static void forget(struct lw_hook_view *view)
{
    view->last = NULL;
    lw_map_cursor at = lw_map_begin(&view->remembered);
    for (lw_hook_matches *one; (one = lw_map_next(&view->remembered, &at));)
        lw_free(one);
    lw_map_clear(&view->remembered);
}

/* Gives the loop a set of |generation| or newer. */
static lw_status renew_set(lw_hooks *hooks, struct lw_hook_view *view, uint64_t generation)
{
    lw_hook_set *set = current_set(hooks);
    if (!set || set->generation < generation) {
        lw_hook_set *made = NULL;
        lw_status st = make_set(hooks, generation, set, &made);
        lw_hook_set_unref(set);
        if (st < 0)
            return st;
        set = publish(hooks, made);
    }
    forget(view);
    lw_hook_set_unref(view->set);
    view->set = set;
    return LW_OK;
}

static lw_status view_of(lw_api_port *port, uint64_t generation, struct lw_hook_view **out)
{
    struct lw_hook_view *view = port->hook_view;
    if (!view) {
        view = lw_alloc_zero(1, sizeof(*view));
        if (!view)
            return LW_ERR_NOMEM;
        lw_map_init(&view->remembered, &by_key, lw_hash_seed_random(), LW_HOOKS_REMEMBERED_MAX);
        port->hook_view = view;
    }
    *out = view;
    if (view->set && view->set->generation >= generation)
        return LW_OK;
    return renew_set(port->api->hooks, view, generation);
}

/* Returns the kind as |hook| wants it, of the request's registry; NULL: it is not called. */
static const lw_kind *match(const lw_hook *hook, const lw_match_request *a)
{
    const lw_kind *kind = hook->rules ? lw_match_rules_find(hook->rules, a) : a->kind;
    const lw_kind *found =
        kind ? lw_registry_find(a->registry, kind->group, kind->version, kind->plural) : NULL;
    return found ? found : kind;
}

/* Matches all webhooks of the set: mutating ones come first. */
static lw_status match_all(struct lw_hook_view *view, const lw_match_request *a, lw_str key,
                           lw_hook_matches **out)
{
    size_t count = 0,
           size = sizeof(lw_hook_matches) + view->set->hook_count * sizeof(lw_hook_match) + key.len;
    lw_hook_matches *matches = lw_alloc_zero(1, size);
    if (!matches)
        return LW_ERR_NOMEM;
    lw_hook_match *list = (lw_hook_match *)(void *)(matches + 1);
    for (size_t i = 0; i < view->set->count; i++) {
        const lw_hook_config *config = view->set->configs[i];
        for (size_t j = 0; j < config->count; j++) {
            const lw_kind *kind = match(&config->hooks[j], a);
            if (!kind)
                continue;
            list[count++] = (lw_hook_match){ &config->hooks[j], kind };
            matches->mutating_count += config->hooks[j].is_mutating;
        }
    }
    matches->validating_count = count - matches->mutating_count;
    matches->mutating = list;
    matches->validating = list + matches->mutating_count;
    char *text = (char *)(list + view->set->hook_count);
    memcpy(text, key.ptr, key.len);
    matches->key = lw_str_make(text, key.len);
    *out = matches;
    return LW_OK;
}

static lw_status remember(struct lw_hook_view *view, const lw_match_request *a, lw_str key,
                          lw_hook_matches **out)
{
    void *replaced = NULL;
    if (lw_map_count(&view->remembered) == LW_HOOKS_REMEMBERED_MAX)
        forget(view);
    lw_status st = match_all(view, a, key, out);
    if (st == LW_OK)
        st = lw_map_put(&view->remembered, &(*out)->key, *out, &replaced);
    if (st < 0) {
        lw_free(*out);
        *out = NULL;
    }
    return st;
}

/* The kinds that matches refer to are those of now. */
static void renew_registry(lw_api_port *port, struct lw_hook_view *view)
{
    lw_registry *now = lw_catalog_look(&port->api->catalog, &port->kinds);
    if (now == view->registry)
        return;
    forget(view);
    lw_registry_unref(view->registry);
    view->registry = lw_registry_ref(now);
}

/* Writes "1/configmaps//v1/"; empty: it is too long. */
static lw_str write_key(char key[KEY_SIZE], const lw_match_request *a)
{
    const lw_str parts[] = { a->kind->plural, a->subresource, a->kind->version, a->kind->group };
    size_t len = 1;
    key[0] = (char)('0' + a->operation);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].len >= KEY_SIZE - 1 - len)
            return LW_STR("");
        key[len++] = '/';
        if (parts[i].len > 0)
            memcpy(key + len, parts[i].ptr, parts[i].len);
        len += parts[i].len;
    }
    return lw_str_make(key, len);
}

/* Finds the webhooks of |a|, or matches them. */
static lw_status look_up(struct lw_hook_view *view, const lw_match_request *a,
                         lw_hook_matches **out)
{
    char key[KEY_SIZE];
    if (view->last && view->last_kind == a->kind && view->last_operation == a->operation &&
        a->subresource.len == 0) {
        *out = view->last;
        return LW_OK;
    }
    lw_str found = write_key(key, a);
    if (found.len == 0)
        return LW_ERR_LIMIT;
    lw_hook_matches *matches = lw_map_get_str(&view->remembered, found);
    lw_status st = matches ? LW_OK : remember(view, a, found, &matches);
    if (st == LW_OK && a->subresource.len == 0) {
        view->last = matches;
        view->last_kind = a->kind;
        view->last_operation = a->operation;
    }
    *out = matches;
    return st;
}

lw_status lw_hooks_find(lw_api_port *port, const lw_kind *kind, lw_str subresource,
                        unsigned operation, const lw_hook_matches **out)
{
    lw_match_request a = { .kind = kind, .subresource = subresource, .operation = operation };
    lw_hook_matches *matches = NULL;
    struct lw_hook_view *view = NULL;
    *out = NULL;
    if (!port->api->hooks)
        return LW_OK;
    uint64_t generation = atomic_load_explicit(&port->api->hooks->generation, memory_order_acquire);
    lw_status st = view_of(port, generation, &view);
    if (st < 0 || view->set->hook_count == 0 || lw_match_is_exempt(kind))
        return st;
    renew_registry(port, view);
    a.registry = view->registry;
    st = look_up(view, &a, &matches);
    if (st == LW_OK && matches->mutating_count + matches->validating_count > 0)
        *out = matches;
    return st;
}

lw_hook_set *lw_hooks_set_ref(const lw_api_port *port)
{
    return set_ref(port->hook_view->set);
}

lw_registry *lw_hooks_registry_ref(const lw_api_port *port)
{
    return lw_registry_ref(port->hook_view->registry);
}

void lw_hooks_leave(lw_api_port *port)
{
    struct lw_hook_view *view = port->hook_view;
    if (port->api->hooks)
        port->api->hooks->caller->leave(port->api->hooks->caller->arg, port);
    if (!view)
        return;
    forget(view);
    lw_map_done(&view->remembered);
    lw_hook_set_unref(view->set);
    lw_registry_unref(view->registry);
    lw_free(view);
    port->hook_view = NULL;
}
