/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_decide.c -- what the roles of a user allow. */
#include "api/authz/rbac_internal.h"
#include "base/alloc.h"
#include "base/str.h"
#include "object/quote.h"

enum {
    MISSING_MAX = 8, /* roles that do not exist that a reason names */
};

/* A subject of the user: the user itself (0), then its groups. */
static lw_rbac_key key_of_subject(const lw_user *user, size_t index, lw_str ns)
{
    if (index == 0)
        return (lw_rbac_key){ .ns = ns, .name = user->name, .kind = LW_RBAC_USER };
    return (lw_rbac_key){ .ns = ns, .name = user->groups[index - 1], .kind = LW_RBAC_GROUP };
}

/* Calls |fn| with each grant of |user| in the cluster and then in |ns|, if it is not empty, until
 * it returns true; returns that. */
static bool visit_grants_locked(const lw_rbac *rbac, const lw_user *user, lw_str ns,
                                bool (*fn)(const lw_rbac_grant *g, void *arg), void *arg)
{
    const lw_str scopes[] = { LW_STR(""), ns };
    for (size_t scope = 0; scope < (ns.len > 0 ? 2 : 1); scope++) {
        for (size_t i = 0; i <= user->group_count; i++) {
            const lw_rbac_key key = key_of_subject(user, i, scopes[scope]);
            const lw_rbac_subject *s = lw_map_get(&rbac->subjects, &key);
            if (!s)
                continue;
            LW_DLIST_FOR_EACH(lw_rbac_grant, g, &s->grants, link)
            {
                if (fn(g, arg))
                    return true;
            }
        }
    }
    return false;
}

/* Roles that are bound but do not exist, each once. */
typedef struct missing_roles {
    const lw_rbac_role *items[MISSING_MAX];
    size_t count;
} missing_roles;

static void note_missing(missing_roles *missing, const lw_rbac_role *r)
{
    for (size_t i = 0; i < missing->count; i++) {
        if (missing->items[i] == r)
            return;
    }
    if (missing->count < MISSING_MAX)
        missing->items[missing->count++] = r;
}

/* clusterrole.rbac.authorization.k8s.io "a" not found; several as [..., ...] */
static void append_missing(const missing_roles *missing, lw_buf *out)
{
    if (missing->count > 1)
        lw_buf_append_char(out, '[');
    for (size_t i = 0; i < missing->count; i++) {
        const lw_rbac_key *key = &missing->items[i]->key;
        if (i > 0)
            lw_buf_append_text(out, ", ");
        lw_buf_append_text(out, key->ns.len > 0 ? "role" : "clusterrole");
        lw_buf_append_text(out, ".rbac.authorization.k8s.io ");
        lw_quote_append(out, key->name);
        lw_buf_append_text(out, " not found");
    }
    if (missing->count > 1)
        lw_buf_append_char(out, ']');
}

typedef struct decision {
    const lw_authz_attributes *attributes;
    uint64_t verb; /* its filter */
    const lw_rbac_grant *allowed_by;
    bool is_for_all_names; /* the rule that allows is for all objects */
    missing_roles missing;
} decision;

static bool grant_allows(const lw_rbac_grant *g, void *arg)
{
    decision *d = arg;
    const lw_rbac_rules *rules = g->role->rules;
    if (!rules) {
        note_missing(&d->missing, g->role);
        return false;
    }
    if (!(rules->verbs & d->verb))
        return false; /* no rule has the verb */
    for (size_t i = 0; i < rules->count; i++) {
        if (!(rules->items[i].verbs.filter & d->verb))
            continue;
        if (lw_rbac_rule_allows(&rules->items[i], d->attributes)) {
            d->allowed_by = g;
            d->is_for_all_names = rules->items[i].names.count == 0;
            return true;
        }
    }
    return false;
}

/* The last part of the user's name, and the one before it: "name/namespace". */
static void append_service_account(lw_str user, lw_buf *out)
{
    lw_str ns, name, rest = lw_str_skip(user, sizeof(LW_RBAC_SERVICE_ACCOUNT_PREFIX) - 1);
    (void)lw_str_cut(rest, ':', &ns, &name);
    lw_buf_append_char(out, '"');
    lw_buf_printf(out, "%.*s/%.*s\"", LW_STR_ARG(name), LW_STR_ARG(ns));
}

