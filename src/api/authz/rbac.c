/* SPDX-License-Identifier: Apache-2.0 */
/* rbac.c -- the index of roles and bindings by subject. */
#include "api/authz/rbac.h"

#include <stdint.h>
#include <string.h>

#include "api/authz/rbac_internal.h"
#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    NAME_MAX_BYTES = 64 * 1024, /* of a service account as a user */
};

static uint64_t hash_index_key(const void *key, lw_hash_seed seed)
{
    const lw_rbac_key *k = key;
    return lw_hash_str(seed, k->name) + 3 * lw_hash_str(seed, k->ns) + (uint64_t)k->kind;
}

static bool has_index_key(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_rbac_key *mine = entry, *asked = key;
    (void)type;
    return mine->kind == asked->kind && lw_str_equal(mine->name, asked->name) &&
           lw_str_equal(mine->ns, asked->ns);
}

static uint64_t hash_grant_key(const void *key, lw_hash_seed seed)
{
    return lw_hash_bytes(seed, key, sizeof(lw_rbac_grant_key));
}

static bool has_grant_key(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_rbac_grant_key *mine = entry, *asked = key;
    (void)type;
    return mine->subject == asked->subject && mine->role == asked->role;
}

/* The keys are the first members of their entries. */
static const lw_map_type by_index_key = { hash_index_key, has_index_key, 0 };
static const lw_map_type by_grant_key = { hash_grant_key, has_grant_key, 0 };

static atomic_uint_least64_t last_generation;

/* Locks the index for a change.  Decisions that were cached before are not used any more. */
static void begin_change(lw_rbac *rbac)
{
    lw_rwlock_write(&rbac->lock);
    uint64_t generation = atomic_fetch_add_explicit(&last_generation, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&rbac->generation, generation, memory_order_release);
}

lw_status lw_rbac_new(lw_rbac **out)
{
    lw_rbac *rbac = lw_alloc_zero(1, sizeof(*rbac));
    if (!rbac)
        return LW_ERR_NOMEM;
    atomic_init(&rbac->generation, 0); /* nothing is allowed, so nothing is cached */
    lw_rwlock_init(&rbac->lock);
    lw_map_init(&rbac->roles, &by_index_key, lw_hash_seed_random(), LW_RBAC_OBJECTS_MAX);
    lw_map_init(&rbac->bindings, &by_index_key, lw_hash_seed_random(), LW_RBAC_OBJECTS_MAX);
    lw_map_init(&rbac->subjects, &by_index_key, lw_hash_seed_random(), LW_RBAC_OBJECTS_MAX);
    lw_map_init(&rbac->grants, &by_grant_key, lw_hash_seed_random(), LW_RBAC_OBJECTS_MAX);
    *out = rbac;
    return LW_OK;
}

static void free_entries(lw_map *map)
{
    lw_map_cursor at = lw_map_begin(map);
    for (void *entry; (entry = lw_map_next(map, &at));)
        lw_free(entry);
    lw_map_done(map);
}

void lw_rbac_free(lw_rbac *rbac)
{
    if (!rbac)
        return;
    lw_map_cursor at = lw_map_begin(&rbac->roles);
    for (lw_rbac_role *r; (r = lw_map_next(&rbac->roles, &at));)
        lw_rbac_rules_unref(r->rules);
    free_entries(&rbac->roles);
    free_entries(&rbac->bindings);
    free_entries(&rbac->subjects);
    free_entries(&rbac->grants);
    lw_rwlock_done(&rbac->lock);
    lw_free(rbac);
}

/* Copies the texts of |key| to |bytes|. */
static lw_rbac_key keep_key(const lw_rbac_key *key, char *bytes)
{
    if (key->ns.len > 0)
        memcpy(bytes, key->ns.ptr, key->ns.len);
    if (key->name.len > 0)
        memcpy(bytes + key->ns.len, key->name.ptr, key->name.len);
    return (lw_rbac_key){ .ns = lw_str_make(bytes, key->ns.len),
                          .name = lw_str_make(bytes + key->ns.len, key->name.len),
                          .kind = key->kind };
}

/* Finds the entry of |key|, or adds one of |size| zeros that begins with it.  NULL: LW_ERR_NOMEM or
 * LW_ERR_LIMIT in |*st|. */
static void *find_or_add(lw_map *map, const lw_rbac_key *key, size_t size, lw_status *st)
{
    void *entry = lw_map_get(map, key), *present = NULL;
    if (entry)
        return entry;
    char *fresh = lw_alloc_zero(1, size + key->ns.len + key->name.len);
    if (!fresh) {
        *st = LW_ERR_NOMEM;
        return NULL;
    }
    lw_rbac_key kept = keep_key(key, fresh + size);
    memcpy(fresh, &kept, sizeof(kept));
    *st = lw_map_add(map, fresh, fresh, &present);
    if (*st == LW_OK)
        return fresh;
    lw_free(fresh);
    return NULL;
}

static void drop_role_if_unused(lw_rbac *rbac, lw_rbac_role *r)
{
    if (r->rules || r->grants > 0)
        return;
    (void)lw_map_remove(&rbac->roles, &r->key);
    lw_free(r);
}

static void drop_subject_if_unused(lw_rbac *rbac, lw_rbac_subject *s)
{
    if (!lw_dlist_is_empty(&s->grants))
        return;
    (void)lw_map_remove(&rbac->subjects, &s->key);
    lw_free(s);
}

static void drop_grant_if_unused(lw_rbac *rbac, lw_rbac_grant *g)
{
    if (!lw_dlist_is_empty(&g->links))
        return;
    lw_rbac_subject *s = g->subject;
    lw_rbac_role *r = g->role;
    (void)lw_map_remove(&rbac->grants, &g->key);
    lw_dlist_remove(&g->link);
    lw_free(g);
    r->grants--;
    drop_role_if_unused(rbac, r);
    drop_subject_if_unused(rbac, s);
}

static lw_rbac_key key_of(lw_str ns, lw_str name)
{
    return (lw_rbac_key){ .ns = ns, .name = name, .kind = LW_RBAC_NO_SUBJECT };
}

lw_status lw_rbac_put_role(lw_rbac *rbac, lw_str ns, lw_str name, const lw_node *node)
{
    lw_rbac_rules *rules = NULL;
    const lw_rbac_key key = key_of(ns, name);
    lw_status st = lw_rbac_rules_new(&rules, lw_node_get(node, LW_STR("rules")));
    if (st < 0)
        return st;
    begin_change(rbac);
    lw_rbac_role *r = find_or_add(&rbac->roles, &key, sizeof(lw_rbac_role), &st);
    lw_rbac_rules *before = rules;
    if (r) {
        before = r->rules;
        r->rules = rules;
    }
    lw_rwlock_unlock(&rbac->lock);
    lw_rbac_rules_unref(before);
    return r ? LW_OK : st;
}

void lw_rbac_remove_role(lw_rbac *rbac, lw_str ns, lw_str name)
{
    const lw_rbac_key key = key_of(ns, name);
    lw_rbac_rules *before = NULL;
    begin_change(rbac);
    lw_rbac_role *r = lw_map_get(&rbac->roles, &key);
    if (r) {
        before = r->rules;
        r->rules = NULL;
        drop_role_if_unused(rbac, r);
    }
    lw_rwlock_unlock(&rbac->lock);
    lw_rbac_rules_unref(before);
}

static void unlink_binding_locked(lw_rbac *rbac, lw_rbac_binding *b)
{
    for (size_t i = 0; i < b->count; i++) {
        lw_rbac_grant *g = b->links[i].grant;
        if (!g)
            continue;
        lw_dlist_remove(&b->links[i].link);
        b->links[i].grant = NULL;
        drop_grant_if_unused(rbac, g);
    }
}

static void remove_binding_locked(lw_rbac *rbac, const lw_rbac_key *key)
{
    lw_rbac_binding *b = lw_map_remove(&rbac->bindings, key);
    if (!b)
        return;
    unlink_binding_locked(rbac, b);
    lw_free(b);
}