/* RBAC: allowed by RoleBinding "read/prod" of ClusterRole "view" to Group "team" */
static void append_allowed(const lw_rbac_grant *g, lw_buf *out)
{
    const lw_rbac_link *l = LW_DLIST_ITEM(lw_dlist_first(&g->links), lw_rbac_link, link);
    const lw_rbac_key *bound = &l->binding->key, *to = &g->subject->key;
    if (bound->ns.len > 0)
        lw_buf_printf(out, "RBAC: allowed by RoleBinding \"%.*s/%.*s\"", LW_STR_ARG(bound->name),
                      LW_STR_ARG(bound->ns));
    else
        lw_buf_printf(out, "RBAC: allowed by ClusterRoleBinding \"%.*s\"", LW_STR_ARG(bound->name));
    lw_buf_printf(out, " of %s \"%.*s\" to ", g->role->key.ns.len > 0 ? "Role" : "ClusterRole",
                  LW_STR_ARG(g->role->key.name));
    if (l->kind == LW_RBAC_SERVICE_ACCOUNT) {
        lw_buf_append_text(out, "ServiceAccount ");
        append_service_account(to->name, out);
    } else {
        lw_buf_append_text(out, l->kind == LW_RBAC_GROUP ? "Group " : "User ");
        lw_quote_append(out, to->name);
    }
}

/* Returns false if decisions about |a| are not cached. */
static bool make_cache_key(lw_decision_key *key, lw_rbac *rbac, const lw_authz_attributes *a)
{
    uint64_t user = a->cache && a->is_resource ? lw_user_id(a->user) : 0;
    if (user == 0)
        return false;
    *key = (lw_decision_key){
        .generation = atomic_load_explicit(&rbac->generation, memory_order_acquire),
        .user = user,
        .verb = a->verb,
        .group = a->group,
        .resource = a->resource,
        .subresource = a->subresource,
        .ns = a->ns,
    };
    return true;
}

lw_authz_decision lw_rbac_decide(lw_rbac *rbac, const lw_authz_attributes *attributes,
                                 lw_buf *reason)
{
    lw_decision_key key;
    bool is_cached = !reason && make_cache_key(&key, rbac, attributes);
    if (is_cached && lw_decision_cache_has(attributes->cache, &key))
        return LW_AUTHZ_ALLOW;
    decision d = { .attributes = attributes, .verb = lw_rbac_filter_of(attributes->verb) };
    lw_str ns = attributes->is_resource ? attributes->ns : LW_STR("");
    lw_rwlock_read(&rbac->lock);
    bool is_allowed = visit_grants_locked(rbac, attributes->user, ns, grant_allows, &d);
    if (reason && is_allowed) {
        append_allowed(d.allowed_by, reason);
    } else if (reason && d.missing.count > 0) {
        lw_buf_append_text(reason, "RBAC: ");
        append_missing(&d.missing, reason);
    }
    if (is_cached && is_allowed && d.is_for_all_names) {
        /* Under the lock: the generation that has allowed it. */
        key.generation = atomic_load_explicit(&rbac->generation, memory_order_relaxed);
        lw_decision_cache_add(attributes->cache, &key);
    }
    lw_rwlock_unlock(&rbac->lock);
    return is_allowed ? LW_AUTHZ_ALLOW : LW_AUTHZ_NO_OPINION;
}

typedef struct collection {
    lw_rbac_held held;
    size_t room;
    missing_roles missing;
    lw_status st;
} collection;

static bool collect_grant(const lw_rbac_grant *g, void *arg)
{
    collection *c = arg;
    if (!g->role->rules) {
        note_missing(&c->missing, g->role);
        return false;
    }
    if (c->held.count == c->room) {
        size_t room = c->room > 0 ? 2 * c->room : 8;
        lw_rbac_rules **more = lw_realloc_array(c->held.sets, room, sizeof(*more));
        if (!more) {
            c->st = LW_ERR_NOMEM;
            return true;
        }
        c->held.sets = more;
        c->room = room;
    }
    c->held.sets[c->held.count++] = lw_rbac_rules_ref(g->role->rules);
    return false;
}

lw_status lw_rbac_collect(lw_rbac *rbac, const lw_user *user, lw_str ns, lw_rbac_held *out,
                          lw_buf *missing)
{
    collection c = { .st = LW_OK };
    lw_rwlock_read(&rbac->lock);
    (void)visit_grants_locked(rbac, user, ns, collect_grant, &c);
    if (missing && c.st == LW_OK && c.missing.count > 0)
        append_missing(&c.missing, missing);
    lw_rwlock_unlock(&rbac->lock);
    if (c.st < 0)
        lw_rbac_held_done(&c.held);
    else
        *out = c.held;
    return c.st;
}

void lw_rbac_held_done(lw_rbac_held *held)
{
    for (size_t i = 0; i < held->count; i++)
        lw_rbac_rules_unref(held->sets[i]);
    lw_free(held->sets);
    *held = (lw_rbac_held){ .count = 0 };
}