void lw_rbac_remove_binding(lw_rbac *rbac, lw_str ns, lw_str name)
{
    const lw_rbac_key key = key_of(ns, name);
    begin_change(rbac);
    remove_binding_locked(rbac, &key);
    lw_rwlock_unlock(&rbac->lock);
}

/* A removal may shrink the map, which ends the iteration; so the entries are collected first, as
 * many at a time as there is room for. */
enum {
    REMOVED_AT_ONCE = 256,
};

void lw_rbac_remove_bindings(lw_rbac *rbac, bool of_namespaces)
{
    lw_rbac_binding *found[REMOVED_AT_ONCE];
    size_t count;
    do {
        count = 0;
        begin_change(rbac);
        lw_map_cursor at = lw_map_begin(&rbac->bindings);
        for (lw_rbac_binding *b;
             count < REMOVED_AT_ONCE && (b = lw_map_next(&rbac->bindings, &at));) {
            if ((b->key.ns.len > 0) == of_namespaces)
                found[count++] = b;
        }
        for (size_t i = 0; i < count; i++)
            remove_binding_locked(rbac, &found[i]->key);
        lw_rwlock_unlock(&rbac->lock);
    } while (count == REMOVED_AT_ONCE);
}

void lw_rbac_remove_roles(lw_rbac *rbac, bool of_namespaces)
{
    lw_rbac_role *found[REMOVED_AT_ONCE];
    size_t count;
    do {
        count = 0;
        begin_change(rbac);
        lw_map_cursor at = lw_map_begin(&rbac->roles);
        for (lw_rbac_role *r; count < REMOVED_AT_ONCE && (r = lw_map_next(&rbac->roles, &at));) {
            if (r->rules && (r->key.ns.len > 0) == of_namespaces)
                found[count++] = r;
        }
        for (size_t i = 0; i < count; i++) {
            lw_rbac_rules_unref(found[i]->rules);
            found[i]->rules = NULL;
            drop_role_if_unused(rbac, found[i]);
        }
        lw_rwlock_unlock(&rbac->lock);
    } while (count == REMOVED_AT_ONCE);
}

/* Finds or makes the grant of |role_key| to |subject_key|. */
static lw_rbac_grant *find_or_add_grant(lw_rbac *rbac, const lw_rbac_key *subject_key,
                                        const lw_rbac_key *role_key, lw_status *st)
{
    lw_rbac_subject *s = find_or_add(&rbac->subjects, subject_key, sizeof(lw_rbac_subject), st);
    lw_rbac_role *r = s ? find_or_add(&rbac->roles, role_key, sizeof(lw_rbac_role), st) : NULL;
    lw_rbac_grant *g = NULL;
    void *present = NULL;
    if (s && !s->grants.root.next)
        lw_dlist_init(&s->grants);
    if (!s || !r)
        goto fail;
    const lw_rbac_grant_key key = { s, r };
    g = lw_map_get(&rbac->grants, &key);
    if (g)
        return g;
    g = lw_alloc_zero(1, sizeof(*g));
    *st = g ? LW_OK : LW_ERR_NOMEM;
    if (!g)
        goto fail;
    *g = (lw_rbac_grant){ .key = key, .subject = s, .role = r };
    lw_dlist_init(&g->links);
    *st = lw_map_add(&rbac->grants, &g->key, g, &present);
    if (*st < 0)
        goto fail;
    lw_dlist_push_back(&s->grants, &g->link);
    r->grants++;
    return g;
fail:
    lw_free(g);
    if (s)
        drop_subject_if_unused(rbac, s);
    if (r)
        drop_role_if_unused(rbac, r);
    return NULL;
}

/* The key of a subject as a binding in |ns| names it; the name of a service account is written to
 * |text|.  LW_RBAC_NO_SUBJECT: unknown kind. */
static lw_rbac_key subject_key_of(const lw_node *node, lw_str ns, lw_buf *text)
{
    lw_str kind = lw_fields_text(node, "kind"), name = lw_fields_text(node, "name");
    if (lw_str_equal(kind, LW_STR("User")))
        return (lw_rbac_key){ .ns = ns, .name = name, .kind = LW_RBAC_USER };
    if (lw_str_equal(kind, LW_STR("Group")))
        return (lw_rbac_key){ .ns = ns, .name = name, .kind = LW_RBAC_GROUP };
    if (!lw_str_equal(kind, LW_STR("ServiceAccount")))
        return (lw_rbac_key){ .kind = LW_RBAC_NO_SUBJECT };
    lw_str home = lw_fields_text(node, "namespace");
    if (home.len == 0)
        home = ns;
    if (home.len == 0)
        return (lw_rbac_key){ .kind = LW_RBAC_NO_SUBJECT };
    lw_buf_reset(text);
    lw_buf_printf(text, LW_RBAC_SERVICE_ACCOUNT_PREFIX "%.*s:%.*s", LW_STR_ARG(home),
                  LW_STR_ARG(name));
    return (lw_rbac_key){ .ns = ns, .name = lw_buf_view(text), .kind = LW_RBAC_SERVICE_ACCOUNT };
}

static lw_status link_subjects_locked(lw_rbac *rbac, lw_rbac_binding *b, const lw_node *node)
{
    const lw_node *subjects = lw_node_get(node, LW_STR("subjects"));
    const lw_node *ref = lw_node_get(node, LW_STR("roleRef"));
    bool is_of_namespace = lw_str_equal(lw_fields_text(ref, "kind"), LW_STR("Role"));
    const lw_rbac_key role_key =
        key_of(is_of_namespace ? b->key.ns : LW_STR(""), lw_fields_text(ref, "name"));
    lw_status st = LW_OK;
    lw_buf text;
    lw_buf_init(&text, NAME_MAX_BYTES);
    for (size_t i = 0; i < b->count && st == LW_OK; i++) {
        lw_rbac_link *l = &b->links[i];
        lw_rbac_key key = subject_key_of(lw_node_at(subjects, i), b->key.ns, &text);
        l->binding = b;
        l->kind = key.kind;
        if (key.kind == LW_RBAC_NO_SUBJECT || text.st < 0) {
            st = text.st;
            continue;
        }
        if (key.kind == LW_RBAC_SERVICE_ACCOUNT)
            key.kind = LW_RBAC_USER;
        l->grant = find_or_add_grant(rbac, &key, &role_key, &st);
        if (l->grant)
            lw_dlist_push_back(&l->grant->links, &l->link);
    }
    lw_buf_done(&text);
    return st;
}

lw_status lw_rbac_put_binding(lw_rbac *rbac, lw_str ns, lw_str name, const lw_node *node)
{
    const lw_node *subjects = lw_node_get(node, LW_STR("subjects"));
    size_t count = lw_node_is(subjects, LW_JSON_ARRAY) ? lw_node_count(subjects) : 0;
    size_t size = sizeof(lw_rbac_binding) + count * sizeof(lw_rbac_link);
    const lw_rbac_key key = key_of(ns, name);
    lw_status st = LW_OK;
    begin_change(rbac);
    remove_binding_locked(rbac, &key);
    lw_rbac_binding *b = find_or_add(&rbac->bindings, &key, size, &st);
    if (b) {
        b->count = count;
        st = link_subjects_locked(rbac, b, node);
        if (st < 0)
            remove_binding_locked(rbac, &key);
    }
    lw_rwlock_unlock(&rbac->lock);
    return st;
}

lw_rbac_rules *lw_rbac_role_rules_ref(lw_rbac *rbac, lw_str ns, lw_str name)
{
    const lw_rbac_key key = key_of(ns, name);
    lw_rwlock_read(&rbac->lock);
    const lw_rbac_role *r = lw_map_get(&rbac->roles, &key);
    lw_rbac_rules *rules = r && r->rules ? lw_rbac_rules_ref(r->rules) : NULL;
    lw_rwlock_unlock(&rbac->lock);
    return rules;
}
